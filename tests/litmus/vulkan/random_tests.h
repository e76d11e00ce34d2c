#pragma once

/// \file
/// Random tests of the Vulkan dialect, as texts: messages that lack something, and soups of instructions.

#include <cstdint>
#include <string>

namespace heddle::litmus {

/// A seed makes one test; odd ones are spelled as calls.
std::string random_litmus_test(std::uint64_t seed);

}  // namespace heddle::litmus
