#pragma once

/// \file
/// The operation record: the one form in which every access, atomic and barrier of a kernel, a
/// litmus thread or a host agent arrives at the engines (memory, race detector, trace, judge).

#include <heddle/source_location.h>
#include <heddle/spirv.h>

#include <cstdint>

namespace heddle {

/// What an operation does. Source: Vulkan memory model, "Memory Operation", "Memory Semantics",
/// "Availability, Visibility, and Domain Operations".
enum class OperationKind : std::uint8_t {
  Read,
  Write,
  ReadModifyWrite,
  MemoryBarrier,
  ControlBarrier,
  /// Availability operation from every (agent, reference, location) of the device to the device
  /// domain: what a memory dependency does to the writes before it.
  DeviceAvailability,
  /// Visibility operation from the device domain to every (agent, reference, location) of the device.
  DeviceVisibility,
  /// Availability between host agents and the host domain: flushing and invalidating mapped memory.
  HostAvailability,
  HostVisibility,
  /// Memory domain operations.
  HostToDeviceDomain,
  DeviceToHostDomain,
  /// The begin of a fragment shader interlock.
  BeginInvocationInterlock,
  EndInvocationInterlock,
  /// An instruction that creates shader-call-related invocations (tracing a ray, calling a callable).
  ShaderCall,
  /// The end of an allocation (`locations.allocation`).
  Free,
};

/// A dense number that an execution gives to each agent, from 0.
enum class AgentId : std::uint32_t {};

/// A reference (a descriptor, an address range, a variable): two may name the same bytes.
//= vk:memory-model-references
enum class ReferenceId : std::uint32_t {};

/// One allocation: bytes that no other allocation has.
enum class AllocationId : std::uint32_t {};

/// A set of memory locations: `size_bytes` bytes of one allocation.
//= vk:memory-model-memory-location
struct Locations {
  AllocationId allocation{};
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;

  friend bool operator==(const Locations&, const Locations&) = default;
  bool overlaps(const Locations& o) const {
    return allocation == o.allocation && offset_bytes < o.offset_bytes + o.size_bytes &&
           o.offset_bytes < offset_bytes + size_bytes;
  }
};

/// A set of memory model relaxation tags (prefix:suffix), interned by the model; 0 is the empty set.
enum class TagSetId : std::uint32_t { Empty = 0 };

/// Everything the memory model knows about one dynamic instance of an instruction.
struct Operation {
  OperationKind kind = OperationKind::Read;
  bool atomic = false;
  AgentId agent{};

  /// What an access touches.
  StorageClass storage_class = StorageClass::StorageBuffer;
  ReferenceId reference{};
  Locations locations;

  /// The memory scope and semantics of an atomic or a barrier. The acquire side of a read-modify-write belongs to its
  /// read, the release side to its write.
  Scope scope = Scope::Invocation;
  MemorySemantics semantics = MemorySemantics::Relaxed;

  /// The memory operands of a non-atomic access, and the scopes of MakePointerAvailable and
  /// MakePointerVisible. Texel forms are mapped to the pointer forms.
  MemoryOperands operands = MemoryOperands::None;
  Scope available_scope = Scope::Invocation;
  Scope visible_scope = Scope::Invocation;

  /// Who waits at a control barrier, and which dynamic instance of which barrier it is. Two agents
  /// meet if and only if their numbers are equal, so the number also tells apart the scope instances
  /// in which the same instruction is executed.
  Scope execution_scope = Scope::Workgroup;
  std::uint64_t barrier_instance = 0;

  TagSetId tags = TagSetId::Empty;
  SourceLocation where;

  //= vk:memory-model-access-access
  bool is_access() const { return kind <= OperationKind::ReadModifyWrite; }
  //= vk:memory-model-access-read
  bool reads() const { return kind == OperationKind::Read || kind == OperationKind::ReadModifyWrite; }
  //= vk:memory-model-access-write
  bool writes() const { return kind == OperationKind::Write || kind == OperationKind::ReadModifyWrite; }
  /// Whether it is a fence: a memory barrier, or a control barrier that orders memory.
  bool is_memory_barrier() const {
    return kind == OperationKind::MemoryBarrier ||
           (kind == OperationKind::ControlBarrier && (acquires(semantics) || releases(semantics)));
  }
  bool is_barrier() const { return kind == OperationKind::MemoryBarrier || kind == OperationKind::ControlBarrier; }
  /// Whether it is an availability, visibility or domain operation of the API.
  //= vk:memory-model-vulkan-availability-visibility
  bool is_domain_operation() const {
    return kind >= OperationKind::DeviceAvailability && kind <= OperationKind::DeviceToHostDomain;
  }
  /// Atomics are always non-private.
  //= vk:memory-model-non-private
  bool is_non_private() const { return atomic || non_private(operands); }
};

}  // namespace heddle
