#include "emulator/spirv/answer.h"

#include <algorithm>
#include <map>

namespace heddle::spirv {
namespace {

using explore::Wanted;

/// So many combinations of final values of one execution are listed.
constexpr std::size_t kMostRows = 1U << 16;

/// Looks at executions: at all of them, or until the verdict is known.
class Inquirer {
 public:
  Inquirer(const Analysis& analysis, const Question& question, const Inquiry& inquiry)
      : analysis_(analysis), question_(question), inquiry_(inquiry) {
    answer_.holds = question.quantifier != Quantifying::Exists;
  }

  Answer list();
  Answer decide();

 private:
  explore::Options options(Wanted wanted);
  explore::Statistics explore(Wanted wanted, Idling idling);
  bool take(const explore::Found& found);
  void note_faults(const std::vector<explore::AgentEnd>& ends);
  void note_race(const explore::Found& found);
  void note_condition(const Choices& choices);
  void note_rows(const Choices& choices, const explore::Found& found, bool racy);
  bool passes_filter(const Choices& choices);
  void count(const explore::Found& found);
  bool is_cancelled() const {
    return inquiry_.cancelled != nullptr && inquiry_.cancelled->load(std::memory_order_relaxed);
  }
  bool knows_condition() const { return !question_.condition || settled_; }
  bool has_enough() const;
  Answer finish();

