#pragma once

/// \file
/// Every subgroup operation is tried on subgroups of every size, with some or all lanes active.

#include "tests/device_under_test.h"

#include <functional>

namespace heddle::test {

inline constexpr std::uint32_t kSizes[] = {1, 2, 4, 8, 16, 32, 64, 128};

/// Which lanes take part: all, every third, the upper half, one.
inline constexpr std::uint32_t kActivities = 4;
constexpr bool active(std::uint32_t activity, std::uint32_t lane, std::uint32_t size) {
  switch (activity) {
    case 0:
      return true;
    case 1:
      return lane % 3 == 1;
    case 2:
      return lane >= size / 2;
    default:
      return lane == size / 3;
  }
}

inline DeviceOptions subgroups_of(Mode mode, std::uint32_t size) {
  DeviceOptions options = options_for(mode);
  options.subgroup_size = size;
  return options;
}

/// The active lanes, in order.
inline std::vector<std::uint32_t> active_lanes(std::uint32_t activity, std::uint32_t size) {
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t lane = 0; lane < size; ++lane) {
    if (active(activity, lane, size)) lanes.push_back(lane);
  }
  return lanes;
}

/// Runs `operation(inv, value)` in the active lanes of one subgroup and gives the results; what
/// inactive lanes have is `rest`.
template <typename Out, typename In, typename Operation>
std::vector<Out> run_active(Device& device, const std::vector<In>& values, std::uint32_t activity, Out rest,
                            Operation operation) {
  const auto size = static_cast<std::uint32_t>(values.size());
  auto in = device.buffer(values, "in");
  auto out = device.buffer(std::vector<Out>(size, rest), "out");
  const auto kernel = [operation](auto& inv, auto x, auto results, std::uint32_t which) {
    const auto lane = inv.subgroup_local_invocation_id();
    const In mine = x[lane];
    if (active(which, lane, inv.subgroup_size())) results[lane] = operation(inv, mine);
  };
  device.dispatch(kernel, {1}, {size}, in, out, activity);
  return out.read();
}

}  // namespace heddle::test
