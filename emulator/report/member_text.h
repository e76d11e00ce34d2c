#pragma once

/// \file
/// Which member of a struct some bytes of it are.

#include <heddle/detail/component_type.h>

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/report/read_type.h"

namespace heddle::report {

/// A member of a struct, or of a struct in it.
template <typename Type>
struct PlaceOfMember {
  /// ".prefix", ".node.left", ".weights[3]"; empty if the bytes are of several members, or of something without
  /// members.
  std::string path;
  /// The type of the innermost member that has all of the bytes, and where these begin in it.
  Type type;
  std::uint64_t offset_bytes = 0;
};
using MemberPlace = PlaceOfMember<detail::ComponentType>;
using ReadMemberPlace = PlaceOfMember<ReadType>;

/// The element of an object of this type that has the bytes from `offset_bytes` of the object on; nothing where they
/// are in the header of a block, or the size of elements is not known.
struct PlaceOfElement {
  std::optional<std::uint64_t> index;
  /// The type of the element, or of the header, and where the bytes begin in it.
  detail::ComponentType type;
  std::uint64_t offset_bytes = 0;
};
PlaceOfElement element_at(const detail::ComponentType& object, std::uint64_t offset_bytes);

/// "(8,0)": the coordinates of an element of an image; empty of all else.
std::string texel_text(const detail::ComponentType& object, std::uint64_t index);

/// "element 3"; of an image "texel (8,0)".
std::string element_text(const detail::ComponentType& object, std::uint64_t index);

/// "lock[1]", "nodes[3].weight", "texel (8,0) of dst", "memory, byte 7": the object called that at one of its bytes.
std::string place_text(const std::string& name, const detail::ComponentType& object, std::uint64_t offset_bytes);

/// The member that has these bytes of an element of this type, from `offset_bytes` of the element on.
MemberPlace member_at(const detail::ComponentType& element, std::uint64_t offset_bytes, std::uint32_t size_bytes);
ReadMemberPlace member_at(const ReadType& element, std::uint64_t offset_bytes, std::uint32_t size_bytes);

}  // namespace heddle::report
