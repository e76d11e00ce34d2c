#pragma once

/// \file
/// Which outcomes of a test cannot come up on the weak machine, and why.

#include <string>
#include <vector>

#include <heddle/memory_policy.h>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// Why no run on a machine of that policy ends with each of these outcomes, which the memory model allows; empty where
/// one may.
/// Explores the test once more. Where that is not complete within the question's bounds, and of host tests, nothing is
/// claimed.
std::vector<std::string> why_kept_back(const Test& test, const Question& question, const MemoryPolicy& policy,
                                       const std::vector<Outcome>& outcomes);

}  // namespace heddle::litmus
