#pragma once

/// \file
/// Which outcomes of a C or Mu test no execution has, and which rules the closest execution breaks.

#include <vector>

#include "emulator/litmus/c/answer.h"

namespace heddle::litmus::c {

/// An outcome that no execution has, and of those that would end so and break rules the one that breaks the fewest.
struct ForbiddenOutcome {
  Outcome values;
  mu::Execution execution;
  std::vector<mu::Violation> violations;
};

/// The outcomes that `answer` does not have, and that loads could lead to if they saw any store of their location. What
/// the filter discards is not among them. Looks at some thousands of executions. `answer` is the answer to this
/// question, and is complete.
std::vector<ForbiddenOutcome> find_forbidden_outcomes(const Test& test, const Question& question, const Answer& answer);

/// Whether the assertion asks about this outcome: whether its condition holds, or with `forall` does not hold.
bool is_asked(const Test& test, const Outcome& outcome);

}  // namespace heddle::litmus::c
