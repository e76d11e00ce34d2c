#pragma once

/// \file
/// What the operators of references, and the functions that store, do with the types of their operands.

#include <type_traits>
#include <utility>

namespace heddle::detail {

/// The type of what reading a `U` gives, which may be a reference or a value.
template <typename U>
struct ReadAs : std::remove_cvref<U> {};
template <typename U>
requires requires {
  typename std::remove_cvref_t<U>::value_type;
} && std::is_class_v<std::remove_cvref_t<U>>
struct ReadAs<U> {
  using type = typename std::remove_cvref_t<U>::value_type;
};

/// A value to be stored: scalars are copied, for no reference binds to one that is volatile. Nothing is deduced from
/// it.
template <typename T>
using Given = std::conditional_t<std::is_scalar_v<T>, T, const T&>;

/// `v` as an operand beside one of type `Other`: numbers are converted as the operator would convert them, which says
/// that the conversion is wanted to whoever compiles with -Wconversion.
template <typename Other, typename V>
[[gnu::always_inline]] constexpr decltype(auto) as_operand(V&& v) {
  using A = typename ReadAs<V>::type;
  using B = typename ReadAs<Other>::type;
  if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
    return static_cast<std::common_type_t<A, B>>(static_cast<A>(std::forward<V>(v)));
  } else {
    return std::forward<V>(v);
  }
}
/// What is shifted, and by how much: neither is converted to the type of the other.
template <typename Other, typename V>
[[gnu::always_inline]] constexpr V&& as_shift_operand(V&& v) {
  return std::forward<V>(v);
}

}  // namespace heddle::detail
