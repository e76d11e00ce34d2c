#pragma once

/// \file
/// The names and numeric values of SPIR-V that the memory model speaks of, and the questions that
/// may be asked of them. Source: SPIR-V 1.6, section 3 ("Binary Form": Scope, Memory Semantics,
/// Storage Class, Memory Operands, Image Operands); the questions follow the Vulkan memory model.

#include <heddle/detail/language.h>

#include <cstdint>
#include <string_view>

namespace heddle {

/// A set of invocations that an instruction is atomic with, or synchronizes with.
/// The numeric values say nothing about width (`QueueFamily` is 5 and wider than `Workgroup`, 2):
/// compare scopes with `includes`, never with `<`.
enum class Scope : std::uint32_t {
  CrossDevice = 0,
  Device = 1,
  Workgroup = 2,
  Subgroup = 3,
  Invocation = 4,
  QueueFamily = 5,
  ShaderCallKHR = 6,
  /// The scope of OpBegin/EndInvocationInterlockEXT. SPIR-V gives it no operand value, because no
  /// instruction may name it; this one lies outside the range that SPIR-V hands out.
  FragmentInterlock = 0x7fff0001,
};

/// Memory order, storage-class semantics and availability/visibility flags of one instruction.
enum class MemorySemantics : std::uint32_t {
  Relaxed = 0x0,
  None = 0x0,
  Acquire = 0x2,
  Release = 0x4,
  AcquireRelease = 0x8,
  SequentiallyConsistent = 0x10,
  UniformMemory = 0x40,
  SubgroupMemory = 0x80,
  WorkgroupMemory = 0x100,
  CrossWorkgroupMemory = 0x200,
  AtomicCounterMemory = 0x400,
  ImageMemory = 0x800,
  OutputMemory = 0x1000,
  MakeAvailable = 0x2000,
  MakeVisible = 0x4000,
  Volatile = 0x8000,
};

enum class StorageClass : std::uint32_t {
  UniformConstant = 0,
  Input = 1,
  Uniform = 2,
  Output = 3,
  Workgroup = 4,
  CrossWorkgroup = 5,
  Private = 6,
  Function = 7,
  Generic = 8,
  PushConstant = 9,
  AtomicCounter = 10,
  Image = 11,
  StorageBuffer = 12,
  CallableDataKHR = 5328,
  IncomingCallableDataKHR = 5329,
  RayPayloadKHR = 5338,
  HitAttributeKHR = 5339,
  IncomingRayPayloadKHR = 5342,
  ShaderRecordBufferKHR = 5343,
  PhysicalStorageBuffer = 5349,
};

/// Operands of OpLoad, OpStore and OpCopyMemory.
enum class MemoryOperands : std::uint32_t {
  None = 0x0,
  Volatile = 0x1,
  Aligned = 0x2,
  Nontemporal = 0x4,
  MakePointerAvailable = 0x8,
  MakePointerVisible = 0x10,
  NonPrivatePointer = 0x20,
};

/// Operands of OpImageRead and OpImageWrite (those that the memory model speaks of).
enum class ImageOperands : std::uint32_t {
  None = 0x0,
  MakeTexelAvailable = 0x100,
  MakeTexelVisible = 0x200,
  NonPrivateTexel = 0x400,
  VolatileTexel = 0x800,
  Nontemporal = 0x4000,
};

bool operator<(Scope, Scope) = delete;
bool operator>(Scope, Scope) = delete;
bool operator<=(Scope, Scope) = delete;
bool operator>=(Scope, Scope) = delete;

namespace detail {

template <typename E>
constexpr std::uint32_t bits(E e) {
  return static_cast<std::uint32_t>(e);
}

/// Width of a scope for `includes`; only the order of the numbers means something.
/// ShaderCallKHR sits "at an implementation-dependent location [...] not broader than the queue
/// family instance" (vk:memory-model-availability-visibility); heddle puts it, like
/// FragmentInterlock, between QueueFamily and Workgroup.
constexpr int scope_width(Scope scope) {
  switch (scope) {
    case Scope::CrossDevice:
      return 7;
    case Scope::Device:
      return 6;
    case Scope::QueueFamily:
      return 5;
    case Scope::FragmentInterlock:
      return 4;
    case Scope::ShaderCallKHR:
      return 3;
    case Scope::Workgroup:
      return 2;
    case Scope::Subgroup:
      return 1;
    case Scope::Invocation:
      return 0;
  }
  return -1;
}

}  // namespace detail

#define HEDDLE_BITMASK(E)                                     \
  constexpr E operator|(E a, E b) {                           \
    return static_cast<E>(detail::bits(a) | detail::bits(b)); \
  }                                                           \
  constexpr E operator&(E a, E b) {                           \
    return static_cast<E>(detail::bits(a) & detail::bits(b)); \
  }                                                           \
  constexpr E operator~(E a) {                                \
    return static_cast<E>(~detail::bits(a));                  \
  }                                                           \
  constexpr E& operator|=(E& a, E b) {                        \
    return a = a | b;                                         \
  }                                                           \
  /** Whether `set` has every bit of `wanted`. */             \
  constexpr bool has(E set, E wanted) {                       \
    return (set & wanted) == wanted;                          \
  }

HEDDLE_BITMASK(MemorySemantics)
HEDDLE_BITMASK(MemoryOperands)
HEDDLE_BITMASK(ImageOperands)
#undef HEDDLE_BITMASK

/// Whether an instance of `wide` that contains an agent contains that agent's instance of `narrow`.
/// `includes(s, s)` is true.
constexpr bool includes(Scope wide, Scope narrow) {
  return detail::scope_width(wide) >= detail::scope_width(narrow);
}

/// The bits that say how an instruction orders memory; at most one may be set.
inline constexpr MemorySemantics kOrderBits = MemorySemantics::Acquire | MemorySemantics::Release |
                                              MemorySemantics::AcquireRelease | MemorySemantics::SequentiallyConsistent;

/// The bits that say which storage classes an instruction orders.
inline constexpr MemorySemantics kStorageClassBits =
    MemorySemantics::UniformMemory | MemorySemantics::SubgroupMemory | MemorySemantics::WorkgroupMemory |
    MemorySemantics::CrossWorkgroupMemory | MemorySemantics::AtomicCounterMemory | MemorySemantics::ImageMemory |
    MemorySemantics::OutputMemory;

/// Whether a read, read-modify-write or barrier with these semantics is an acquire.
//= vk:memory-model-memory-semantics
constexpr bool acquires(MemorySemantics s) {
  return (s & (MemorySemantics::Acquire | MemorySemantics::AcquireRelease | MemorySemantics::SequentiallyConsistent)) !=
         MemorySemantics::None;
}

/// Whether a write, read-modify-write or barrier with these semantics is a release.
//= vk:memory-model-memory-semantics
constexpr bool releases(MemorySemantics s) {
  return (s & (MemorySemantics::Release | MemorySemantics::AcquireRelease | MemorySemantics::SequentiallyConsistent)) !=
         MemorySemantics::None;
}

/// The storage classes that an instruction with these semantics constrains.
constexpr MemorySemantics storage_classes(MemorySemantics s) {
  return s & kStorageClassBits;
}

/// The storage-class semantic that applies to accesses to `storage_class`; `None` where the memory
/// model has none (memory that one invocation owns, or that no shader writes).
//= vk:memory-model-memory-semantics
constexpr MemorySemantics semantic_of(StorageClass storage_class) {
  switch (storage_class) {
    case StorageClass::Uniform:
    case StorageClass::StorageBuffer:
    case StorageClass::PhysicalStorageBuffer:
    case StorageClass::ShaderRecordBufferKHR:
      return MemorySemantics::UniformMemory;
    case StorageClass::Workgroup:
      return MemorySemantics::WorkgroupMemory;
    case StorageClass::Image:
      return MemorySemantics::ImageMemory;
    case StorageClass::Output:
      return MemorySemantics::OutputMemory;
    case StorageClass::CrossWorkgroup:
      return MemorySemantics::CrossWorkgroupMemory;
    case StorageClass::AtomicCounter:
      return MemorySemantics::AtomicCounterMemory;
    case StorageClass::UniformConstant:
    case StorageClass::Input:
    case StorageClass::Private:
    case StorageClass::Function:
    case StorageClass::Generic:
    case StorageClass::PushConstant:
    case StorageClass::CallableDataKHR:
    case StorageClass::IncomingCallableDataKHR:
    case StorageClass::RayPayloadKHR:
    case StorageClass::HitAttributeKHR:
    case StorageClass::IncomingRayPayloadKHR:
      break;
  }
  return MemorySemantics::None;
}

/// Whether a non-atomic access with these operands is non-private. MakePointerAvailable and
/// MakePointerVisible imply it.
//= vk:memory-model-non-private
constexpr bool non_private(MemoryOperands o) {
  return (o & (MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerAvailable |
               MemoryOperands::MakePointerVisible)) != MemoryOperands::None;
}

/// SPIR-V's spelling of a value; "?" for a number that SPIR-V does not define.
constexpr std::string_view name_of(Scope scope) {
  switch (scope) {
    case Scope::CrossDevice:
      return "CrossDevice";
    case Scope::Device:
      return "Device";
    case Scope::Workgroup:
      return "Workgroup";
    case Scope::Subgroup:
      return "Subgroup";
    case Scope::Invocation:
      return "Invocation";
    case Scope::QueueFamily:
      return "QueueFamily";
    case Scope::ShaderCallKHR:
      return "ShaderCallKHR";
    case Scope::FragmentInterlock:
      return "FragmentInterlock";
  }
  return "?";
}

constexpr std::string_view name_of(StorageClass storage_class) {
  switch (storage_class) {
    case StorageClass::UniformConstant:
      return "UniformConstant";
    case StorageClass::Input:
      return "Input";
    case StorageClass::Uniform:
      return "Uniform";
    case StorageClass::Output:
      return "Output";
    case StorageClass::Workgroup:
      return "Workgroup";
    case StorageClass::CrossWorkgroup:
      return "CrossWorkgroup";
    case StorageClass::Private:
      return "Private";
    case StorageClass::Function:
      return "Function";
    case StorageClass::Generic:
      return "Generic";
    case StorageClass::PushConstant:
      return "PushConstant";
    case StorageClass::AtomicCounter:
      return "AtomicCounter";
    case StorageClass::Image:
      return "Image";
    case StorageClass::StorageBuffer:
      return "StorageBuffer";
    case StorageClass::CallableDataKHR:
      return "CallableDataKHR";
    case StorageClass::IncomingCallableDataKHR:
      return "IncomingCallableDataKHR";
    case StorageClass::RayPayloadKHR:
      return "RayPayloadKHR";
    case StorageClass::HitAttributeKHR:
      return "HitAttributeKHR";
    case StorageClass::IncomingRayPayloadKHR:
      return "IncomingRayPayloadKHR";
    case StorageClass::ShaderRecordBufferKHR:
      return "ShaderRecordBufferKHR";
    case StorageClass::PhysicalStorageBuffer:
      return "PhysicalStorageBuffer";
  }
  return "?";
}

}  // namespace heddle
