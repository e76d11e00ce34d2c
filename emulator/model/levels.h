#pragma once

/// \file
/// Scopes and storage classes as small numbers, by which engines index what they keep.

#include <heddle/spirv.h>

#include <array>
#include <cstdint>

namespace heddle::model {

/// How far a scope reaches, counted from narrow to wide. 0 is the invocation, which has no memory domain of its own:
/// its operations make nothing available or visible.
using Level = std::uint8_t;

/// The scopes by level. CrossDevice is the scope of host atomics.
inline constexpr std::array kScopes = {Scope::Invocation,    Scope::Subgroup,          Scope::Workgroup,
                                       Scope::ShaderCallKHR, Scope::FragmentInterlock, Scope::QueueFamily,
                                       Scope::Device,        Scope::CrossDevice};

constexpr Level level_of(Scope scope) {
  switch (scope) {
    case Scope::Invocation:
      return 0;
    case Scope::Subgroup:
      return 1;
    case Scope::Workgroup:
      return 2;
    case Scope::ShaderCallKHR:
      return 3;
    case Scope::FragmentInterlock:
      return 4;
    case Scope::QueueFamily:
      return 5;
    case Scope::Device:
      return 6;
    case Scope::CrossDevice:
      return 7;
  }
  return 0;
}

/// The semantics bit of each storage class that the memory model tells apart.
inline constexpr std::array kClassBits = {MemorySemantics::UniformMemory, MemorySemantics::WorkgroupMemory,
                                          MemorySemantics::ImageMemory, MemorySemantics::OutputMemory};
inline constexpr std::size_t kClasses = kClassBits.size();
/// Some of these classes: a bit for each, by its place in kClassBits.
using Classes = std::uint8_t;

/// The classes that the semantics name.
constexpr Classes classes_of(MemorySemantics semantics) {
  Classes classes = 0;
  for (std::size_t k = 0; k < kClasses; ++k)
    if (has(semantics, kClassBits[k])) classes = static_cast<Classes>(classes | (1u << k));
  return classes;
}
/// The class of an access to this storage; none if the memory model does not count it.
constexpr Classes class_of(StorageClass storage_class) {
  return classes_of(semantic_of(storage_class));
}

}  // namespace heddle::model
