#pragma once

/// \file
/// Of what type the components of a buffer, image or variable are: so that values can be shown.

#include <heddle/detail/member_names.h>
#include <heddle/float16.h>
#include <heddle/vector.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace heddle::detail {

enum class ComponentKind : std::uint8_t {
  /// A struct, say: only its members can be shown, if they are known; else its bytes.
  Unknown,
  Unsigned,
  Signed,
  Float,
};

struct DescribedBlock;
struct DescribedMember;
/// The members of a struct in their order; none of anything else.
struct DescribedMembers {
  const DescribedMember* first = nullptr;
  std::size_t count = 0;
  const DescribedMember* begin() const { return first; }
  inline const DescribedMember* end() const;
};

struct ComponentType {
  ComponentKind kind = ComponentKind::Unknown;
  std::uint8_t size_bytes = 0;
  /// The size of an element of what is made of them: a scalar, a vector, a struct. 0: not known.
  std::uint32_t element_bytes = 0;
  /// The members of an element; null where it has none with names. (Asked for by reports alone.)
  DescribedMembers (*members)() = nullptr;
  /// What a block consists of, whose elements have no one type; null for all else.
  const DescribedBlock* block = nullptr;
  /// How many coordinates the texels of an image have, and its extent; 0 of all else.
  std::uint8_t dimensions = 0;
  uvec3 extent{0, 0, 0};
};

/// A block (heddle/block.h): a header, and behind it elements as far as the memory goes.
struct DescribedBlock {
  ComponentType header;
  ComponentType element;
  std::uint64_t elements_at_byte = 0;
};

struct DescribedMember {
  std::string_view name;
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
  bool is_array = false;
  /// The type of the member, or of the elements of its array.
  ComponentType type;
};
inline const DescribedMember* DescribedMembers::end() const {
  return first + count;
}

template <typename T>
struct ComponentTypeOf {
  static constexpr ComponentType value() {
    constexpr auto size = static_cast<std::uint8_t>(sizeof(T) <= 8 ? sizeof(T) : 0);
    if constexpr (std::is_enum_v<T>) {
      return ComponentTypeOf<std::underlying_type_t<T>>::value();
    } else if constexpr (std::floating_point<T> || std::same_as<T, float16>) {
      return {ComponentKind::Float, size};
    } else if constexpr (std::signed_integral<T>) {
      return {ComponentKind::Signed, size};
    } else if constexpr (std::unsigned_integral<T>) {
      return {ComponentKind::Unsigned, size};
    } else {
      return {};
    }
  }
};
template <typename T, std::size_t N>
struct ComponentTypeOf<Vec<T, N>> : ComponentTypeOf<T> {};

template <typename T>
DescribedMembers described_members_of();

/// The type of the scalars that a `T` (a scalar, a vector, an array of such) is made of.
template <typename T>
inline constexpr ComponentType kComponentType = [] {
  using Element = std::remove_cv_t<std::remove_all_extents_t<T>>;
  constexpr ComponentType kOfScalar = ComponentTypeOf<Element>::value();
  ComponentType made = kOfScalar;
  made.element_bytes = sizeof(Element);
  if constexpr (kOfScalar.kind == ComponentKind::Unknown && kNamedMembers<Element> != 0)
    made.members = &described_members_of<Element>;
  return made;
}();

template <typename T>
DescribedMembers described_members_of() {
  return []<std::size_t... indices>(std::index_sequence<indices...>) {
    static const DescribedMember all[] = {
        {NamedMember<T, indices>::kName, static_cast<std::uint32_t>(NamedMember<T, indices>::offset_bytes()),
         sizeof(typename NamedMember<T, indices>::Type), std::is_array_v<typename NamedMember<T, indices>::Type>,
         kComponentType<typename NamedMember<T, indices>::Type>}...};
    return DescribedMembers{all, sizeof...(indices)};
  }
  (std::make_index_sequence<kNamedMembers<T>>());
}

}  // namespace heddle::detail
