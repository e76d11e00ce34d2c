#pragma once

/// \file
/// Which control barriers of a test are one: numbers for their names, and for their dynamic instances.

#include <heddle/operation.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// The name that an arrival at a control barrier comes with, evaluated.
struct BarrierArrival {
  std::string id;
  bool named = false;
  std::string resource_word;
  Integer resource = 0;
};

/// The arrival at a barrier of that name when its resource, where the name has one that is a value, is `resource`.
BarrierArrival arrival_at(const BarrierName& name, Integer resource);

/// The control barriers of one test. Threads meet at a barrier if they are in one workgroup and
/// come with equal names, each for the k-th time.
class Barriers {
 public:
  explicit Barriers(const Test& test) : test_(test) {}

  /// A small number for a name: equal for equal names that threads of one workgroup come with.
  std::uint32_t number(std::uint32_t thread, const BarrierArrival& arrival);

  /// A number that exactly the arrivals at one dynamic instance share: those of threads that arrived at the
  /// name `count` times before.
  std::uint64_t instance(std::uint32_t number, std::uint64_t count);

  /// The threads of the workgroup whose code contains a barrier of that name, ascending. A resource
  /// that a thread computes may turn out to be any.
  const std::vector<AgentId>& participants(std::uint32_t number) const { return names_[number].participants; }

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::string, bool, std::string, Integer>;
  struct Name {
    std::vector<AgentId> participants;
    std::vector<std::uint64_t> instances;
  };

  const Test& test_;
  std::map<Key, std::uint32_t> numbers_;
  std::vector<Name> names_;
  std::uint64_t instances_ = 0;
};

}  // namespace heddle::litmus
