#include "emulator/mu/judgement.h"

#include <heddle/detail/check.h>

#include <algorithm>

namespace heddle::mu {

std::vector<LocationIndex> Execution::atomic_locations() const {
  std::vector<LocationIndex> out;
  for (const Event& event : events)
    if (event.is_atomic()) out.push_back(event.location);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

const char* name(Rule rule) {
  switch (rule) {
    case Rule::HappensBeforeIsAcyclic:
      return "happens-before has no cycle";
    case Rule::ModificationOrderFollowsHappensBefore:
      return "modification order agrees with happens-before";
    case Rule::NonAtomicLoadSeesVisibleStore:
      return "a non-atomic load sees a visible store";
    case Rule::AtomicLoadSeesVisibleSequence:
      return "an atomic load sees a store of its visible sequence";
    case Rule::ReadReadCoherence:
      return "a later load sees no earlier store than a load that happens before it";
    case Rule::ReadModifyWriteSeesLastStore:
      return "a read-modify-write sees the store right before its own";
    case Rule::SequentiallyConsistentOrder:
      return "SEQ_CST operations have one total order that explains all values";
    case Rule::FutexQueues:
      return "futex queues have orders that explain who was woken";
    case Rule::BundlesInOrder:
      return "bundles were loaded in one order";
  }
  return "";
}

const char* name(Undefined undefined) {
  switch (undefined) {
    case Undefined::Address:
      return "address";
    case Undefined::Mixed:
      return "mixed";
    case Undefined::Race:
      return "race";
    case Undefined::Stack:
      return "stack";
  }
  return "";
}

namespace {

bool is_well_recorded(const Execution& execution) {
  const std::size_t count = execution.events.size();
  if (execution.reads_from.size() != count) return false;
  return std::all_of(execution.reads_from.begin(), execution.reads_from.end(), [&](EventIndex seen) {
    if (seen < count) return execution.events[seen].stores();
    return seen == kInitial || seen == kUnresolved || seen == kNone;
  });
}

}  // namespace

Judgement::Judgement(const Execution& execution, Extent extent)
    : execution_(execution),
      count_(execution.events.size()),
      positions_(count_, 0),
      stores_(execution.locations),
      program_order_(count_),
      release_sequence_(count_),
      synchronizes_with_(count_),
      carries_dependency_(count_),
      dependency_ordered_before_(count_),
      inter_thread_happens_before_(count_),
      happens_before_(count_) {
  HEDDLE_CHECK(is_well_recorded(execution), "an execution that is judged has a load that sees what is no store of it");
  for (EventIndex e = 0; e < count_; ++e)
    if (execution_.events[e].stores()) stores_[execution_.events[e].location].push_back(e);
  order_program();
  if (extent == Extent::Whole) order_modifications();
  find_release_sequences();
  synchronize_accesses();
  synchronize_fences();
  synchronize_threads();
  carry_dependencies();
  order_happenings();
}

std::vector<Violation> Judgement::violations() const {
  Report report;
  check_happens_before(report);
  check_modification_order(report);
  check_visibility(report);
  check_read_read_coherence(report);
  check_read_modify_writes(report);
  check_bundles(report);
  check_sequential_consistency(report);
  check_futexes(report);
  return report;
}

bool Judgement::consistent() const {
  using Check = void (Judgement::*)(Report&) const;
  static constexpr Check kChecks[] = {&Judgement::check_happens_before,
                                      &Judgement::check_modification_order,
                                      &Judgement::check_visibility,
                                      &Judgement::check_read_read_coherence,
                                      &Judgement::check_read_modify_writes,
                                      &Judgement::check_bundles,
                                      &Judgement::check_sequential_consistency,
                                      &Judgement::check_futexes};
  Report report;
  return std::all_of(std::begin(kChecks), std::end(kChecks), [&](Check check) {
    (this->*check)(report);
    return report.empty();
  });
}

std::vector<UndefinedPair> Judgement::undefined() const {
  std::vector<UndefinedPair> out;
  find_data_races(out);
  find_mixed_accesses(out);
  find_stack_conflicts(out);
  return out;
}

bool Judgement::has(Undefined kind) const {
  const std::vector<UndefinedPair> all = undefined();
  return std::any_of(all.begin(), all.end(), [&](const UndefinedPair& pair) { return pair.kind == kind; });
}

}  // namespace heddle::mu
