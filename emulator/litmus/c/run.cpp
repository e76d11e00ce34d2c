#include "emulator/litmus/c/run.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "emulator/litmus/crew.h"
#include "emulator/litmus/run_seed.h"

namespace heddle::litmus::c {
namespace {

using mu::machine::End;

struct HashOfOutcome {
  std::size_t operator()(const Outcome& outcome) const {
    std::uint64_t hash = 0;
    for (const Value value : outcome)
      hash = (hash ^ static_cast<std::uint64_t>(value.number()) ^ static_cast<std::uint64_t>(value.array()) << 48) *
                 0x9e3779b97f4a7c15u +
             (hash >> 29);
    return hash;
  }
};

/// The runs that one thread makes.
class Worker {
 public:
  using Totals = RunTotals;
  using Rows = std::unordered_map<Outcome, HistogramRow, HashOfOutcome>;

  Worker(const Test& test, const RunRequest& request) : request_(request), runner_(test, request) {}
  void make(std::uint64_t number);
  void add_to(RunTotals& totals, Rows& rows) const;

 private:
  void judge(std::uint64_t number);

  const RunRequest& request_;
  TestRunner runner_;
  RunTotals totals_;
  Rows rows_;
};

void Worker::make(std::uint64_t number) {
  const bool judged = number < request_.judged;
  const End end = runner_.run(number, judged);
  ++totals_.runs;
  const bool finished = end == End::Finished;
  const bool counts = !finished || runner_.passes_filter();
  if (!counts) {
    ++totals_.filtered;
  } else if (finished) {
    const auto [row, fresh] = rows_.try_emplace(runner_.outcome());
    ++row->second.count;
    if (fresh) row->second.first_run = number;
  } else {
    ++(end == End::Cut ? totals_.cut : end == End::Blocked ? totals_.blocked : totals_.faults);
  }
  if (counts && runner_.detector().any())
    for (std::size_t kind = 0; kind < totals_.undefined.size(); ++kind)
      if (runner_.detector().has(static_cast<mu::Undefined>(kind))) totals_.undefined[kind].note(number);
  if (judged) judge(number);
}

void Worker::judge(std::uint64_t number) {
  const mu::Judgement judgement(runner_.execution());
  ++totals_.judged;
  if (!judgement.consistent()) totals_.inconsistent.note(number);
  if (!agree(judgement, runner_.detector())) totals_.disagreements.note(number);
}

void Worker::add_to(RunTotals& totals, Rows& rows) const {
  add_rows(rows_, rows);
  totals.runs += totals_.runs;
  totals.blocked += totals_.blocked;
  totals.cut += totals_.cut;
  totals.faults += totals_.faults;
  totals.filtered += totals_.filtered;
  totals.judged += totals_.judged;
  for (std::size_t kind = 0; kind < totals.undefined.size(); ++kind)
    totals.undefined[kind].add(totals_.undefined[kind]);
  totals.inconsistent.add(totals_.inconsistent);
  totals.disagreements.add(totals_.disagreements);
}

}  // namespace

void Tally::note(std::uint64_t run) {
  ++count;
  first = std::min(first.value_or(run), run);
}

void Tally::add(const Tally& other) {
  count += other.count;
  if (other.first) first = std::min(first.value_or(*other.first), *other.first);
}

TestRunner::TestRunner(const Test& test, const RunRequest& request)
    : test_(test),
      policy_(request.policy),
      seed_(request.seed),
      choice_(0),
      run_(test.program, policy_, choice_, request.bound) {}

End TestRunner::run(std::uint64_t number, bool record) {
  choice_ = SeededChoice(seed_of_run(seed_, number));
  End end = End::Finished;
  try {
    end = run_.run(record);
  } catch (const mu::machine::CreatedTwice& twice) {
    const mu::Instruction& i = test_.program.threads[twice.thread].code[twice.instruction];
    throw ParseError({i.line, i.column}, "an execution creates thread `" + test_.program.threads[i.index].name +
                                             "` twice; a thread is created once");
  }
  outcome_.clear();
  for (const Observable& observable : test_.observables)
    outcome_.push_back(observable.kind == Observable::Kind::Register ? run_.reg(observable.thread, observable.index)
                                                                     : run_.final_value(observable.index));
  return end;
}

bool TestRunner::passes_filter() const {
  return !test_.filter || satisfies(outcome_, *test_.filter);
}

bool agree(const mu::Judgement& judgement, const mu::machine::Detector& detector) {
  std::set<std::pair<mu::Undefined, std::uint32_t>> judged;
  for (const mu::UndefinedPair& pair : judgement.undefined()) {
    const mu::Event& event = judgement.execution().events[pair.first];
    judged.emplace(pair.kind, pair.kind == mu::Undefined::Stack ? event.stack : event.location);
  }
  std::set<std::pair<mu::Undefined, std::uint32_t>> detected;
  for (const mu::machine::Discovery& one : detector.found())
    if (one.kind != mu::Undefined::Address) detected.emplace(one.kind, one.object);
  return judged == detected;
}

RunTotals run(const Test& test, const RunRequest& request) {
  return Crew<Worker, Test, RunRequest>(test, request).work();
}

}  // namespace heddle::litmus::c
