#pragma once

/// \file
/// Types of elements that are known from a file instead of from a program.

#include <heddle/detail/component_type.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::report {

struct ReadMember;

/// What detail::ComponentType says, with the members in it.
struct ReadType {
  detail::ComponentKind kind = detail::ComponentKind::Unknown;
  std::uint8_t size_bytes = 0;
  /// The size of an element; not 0 of a struct with members, nor of the elements of an array.
  std::uint32_t element_bytes = 0;
  /// In ascending order, and none over another.
  std::vector<ReadMember> members;
};

/// What detail::DescribedMember says.
struct ReadMember {
  std::string name;
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
  bool is_array = false;
  ReadType type;
};

/// The members of an element of either type, in their order.
inline detail::DescribedMembers members_of(const detail::ComponentType& type) {
  return type.members ? type.members() : detail::DescribedMembers();
}
inline std::span<const ReadMember> members_of(const ReadType& type) {
  return type.members;
}

}  // namespace heddle::report
