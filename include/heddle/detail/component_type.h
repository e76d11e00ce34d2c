#pragma once

/// \file
/// Of what type the components of a buffer, image or variable are: so that values can be shown.

#include <heddle/float16.h>
#include <heddle/vector.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace heddle::detail {

enum class ComponentKind : std::uint8_t {
  /// A struct, say: its bytes can be shown, no more.
  Unknown,
  Unsigned,
  Signed,
  Float,
};

struct ComponentType {
  ComponentKind kind = ComponentKind::Unknown;
  std::uint8_t size_bytes = 0;
  /// Of an element of what is made of them: a scalar, a vector, a struct. 0: not known.
  std::uint32_t element_bytes = 0;
};

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

/// Of the scalars that a `T` (a scalar, a vector, an array of such) is made of.
template <typename T>
inline constexpr ComponentType kComponentType = [] {
  using Element = std::remove_cv_t<std::remove_all_extents_t<T>>;
  ComponentType made = ComponentTypeOf<Element>::value();
  made.element_bytes = sizeof(Element);
  return made;
}();

}  // namespace heddle::detail
