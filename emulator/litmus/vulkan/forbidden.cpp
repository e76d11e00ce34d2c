#include "emulator/litmus/vulkan/forbidden.h"

#include <algorithm>

#include "emulator/litmus/candidates.h"
#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/program.h"

namespace heddle::litmus {

ForbiddenSearch find_forbidden(const Test& test, const Question& question,
                               const std::function<bool(const Outcome&)>& wanted) {
  // Enough for what people write.
  const CandidateLimits limits{5000, 20000};
  const judge::Options model = explorer_options(question).model;
  ForbiddenSearch search;
  bool shortest = false;
  const auto look = [&](const Candidate& candidate) {
    const judge::Judgement judgement(candidate.execution, model);
    const std::vector<Outcome> states = final_states(test, judgement, candidate.results);
    if (std::none_of(states.begin(), states.end(), wanted)) return true;
    const std::optional<judge::Violation> violation = judgement.violation();
    if (!violation) return true;
    if (search.example && violation->cycle.size() >= search.example->violation.cycle.size()) return true;
    search.example = ForbiddenExample{candidate.execution, *violation};
    // Nothing is shorter than two operations that contradict each other.
    shortest = violation->cycle.size() <= 2;
    return !shortest;
  };
  const TestProgram program(test, question.bound);
  search.all = enumerate_candidates(program.program(), limits, {}, look) || shortest;
  return search;
}

}  // namespace heddle::litmus
