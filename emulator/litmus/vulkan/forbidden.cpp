#include "emulator/litmus/vulkan/forbidden.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "emulator/litmus/candidates.h"
#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/program.h"

namespace heddle::litmus {
namespace {

// Enough for what people write.
constexpr CandidateLimits kLimits{5000, 20000};
// Outcomes that nobody asked about are listed as long as that takes no time that anybody waits.
constexpr CandidateLimits kLimitsOfAll{5000, 3000};

/// How far a candidate is from being consistent, nearest first.
using Distance = std::tuple<std::size_t, std::size_t, std::size_t>;
// One axiom, and two operations that contradict each other.
constexpr Distance kNearest{1, 2, 2};

Distance distance_of(const judge::Judgement& judgement, const std::vector<judge::Violation>& violations) {
  if (violations.empty()) return {0, 0, 0};
  return {violations.size(), judgement.operations_on_cycles(), violations.front().cycle.size()};
}

/// The only outcome of which a condition holds, if it compares each observable with a number.
std::optional<Outcome> only_outcome(const Test& test, const Assertion& condition) {
  std::map<std::size_t, Integer> values;
  const auto add = [&](const Assertion& part) {
    const bool equals = part.kind == Assertion::Kind::Compare && part.comparison == Comparison::Equal;
    if (!equals || part.left.observed == part.right.observed) return;
    const bool left = part.left.observed;
    values.emplace(left ? part.left.observable : part.right.observable,
                   left ? part.right.constant : part.left.constant);
  };
  if (condition.kind == Assertion::Kind::All) {
    for (const Assertion& part : condition.operands) add(part);
  } else {
    add(condition);
  }
  if (values.size() != test.observables.size()) return std::nullopt;
  Outcome outcome;
  for (const auto& [observable, value] : values) outcome.push_back(value);
  return satisfies(outcome, condition) ? std::optional(outcome) : std::nullopt;
}

/// Collects the closest candidate of each outcome that no execution has.
class NearOutcomes {
 public:
  NearOutcomes(const Test& test, const Question& question, const Answer& answer)
      : test_(test), question_(question), model_(explorer_options(question).model) {
    for (const OutcomeRow& row : answer.outcomes) allowed_.insert(row.values);
    for (const Observable& observable : test.observables)
      registers_alone_ = registers_alone_ && observable.kind == Observable::Kind::Register;
  }

  ForbiddenOutcomes collect(std::size_t most);

 private:
  struct Closest {
    Distance distance;
    model::Execution execution;
    std::vector<judge::Violation> violations;
  };

  bool matters(const Outcome& state) const {
    if (allowed_.count(state) != 0 || (test_.filter && !satisfies(state, *test_.filter))) return false;
    if (asked_alone_ && !is_asked(test_, state)) return false;
    const auto known = found_.find(state);
    return known == found_.end() || known->second.distance > kNearest;
  }
  bool enumerate(const CandidateLimits& limits);
  bool knows_asked() const;
  bool may_matter(const std::vector<std::vector<explore::Value>>& results) const;
  void look(const model::Execution& execution, const std::vector<std::vector<explore::Value>>& results);
  void add_asked(ForbiddenOutcomes& all) const;
  std::set<Outcome> from_thin_air() const;

