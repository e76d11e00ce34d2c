#pragma once

/// \file
/// What a device tells of its dispatches beside their operations: who is who, and what is called how.

#include <heddle/operation.h>
#include <heddle/vector.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle {
struct Coordinates;
}

namespace heddle::trace {

/// The invocations of a dispatch are the agents from `first_agent` on: workgroup by workgroup, x fastest, and
/// within a workgroup by local invocation index.
struct Dispatch {
  /// Its number among the dispatches of the device, from 0.
  std::uint64_t number = 0;
  std::uint32_t first_agent = 0;
  uvec3 groups{};
  uvec3 local{};
  /// The id of the first workgroup.
  uvec3 base{};
  std::uint32_t subgroup_size = 1;
  /// By local invocation index the position of which subgroup and lane follow; empty where it is the index.
  std::span<const std::uint32_t> positions;

  std::uint64_t group_size() const { return std::uint64_t{local.x} * local.y * local.z; }
  std::uint64_t invocations() const { return group_size() * groups.x * groups.y * groups.z; }
};

/// Where the agent, which is one of the dispatch, is in it.
Coordinates coordinates_of(const Dispatch& dispatch, AgentId agent);

/// Bytes that people have a name for: a buffer, an image, a variable of a workgroup. One allocation may
/// have several, and the same may come again.
struct NamedBytes {
  AllocationId allocation{};
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  ReferenceId reference{};
  StorageClass storage_class = StorageClass::StorageBuffer;
  std::string_view name;
};

}  // namespace heddle::trace
