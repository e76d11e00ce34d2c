#pragma once

/// \file
/// What instructions of a subgroup compute of the values that its lanes give.

#include <cstdint>
#include <vector>

#include "emulator/spirv/dispatch.h"

namespace heddle::spirv {

/// What one lane knows when it has met the others.
struct GroupQuestion {
  const ExchangeInfo& info;
  /// The lanes that take part, a bit each; and which one asks.
  std::uint64_t lanes = 0;
  std::uint32_t lane = 0;
  std::uint32_t subgroup_size = 1;
  /// What the lanes gave, one behind the other.
  const std::vector<std::uint64_t>& given;
  const std::vector<std::uint64_t>& extra;
};

/// The results of the lane that asks.
std::vector<std::uint64_t> group_results(const GroupQuestion& question);

/// A bit for each lane of the invocation's subgroup.
std::uint64_t lanes_with(const Dispatch& dispatch, std::uint32_t agent);
/// The lane of an invocation.
std::uint32_t lane_of(const Dispatch& dispatch, std::uint32_t agent);
/// The lane of the n-th bit that is set.
std::uint32_t nth_lane(std::uint64_t lanes, std::size_t n);

}  // namespace heddle::spirv
