#include "emulator/litmus/vulkan/verdict.h"

#include <algorithm>
#include <set>

#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/mistakes.h"
#include "emulator/litmus/vulkan/program.h"

namespace heddle::litmus {
namespace {

using explore::Wanted;

/// Looks at executions until the verdict is known: first for races, and for outcomes on the way; if there is a race
/// and the outcomes seen do not settle the assertion, once more for outcomes.
class Inquiry {
 public:
  Inquiry(const Test& test, const Question& question) : test_(test), question_(question), frees_(frees_memory(test)) {}

  Verdict run();

 private:
  void search(Wanted wanted);
  bool take(const TestProgram& program, const explore::Found& found);
  bool knows_assertion() const { return test_.quantifier == Quantifier::None || settled_; }
  bool knows_memory() const { return verdict_.racy && (verdict_.freed_early || !frees_); }
  bool is_cancelled() const {
    return question_.cancelled != nullptr && question_.cancelled->load(std::memory_order_relaxed);
  }
  bool has_enough() const;
  void note_outcome(const Outcome& outcome);
  void note_faults(const std::vector<explore::AgentEnd>& ends);

  const Test& test_;
  const Question& question_;
  const bool frees_;
  Verdict verdict_;
  std::set<std::uint32_t> faults_;
  /// Whether an outcome was seen that decides the assertion, whatever the others are.
  bool settled_ = false;
  std::uint64_t counted_ = 0;
  std::uint64_t terminated_ = 0;
  bool limited_ = false;
  Wanted wanted_ = Wanted::AllExecutions;
  /// Whether the last search came to all executions that it was to look at.
  bool saw_all_ = false;
};

void Inquiry::note_outcome(const Outcome& outcome) {
  const bool satisfied = satisfies(outcome, *test_.assertion);
  if (satisfied == (test_.quantifier == Quantifier::ForAll)) return;
  settled_ = true;
  verdict_.holds = test_.quantifier == Quantifier::Exists;
}

void Inquiry::note_faults(const std::vector<explore::AgentEnd>& ends) {
  for (std::size_t thread = 0; thread < test_.threads.size(); ++thread) {
    const explore::Value fault = ends[thread].results.back();
    if (fault != 0) faults_.insert(test_.threads[thread].code[fault - 1].place.line);
  }
}

bool Inquiry::take(const TestProgram& program, const explore::Found& found) {
  if (is_cancelled()) return false;
  if (question_.on_execution) question_.on_execution();
  std::vector<Outcome> states = final_states(test_, found.judgement, program.results(found.ends));
  if (test_.filter) {
    std::erase_if(states, [&](const Outcome& state) { return !satisfies(state, *test_.filter); });
    if (states.empty()) return true;
  }
  if (found.terminated()) {
    if (question_.limit != 0 && terminated_ == question_.limit) {
      limited_ = true;
      return false;
    }
    ++terminated_;
    if (test_.assertion)
      for (const Outcome& state : states) note_outcome(state);
  }
  ++counted_;
  note_faults(found.ends);
  verdict_.racy = verdict_.racy || has_mistake(test_, found.judgement);
  //= vk:memory-model-deallocation
  verdict_.freed_early =
      verdict_.freed_early || (frees_ && !found.judgement.accesses_not_before_deallocation().empty());
  return !has_enough();
}

bool Inquiry::has_enough() const {
  switch (wanted_) {
    case Wanted::AllExecutions:
      return knows_memory() && knows_assertion();
    case Wanted::Races:
      return knows_memory();
    case Wanted::Outcomes:
      return knows_assertion();
  }
  return false;
}

void Inquiry::search(Wanted wanted) {
  wanted_ = wanted;
  saw_all_ = true;
  explore::Options options = explorer_options(question_);
  options.wanted = wanted;
  options.counted = &counted_;
  options.counts_all = !test_.filter;
  const Spinning spinning = wanted == Wanted::AllExecutions ? Spinning::Explored : Spinning::Once;
  for (Performers& performers : choices_of_performers(test_)) {
    const TestProgram program(test_, question_.bound, spinning, std::move(performers));
    bool stopped = false;
    const explore::Statistics statistics = explored(program.program(), options, [&](const explore::Found& found) {
      stopped = !take(program, found);
      return !stopped;
    });
    verdict_.graphs += statistics.graphs;
    saw_all_ = saw_all_ && statistics.complete && !stopped;
    if (stopped) return;
  }
}

Verdict Inquiry::run() {
  verdict_.holds = test_.quantifier != Quantifier::Exists;
  // Every execution counts for what is freed, and values out of thin air need no source that is in the graph.
  search(frees_ || question_.thin_air || test_.host ? Wanted::AllExecutions : Wanted::Races);
  const bool knows_all = knows_memory() || saw_all_;
  // With a race, what was left out may have had outcomes of its own.
  if (wanted_ == Wanted::Races && verdict_.racy && !knows_assertion() && !limited_ && !is_cancelled())
    search(Wanted::Outcomes);
  verdict_.complete = knows_all && (knows_assertion() || saw_all_);
  verdict_.cancelled = is_cancelled();
  verdict_.faults.assign(faults_.begin(), faults_.end());
  return std::move(verdict_);
}

}  // namespace

Verdict verdict(const Test& test, const Question& question) {
  return Inquiry(test, question).run();
}

}  // namespace heddle::litmus
