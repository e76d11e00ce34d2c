#pragma once

/// \file
/// The outcomes that need no load buffering.

#include <set>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// The outcomes of the executions in which program order and reads-from have no cycle together: no read takes
/// what depends on it, so that things could have happened one after the other.
std::set<Outcome> outcomes_without_load_buffering(const Test& test);

}  // namespace heddle::litmus
