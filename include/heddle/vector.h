#pragma once

/// \file
/// Small vectors in the manner of GLSL: what built-ins, texels and kernels are written with.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle {

/// A vector of 2 to 4 scalars. Laid out as an array: no padding, no alignment beyond the scalar's.
template <typename T, std::size_t N>
struct Vec;

template <typename T>
struct Vec<T, 2> {
  T x{}, y{};
};
template <typename T>
struct Vec<T, 3> {
  T x{}, y{}, z{};
};
template <typename T>
struct Vec<T, 4> {
  T x{}, y{}, z{}, w{};
};

namespace detail {

/// Applies `f` to each component of one or two vectors.
template <typename T, typename F>
constexpr auto map(const Vec<T, 2>& a, F f) -> Vec<decltype(f(a.x)), 2> {
  return {f(a.x), f(a.y)};
}
template <typename T, typename F>
constexpr auto map(const Vec<T, 3>& a, F f) -> Vec<decltype(f(a.x)), 3> {
  return {f(a.x), f(a.y), f(a.z)};
}
template <typename T, typename F>
constexpr auto map(const Vec<T, 4>& a, F f) -> Vec<decltype(f(a.x)), 4> {
  return {f(a.x), f(a.y), f(a.z), f(a.w)};
}
template <typename T, typename F>
constexpr auto zip(const Vec<T, 2>& a, const Vec<T, 2>& b, F f) -> Vec<decltype(f(a.x, b.x)), 2> {
  return {f(a.x, b.x), f(a.y, b.y)};
}
template <typename T, typename F>
constexpr auto zip(const Vec<T, 3>& a, const Vec<T, 3>& b, F f) -> Vec<decltype(f(a.x, b.x)), 3> {
  return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
}
template <typename T, typename F>
constexpr auto zip(const Vec<T, 4>& a, const Vec<T, 4>& b, F f) -> Vec<decltype(f(a.x, b.x)), 4> {
  return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
}

}  // namespace detail

#define HEDDLE_VECTOR_OPERATOR(op)                                                         \
  template <typename T, std::size_t N>                                                     \
  constexpr Vec<T, N> operator op(const Vec<T, N>& a, const Vec<T, N>& b) {                \
    return detail::zip(a, b, [](T p, T q) { return static_cast<T>(p op q); });             \
  }                                                                                        \
  template <typename T, std::size_t N>                                                     \
  constexpr Vec<T, N> operator op(const Vec<T, N>& a, std::type_identity_t<T> s) {         \
    return detail::map(a, [s](T p) { return static_cast<T>(p op s); });                    \
  }                                                                                        \
  template <typename T, std::size_t N>                                                     \
  constexpr Vec<T, N> operator op(std::type_identity_t<T> s, const Vec<T, N>& a) {         \
    return detail::map(a, [s](T p) { return static_cast<T>(s op p); });                    \
  }                                                                                        \
  template <typename T, std::size_t N, typename U>                                         \
  constexpr Vec<T, N>& operator op##=(Vec<T, N>& a, const U& b) {                          \
    return a = a op b;                                                                     \
  }

HEDDLE_VECTOR_OPERATOR(+)
HEDDLE_VECTOR_OPERATOR(-)
HEDDLE_VECTOR_OPERATOR(*)
HEDDLE_VECTOR_OPERATOR(/)
#undef HEDDLE_VECTOR_OPERATOR

template <typename T, std::size_t N>
constexpr Vec<T, N> operator-(const Vec<T, N>& a) {
  return detail::map(a, [](T p) { return static_cast<T>(-p); });
}

template <typename T>
constexpr bool operator==(const Vec<T, 2>& a, const Vec<T, 2>& b) {
  return a.x == b.x && a.y == b.y;
}
template <typename T>
constexpr bool operator==(const Vec<T, 3>& a, const Vec<T, 3>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
template <typename T>
constexpr bool operator==(const Vec<T, 4>& a, const Vec<T, 4>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

/// The dot product, summed from `x` on.
template <typename T>
constexpr T dot(const Vec<T, 2>& a, const Vec<T, 2>& b) {
  return a.x * b.x + a.y * b.y;
}
template <typename T>
constexpr T dot(const Vec<T, 3>& a, const Vec<T, 3>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename T>
constexpr T dot(const Vec<T, 4>& a, const Vec<T, 4>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/// The Euclidean length.
template <typename T, std::size_t N>
T length(const Vec<T, N>& a) {
  return std::sqrt(dot(a, a));
}

using vec2 = Vec<float, 2>;
using vec3 = Vec<float, 3>;
using vec4 = Vec<float, 4>;
using ivec2 = Vec<std::int32_t, 2>;
using ivec3 = Vec<std::int32_t, 3>;
using ivec4 = Vec<std::int32_t, 4>;
using uvec2 = Vec<std::uint32_t, 2>;
using uvec3 = Vec<std::uint32_t, 3>;
using uvec4 = Vec<std::uint32_t, 4>;

}  // namespace heddle
