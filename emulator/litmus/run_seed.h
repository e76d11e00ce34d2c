#pragma once

/// \file
/// A seed for each of many runs.

#include <cstdint>

namespace heddle::litmus {

/// SplitMix64's output function (Steele, Lea, Flood 2014): every input has an output of its own.
std::uint64_t mixed(std::uint64_t z);

/// The seed of one run of many: with both numbers the run can be made again by itself.
std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t run);

}  // namespace heddle::litmus
