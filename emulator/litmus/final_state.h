#pragma once

/// \file
/// The final values that an execution leads to.

#include <vector>

#include "emulator/explore/explore.h"
#include "emulator/litmus/runner.h"
#include "emulator/litmus/test.h"

namespace heddle::litmus {

/// Every combination of final values, one for each observable of the test, that may be seen after
/// an execution: registers have one, a variable that unordered writes leave undecided has several.
std::vector<Outcome> final_states(const Test& test, const judge::Judgement& judgement,
                                  const std::vector<std::vector<explore::Value>>& results);

/// The final values of a runner's last run; of variables those that memory settled on. Into
/// `outcome`, whose room is used again.
void settled_outcome(const Test& test, const Runner& runner, Outcome& outcome);

}  // namespace heddle::litmus
