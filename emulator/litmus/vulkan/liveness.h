#pragma once

/// \file
/// Which registers of a thread may still matter at a point of its code.

#include <vector>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// For each instruction of `thread`, and for its end: whether each register is live just before it,
/// that is, some path from there uses its value, or reaches the end if `observed` has it.
std::vector<std::vector<bool>> live_registers(const Thread& thread, const std::vector<bool>& observed);

}  // namespace heddle::litmus