  const Test& test_;
  const Question& question_;
  const judge::Options model_;
  std::set<Outcome> allowed_;
  bool registers_alone_ = true;
  bool complete_ = true;
  /// Whether what the assertion does not ask about is passed over.
  bool asked_alone_ = false;
  std::map<Outcome, Closest> found_;
};

// Where registers are all that is observed, what the threads do says the outcome already.
bool NearOutcomes::may_matter(const std::vector<std::vector<explore::Value>>& results) const {
  if (!registers_alone_) return true;
  Outcome state;
  for (const Observable& observable : test_.observables)
    state.push_back(static_cast<Integer>(results[observable.thread][observable.index]));
  return matters(state);
}

void NearOutcomes::look(const model::Execution& execution, const std::vector<std::vector<explore::Value>>& results) {
  const judge::Judgement judgement(execution, model_);
  const std::vector<Outcome> states = final_states(test_, judgement, results);
  if (std::none_of(states.begin(), states.end(), [&](const Outcome& state) { return matters(state); })) return;
  const std::vector<judge::Violation> violations = judgement.violations();
  const Distance distance = distance_of(judgement, violations);
  for (const Outcome& state : states) {
    if (!matters(state)) continue;
    const auto known = found_.find(state);
    if (known != found_.end() && known->second.distance <= distance) continue;
    found_.insert_or_assign(state, Closest{distance, execution, violations});
  }
}

void NearOutcomes::add_asked(ForbiddenOutcomes& all) const {
  if (!test_.assertion || test_.quantifier == Quantifier::ForAll) return;
  const std::optional<Outcome> asked = only_outcome(test_, *test_.assertion);
  if (!asked || !matters(*asked) || found_.count(*asked) != 0) return;
  ForbiddenOutcome& outcome = all.outcomes.emplace_back();
  outcome.values = *asked;
  outcome.obstacle = complete_ ? Obstacle::NoValue : Obstacle::Unknown;
}

// What values that are their own source lead to, if some candidate breaks no axiom.
std::set<Outcome> NearOutcomes::from_thin_air() const {
  std::set<Outcome> outcomes;
  const bool any =
      std::any_of(found_.begin(), found_.end(), [](const auto& one) { return one.second.violations.empty(); });
  if (!any || question_.thin_air) return outcomes;
  Question question = question_;
  question.thin_air = true;
  question.limit = kLimitsOfAll.candidates;
  question.keep_examples = false;
  for (const OutcomeRow& row : answer(test_, question).outcomes) outcomes.insert(row.values);
  return outcomes;
}

// Looks at candidates; whether these were all.
bool NearOutcomes::enumerate(const CandidateLimits& limits) {
  const TestProgram program(test_, question_.bound);
  return enumerate_candidates(
      program.program(), limits, [&](const auto& results) { return may_matter(program.results(results)); },
      [&](const Candidate& candidate) {
        look(candidate.execution, program.results(candidate.results));
        return true;
      });
}

bool NearOutcomes::knows_asked() const {
  const auto asked = [&](const Outcome& outcome) { return is_asked(test_, outcome); };
  return std::any_of(allowed_.begin(), allowed_.end(), asked) ||
         std::any_of(found_.begin(), found_.end(), [&](const auto& one) { return asked(one.first); });
}

ForbiddenOutcomes NearOutcomes::collect(std::size_t most) {
  complete_ = enumerate(kLimitsOfAll);
  if (!complete_ && test_.assertion && !knows_asked()) {
    asked_alone_ = true;
    enumerate(kLimits);
    asked_alone_ = false;
  }
  ForbiddenOutcomes all;
  all.complete = complete_;
  add_asked(all);
  const std::set<Outcome> from_thin_air = this->from_thin_air();
  for (auto& [values, closest] : found_) {
    ForbiddenOutcome& outcome = all.outcomes.emplace_back();
    outcome.values = values;
    outcome.obstacle = !closest.violations.empty()        ? Obstacle::Axioms
                       : from_thin_air.count(values) != 0 ? Obstacle::ThinAir
                                                          : Obstacle::Unknown;
    outcome.closest = std::move(closest.execution);
    outcome.violations = std::move(closest.violations);
  }
  std::stable_sort(all.outcomes.begin(), all.outcomes.end(),
                   [&](const auto& a, const auto& b) { return is_asked(test_, a.values) > is_asked(test_, b.values); });
  if (all.outcomes.size() > most) {
    all.outcomes.resize(most);
    all.complete = false;
  }
  return all;
}

}  // namespace

ForbiddenSearch find_forbidden(const Test& test, const Question& question,
                               const std::function<bool(const Outcome&)>& wanted) {
  const judge::Options model = explorer_options(question).model;
  const TestProgram program(test, question.bound);
  ForbiddenSearch search;
  std::optional<Distance> closest;
  const auto look = [&](const Candidate& candidate) {
    const judge::Judgement judgement(candidate.execution, model);
    const std::vector<Outcome> states = final_states(test, judgement, program.results(candidate.results));
    if (std::none_of(states.begin(), states.end(), wanted)) return true;
    const std::vector<judge::Violation> violations = judgement.violations();
    if (violations.empty()) return true;
    const Distance distance = distance_of(judgement, violations);
    if (closest && *closest <= distance) return true;
    closest = distance;
    search.example = ForbiddenExample{candidate.execution, violations.front()};
    return distance > kNearest;
  };
  search.all = enumerate_candidates(program.program(), kLimits, {}, look) || (closest && *closest <= kNearest);
  return search;
}

ForbiddenOutcomes find_forbidden_outcomes(const Test& test, const Question& question, const Answer& answer,
                                          std::size_t most) {
  return NearOutcomes(test, question, answer).collect(most);
}

bool is_asked(const Test& test, const Outcome& outcome) {
  return test.assertion && satisfies(outcome, *test.assertion) != (test.quantifier == Quantifier::ForAll);
}

}  // namespace heddle::litmus
