#pragma once

/// \file
/// What a test can do on sequentially consistent memory: what is left is weak.

#include <cstdint>
#include <optional>
#include <set>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// The outcomes of all interleavings of a test's threads (terminated, and passing the filter), as the
/// final values of memory that has one copy of everything. Nothing if there are more than
/// `most_runs` essentially different interleavings to try.
std::optional<std::set<Outcome>> interleaved_outcomes(const Test& test, std::uint64_t bound, std::uint64_t most_runs);

}  // namespace heddle::litmus
