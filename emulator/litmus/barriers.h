#pragma once

/// \file
/// Which control barriers of a test are one: numbers for their dynamic instances.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/litmus/test.h"

namespace heddle::litmus {

/// What an arrival at a control barrier comes with: its name, evaluated, and how often its thread
/// has arrived at that name before.
struct BarrierArrival {
  std::string id;
  bool named = false;
  std::string resource_word;
  Integer resource = 0;
  std::uint64_t count = 0;
};

/// The control barriers of one test. Threads meet at a barrier if they are in one workgroup and
/// come with equal names, each for the k-th time.
class Barriers {
 public:
  explicit Barriers(const Test& test) : test_(test) {}

  /// A number that exactly the arrivals at one dynamic instance share.
  std::uint64_t instance(std::uint32_t thread, const BarrierArrival& arrival);

  /// The threads of the workgroup whose code contains a barrier of that name, ascending. A resource
  /// that a thread computes may turn out to be any.
  std::vector<std::uint32_t> participants(std::uint32_t thread,
                                          const BarrierArrival& arrival) const;

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::string, bool, std::string, Integer,
                         std::uint64_t>;

  const Test& test_;
  std::map<Key, std::uint64_t> instances_;
};

}  // namespace heddle::litmus
