#include "emulator/litmus/vulkan/answer.h"

#include <algorithm>
#include <map>
#include <set>

#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/mistakes.h"
#include "emulator/litmus/vulkan/program.h"

namespace heddle::litmus {
namespace {

class Collector {
 public:
  Collector(const Test& test, const Question& question)
      : test_(test), question_(question), has_free_(frees_memory(test)) {}

  /// Takes one execution of `program`; false when the exploration should stop.
  bool take(const TestProgram& program, const explore::Found& found);
  Answer finish(const explore::Statistics& statistics);
  /// Becomes true when executions that do not terminate can change nothing any more: they count for
  /// races, and those that are cut make the answer incomplete.
  const bool* knows_all_of_others() const { return &knows_all_of_others_; }

 private:
  void note_faults(const std::vector<explore::AgentEnd>& ends);
  void note_race(const explore::Found& found);
  void note_early_free(const explore::Found& found);

  const Test& test_;
  const Question& question_;
  bool has_free_;
  Answer answer_;
  std::map<Outcome, OutcomeRow> rows_;
  std::set<std::uint32_t> faults_;
  bool limited_ = false;
  bool knows_all_of_others_ = false;
};

bool Collector::take(const TestProgram& program, const explore::Found& found) {
  if (question_.cancelled != nullptr && question_.cancelled->load(std::memory_order_relaxed)) {
    answer_.cancelled = true;
    return false;
  }
  if (question_.on_execution) question_.on_execution();
  std::vector<Outcome> states = final_states(test_, found.judgement, program.results(found.ends));
  if (test_.filter) {
    const auto fails = [&](const Outcome& state) { return !satisfies(state, *test_.filter); };
    states.erase(std::remove_if(states.begin(), states.end(), fails), states.end());
    if (states.empty()) return true;
  }
  const bool racy = has_mistake(test_, found.judgement);
  note_early_free(found);
  if (!found.terminated()) {
    if (racy) note_race(found);
    note_faults(found.ends);
    ++(found.cut() ? answer_.cut : answer_.blocked);
    knows_all_of_others_ = answer_.racy && answer_.cut > 0 && (answer_.freed_early || !has_free_);
    return true;
  }
  if (question_.limit != 0 && answer_.executions == question_.limit) {
    limited_ = true;
    return false;
  }
  ++answer_.executions;
  if (racy) {
    note_race(found);
    ++answer_.racy_executions;
  }
  for (Outcome& state : states) {
    OutcomeRow& row = rows_[state];
    if (question_.keep_examples && row.executions == 0) row.example = found.execution;
    ++row.executions;
    if (racy) ++row.racy_executions;
  }
  return true;
}

void Collector::note_faults(const std::vector<explore::AgentEnd>& ends) {
  for (std::size_t thread = 0; thread < test_.threads.size(); ++thread) {
    const explore::Value fault = ends[thread].results.back();
    if (fault != 0) faults_.insert(test_.threads[thread].code[fault - 1].place.line);
  }
}

void Collector::note_race(const explore::Found& found) {
  const bool first = !answer_.racy;
  answer_.racy = true;
  if (!first || !question_.keep_examples) return;
  const auto [x, y] = mistakes(test_, found.judgement).front();
  answer_.race = RaceExample{found.execution, x, y};
}

//= vk:memory-model-deallocation
void Collector::note_early_free(const explore::Found& found) {
  if (answer_.freed_early || !has_free_) return;
  const auto accesses = found.judgement.accesses_not_before_deallocation();
  if (accesses.empty()) return;
  answer_.freed_early = true;
  if (question_.keep_examples) {
    answer_.early_free = RaceExample{found.execution, accesses.front().first, accesses.front().second};
  }
}

Answer Collector::finish(const explore::Statistics& statistics) {
  std::size_t satisfied = 0;
  for (auto& [values, row] : rows_) {
    row.values = values;
    row.satisfies = !test_.assertion || satisfies(values, *test_.assertion);
    satisfied += row.satisfies ? 1 : 0;
    answer_.outcomes.push_back(std::move(row));
  }
  answer_.holds = holds(test_.quantifier, satisfied, answer_.outcomes.size());
  answer_.graphs = statistics.graphs;
  answer_.counted_others = !knows_all_of_others_;
  if (question_.cancelled != nullptr && question_.cancelled->load(std::memory_order_relaxed)) {
    answer_.cancelled = true;
  }
  answer_.limited = limited_ || (question_.limit != 0 && !statistics.complete);
  answer_.complete = statistics.complete && !limited_ && !answer_.cancelled && answer_.cut == 0;
  answer_.faults.assign(faults_.begin(), faults_.end());
  return std::move(answer_);
}

}  // namespace

bool frees_memory(const Test& test) {
  for (const Thread& thread : test.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.operation.kind == OperationKind::Free) return true;
  return false;
}

Answer answer(const Test& test, const Question& question) {
  Collector collector(test, question);
  explore::Options options = explorer_options(question);
  options.only_terminated = collector.knows_all_of_others();
  explore::Statistics all;
  for (Performers& performers : choices_of_performers(test)) {
    const TestProgram program(test, question.bound, Spinning::Explored, std::move(performers));
    const explore::Statistics statistics = explored(
        program.program(), options, [&](const explore::Found& found) { return collector.take(program, found); });
    all.graphs += statistics.graphs;
    all.complete = all.complete && statistics.complete;
  }
  return collector.finish(all);
}

}  // namespace heddle::litmus
