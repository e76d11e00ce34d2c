#include "emulator/cli/litmus_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/litmus/candidates.h"
#include "emulator/litmus/final_state.h"
#include "emulator/litmus/program.h"

namespace heddle::cli {

judge::NameOfOperation name_operations(const litmus::Test& test,
                                       const model::Execution& execution) {
  return [&test, &execution](model::OperationIndex index) -> std::string {
    if (index >= execution.operations.size()) return "the initial value";
    const Operation& operation = execution.operations[index];
    return fmt::format("{}'s `{}` (line {})",
                       test.threads[static_cast<std::size_t>(operation.agent)].name(),
                       operation.where.function, operation.where.line);
  };
}

std::string explain_race(const judge::Judgement& judgement, const litmus::RaceExample& race,
                         const judge::NameOfOperation& name_of) {
  std::string out = fmt::format("{} races with {}.\n", name_of(race.first), name_of(race.second));
  if (const auto reason = judgement.why_unordered(race.first, race.second)) {
    out += fmt::format("The first missing link: {}.\n", judge::explain(*reason, name_of));
  }
  return out;
}

namespace {

/// A search for the candidate that is forbidden for the simplest reason.
class ForbiddenSearch {
 public:
  ForbiddenSearch(const litmus::Test& test, const litmus::Question& question, bool negated)
      : test_(test), question_(question), negated_(negated) {}

  std::string explain();

 private:
  bool asked_for(const judge::Judgement& judgement,
                 const std::vector<std::vector<explore::Value>>& results) const;
  bool look(const litmus::Candidate& candidate);

  const litmus::Test& test_;
  const litmus::Question& question_;
  bool negated_;
  std::size_t shortest_ = 0;
  std::string reason_;
};

bool ForbiddenSearch::asked_for(const judge::Judgement& judgement,
                                const std::vector<std::vector<explore::Value>>& results) const {
  const auto states = litmus::final_states(test_, judgement, results);
  return std::any_of(states.begin(), states.end(), [&](const litmus::Outcome& state) {
    if (test_.filter && !satisfies(state, *test_.filter)) return false;
    return satisfies(state, *test_.assertion) != negated_;
  });
}

bool ForbiddenSearch::look(const litmus::Candidate& candidate) {
  const judge::Judgement judgement(candidate.execution, litmus::explorer_options(question_).model);
  if (!asked_for(judgement, candidate.results)) return true;
  const auto violation = judgement.violation();
  if (!violation) return true;
  if (!reason_.empty() && violation->cycle.size() >= shortest_) return true;
  shortest_ = violation->cycle.size();
  reason_ = judge::explain(*violation, name_operations(test_, candidate.execution)) + '\n';
  // Nothing is shorter than two operations that contradict each other.
  return shortest_ > 2;
}

std::string ForbiddenSearch::explain() {
  const litmus::TestProgram program(test_, question_.bound);
  // Enough for what people write; an explanation must not take longer than the answer.
  const litmus::CandidateLimits limits{5000, 20000};
  const bool all = litmus::enumerate_candidates(
      program.program(), limits, {},
      [&](const litmus::Candidate& candidate) { return look(candidate); });
  if (!reason_.empty()) return reason_;
  return all ? "No choice of reads-from and modification order leads to these values at all: the "
               "threads never compute them (values out of thin air are not listed).\n"
             : "No short reason was found among the candidates that were tried.\n";
}

}  // namespace

std::string explain_forbidden(const litmus::Test& test, const litmus::Question& question,
                              bool negated) {
  return ForbiddenSearch(test, question, negated).explain();
}

}  // namespace heddle::cli
