#pragma once

/// \file
/// The final values that an execution leads to.

#include <vector>

#include "emulator/explore/explore.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// Every combination of final values, one for each observable of the test, that may be seen after
/// an execution: registers have one, a variable that unordered writes leave undecided has several.
std::vector<Outcome> final_states(const Test& test, const judge::Judgement& judgement,
                                  const std::vector<std::vector<explore::Value>>& results);

}  // namespace heddle::litmus
