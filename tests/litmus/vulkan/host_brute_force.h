#pragma once

/// \file
/// What the memory model allows a host test without branches to do, by trying every reads-from: rules of its own, which
/// share nothing with the judge and the explorer but the parsed test.

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

struct BruteForceAnswer {
  std::set<Outcome> outcomes;
  bool racy = false;
  std::uint64_t executions = 0;
};

/// Nothing if there are more than `most` ways to choose who reads from whom. Of the device it knows plain,
/// non-private and atomic loads and stores, these of the device's scope.
std::optional<BruteForceAnswer> host_brute_force(const Test& test, std::uint64_t most);

}  // namespace heddle::litmus
