#pragma once

/// \file
/// Which loads may be answered late: after instructions that follow them.

#include <vector>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// By register: whether its value is still to come.
using LateRegisters = std::vector<bool>;

/// Whether the instruction at `at` has to wait for the late values: it reads such a register or sets one, it
/// may end the thread or a control-flow path in a way that shows registers, or others meet it.
bool needs_late_values(const Thread& thread, std::size_t at, const LateRegisters& late);

/// By instruction: whether it is a load that may be answered after some store that follows it.
std::vector<bool> postponable_loads(const Test& test, const Thread& thread);

}  // namespace heddle::litmus
