#pragma once

/// \file
/// `heddle mutate` of a litmus test.

#include <string>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

/// Weakens one ordering of the test after the other, explores it each time, and prints which its assertion and its
/// absence of races depend on. 0 if each that matters is noticed, 1 if the assertion misses one, 2 if it is no test of
/// the Vulkan dialect or orders nothing, 130 if it was interrupted.
ExitCode mutate_litmus_test(const std::string& file);

}  // namespace heddle::cli