  const Analysis& analysis_;
  const Question& question_;
  const Inquiry& inquiry_;
  Answer answer_;
  /// As in a row, not rounded yet.
  struct RowCounts {
    double executions = 0;
    double racy_executions = 0;
    std::optional<model::Execution> example;
  };
  std::map<std::vector<std::uint64_t>, RowCounts> rows_;
  explore::Counts counts_;
  /// Whether what was seen decides the condition, whatever else there is.
  bool settled_ = false;
  bool limited_ = false;
  bool stopped_ = false;
  bool knows_all_of_others_ = false;
  std::uint64_t counted_ = 0;
  Wanted wanted_ = Wanted::AllExecutions;
};

explore::Options Inquirer::options(Wanted wanted) {
  explore::Options out;
  out.model.chains = inquiry_.chains;
  out.wanted = wanted;
  out.counted = &counted_;
  out.cancelled = inquiry_.cancelled;
  out.only_terminated = &knows_all_of_others_;
  out.counts_all = !question_.filter;
  out.up_to_symmetry = inquiry_.symmetry && inquiry_.limit == 0;
  // A limit is to end it, even if hardly an execution counts.
  constexpr std::uint64_t kGraphsForEach = 1000;
  constexpr std::uint64_t kGraphsAtLeast = 100000;
  constexpr std::uint64_t kDerivationStepsForGraph = 10;
  if (inquiry_.limit != 0) out.graph_limit = std::max(kGraphsAtLeast, kGraphsForEach * inquiry_.limit);
  if (inquiry_.graph_limit != 0) out.graph_limit = inquiry_.graph_limit;
  if (out.graph_limit != 0)
    out.derivation_steps = std::min<std::uint64_t>(out.derivation_steps, kDerivationStepsForGraph * out.graph_limit);
  return out;
}

explore::Statistics Inquirer::explore(Wanted wanted, Idling idling) {
  wanted_ = wanted;
  stopped_ = false;
  const KernelProgram program(analysis_, inquiry_.bound, idling);
  try {
    const explore::Statistics out =
        explore::explore(program.program(), options(wanted), [&](const explore::Found& found) {
          stopped_ = !take(found);
          return !stopped_;
        });
    answer_.graphs += out.graphs;
    return out;
  } catch (const explore::TooLong& too_long) {
    throw Error({too_long.where.line, 0}, "an execution that comes to here has more than " +
                                              std::to_string(too_long.most) +
                                              " operations and choices, which are too many to list all executions");
  }
}

void Inquirer::note_faults(const std::vector<explore::AgentEnd>& ends) {
  for (const explore::AgentEnd& end : ends) add_fault(answer_.faults, end.results);
}

void Inquirer::note_race(const explore::Found& found) {
  if (answer_.racy) return;
  answer_.racy = true;
  const judge::Race race = found.judgement.races().front();
  answer_.race = RaceSeen{found.execution, race.first, race.second};
}

bool Inquirer::passes_filter(const Choices& choices) {
  if (!question_.filter) return true;
  const auto possible = is_possible({{&*question_.filter, true}}, choices);
  answer_.undecided = answer_.undecided || !possible;
  return possible.value_or(true);
}

// One execution that satisfies the condition settles what exists, one that violates it what holds for all.
void Inquirer::note_condition(const Choices& choices) {
  if (knows_condition()) return;
  std::vector<Wish> wishes;
  if (question_.filter) wishes.push_back({&*question_.filter, true});
  wishes.push_back({&*question_.condition, question_.quantifier != Quantifying::ForAll});
  const auto possible = is_possible(wishes, choices);
  answer_.undecided = answer_.undecided || !possible;
  if (!possible.value_or(false)) return;
  settled_ = true;
  answer_.holds = question_.quantifier == Quantifying::Exists;
}

void Inquirer::note_rows(const Choices& choices, const explore::Found& found, bool racy) {
  std::size_t combinations = 1;
  for (const std::vector<std::uint64_t>& each : choices) {
    combinations *= each.size();
    if (combinations <= kMostRows) continue;
    answer_.undecided = true;
    return;
  }
  std::vector<std::size_t> at(choices.size(), 0);
  for (std::size_t which = 0; which < combinations; ++which) {
    std::vector<std::uint64_t> values;
    std::size_t rest = which;
    for (const std::vector<std::uint64_t>& each : choices) {
      values.push_back(each[rest % each.size()]);
      rest /= each.size();
    }
    const bool open = std::any_of(values.begin(), values.end(), is_token);
    if (question_.filter && !open && !satisfies(*question_.filter, values)) continue;
    RowCounts& row = rows_[values];
    row.executions += found.stands_for;
    if (racy) row.racy_executions += found.stands_for;
    if (inquiry_.keep_examples && !row.example) row.example = found.execution;
  }
}

bool Inquirer::has_enough() const {
  if (!inquiry_.verdict_only) return false;
  switch (wanted_) {
    case Wanted::AllExecutions:
      return answer_.racy && knows_condition();
    case Wanted::Races:
      return answer_.racy;
    case Wanted::Outcomes:
      return knows_condition();
  }
  return false;
}

void Inquirer::count(const explore::Found& found) {
  counts_.add(found);
  answer_.executions = counts_.ended();
  answer_.blocked = counts_.blocked();
  answer_.cut = counts_.cut();
}

bool Inquirer::take(const explore::Found& found) {
  if (is_cancelled()) return false;
  if (inquiry_.on_execution) inquiry_.on_execution();
  const Choices choices = final_choices(analysis_.dispatch(), question_, found.judgement);
  if (!passes_filter(choices)) return true;
  const bool racy = found.judgement.racy();
  note_faults(found.ends);
  if (!found.terminated()) {
    ++counted_;
    if (racy) note_race(found);
    count(found);
    knows_all_of_others_ = !inquiry_.verdict_only && answer_.racy && answer_.cut > 0;
    return !has_enough();
  }
  if (inquiry_.limit != 0 && answer_.executions >= inquiry_.limit) {
    limited_ = true;
    return false;
  }
  ++counted_;
  count(found);
  if (racy) note_race(found);
  if (question_.condition) note_condition(choices);
  if (!inquiry_.verdict_only) note_rows(choices, found, racy);
  return !has_enough();
}

Answer Inquirer::finish() {
  for (auto& [values, row] : rows_)
    answer_.rows.push_back({values, explore::Counts::whole(row.executions), explore::Counts::whole(row.racy_executions),
                            std::move(row.example)});
  answer_.cancelled = is_cancelled();
  return std::move(answer_);
}

Answer Inquirer::list() {
  const explore::Statistics all = explore(Wanted::AllExecutions, Idling::Explored);
  answer_.complete = all.complete && !limited_ && !is_cancelled() && answer_.cut == 0 && !answer_.undecided;
  return finish();
}

// First for races, and for outcomes on the way; if there is a race and what was seen does not settle the condition,
// once more for outcomes.
Answer Inquirer::decide() {
  const explore::Statistics first = explore(Wanted::Races, Idling::Once);
  const bool saw_all = first.complete && !stopped_;
  bool knows = knows_condition() || (saw_all && !answer_.racy);
  if (answer_.racy && !knows_condition() && !limited_ && !is_cancelled()) {
    counts_.forget_ended();
    answer_.executions = 0;
    const explore::Statistics second = explore(Wanted::Outcomes, Idling::Once);
    knows = knows_condition() || (second.complete && !stopped_);
  }
  answer_.complete = knows && (answer_.racy || saw_all) && !is_cancelled() && !answer_.undecided;
  return finish();
}

}  // namespace

Answer answer(const Analysis& analysis, const Question& question, const Inquiry& inquiry) {
  Inquirer inquirer(analysis, question, inquiry);
  return inquiry.verdict_only ? inquirer.decide() : inquirer.list();
}

}  // namespace heddle::spirv
