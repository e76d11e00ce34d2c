#pragma once

/// \file
/// What is known of whether a litmus test ends, in the words of the test.

#include "emulator/cli/schedule.h"
#include "emulator/litmus/vulkan/termination.h"

namespace heddle::cli {

ToldTermination told(const litmus::Test& test, const litmus::Termination& termination);

}  // namespace heddle::cli
