#pragma once

/// \file
/// Small vectors in the manner of GLSL: what built-ins, texels and kernels are written with.

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle {

/// A vector of 2 to 4 scalars. Laid out as an array: no padding, no alignment beyond the scalar's.
template <typename T, std::size_t N>
struct Vec;

namespace detail {
template <typename T, std::size_t N, typename F>
constexpr Vec<T, N> map(Vec<T, N> a, F f);
template <typename T, std::size_t N, typename F>
constexpr Vec<T, N> zip(Vec<T, N> a, const Vec<T, N>& b, F f);
}  // namespace detail

#define HEDDLE_VECTOR_OPERATOR(op)                                                   \
  friend constexpr Vec operator op(const Vec& a, const Vec& b) {                     \
    return detail::zip(a, b, [](T p, T q) { return static_cast<T>(p op q); });       \
  }                                                                                  \
  friend constexpr Vec operator op(const Vec& a, T s) {                              \
    return detail::map(a, [s](T p) { return static_cast<T>(p op s); });              \
  }                                                                                  \
  friend constexpr Vec operator op(T s, const Vec& a) {                              \
    return detail::map(a, [s](T p) { return static_cast<T>(s op p); });              \
  }                                                                                  \
  constexpr Vec& operator op##=(const Vec& b) { return *this = *this op b; }         \
  constexpr Vec& operator op##=(T s) { return *this = *this op s; }

// Friends, not templates: an element of a buffer converts to its vector where one is wanted.
#define HEDDLE_VECTOR_OPERATORS                                                      \
  HEDDLE_VECTOR_OPERATOR(+)                                                          \
  HEDDLE_VECTOR_OPERATOR(-)                                                          \
  HEDDLE_VECTOR_OPERATOR(*)                                                          \
  HEDDLE_VECTOR_OPERATOR(/)                                                          \
  friend constexpr Vec operator-(const Vec& a) {                                     \
    return detail::map(a, [](T p) { return static_cast<T>(-p); });                   \
  }                                                                                  \
  friend constexpr bool operator==(const Vec&, const Vec&) = default;

template <typename T>
struct Vec<T, 2> {
  T x{}, y{};
  HEDDLE_VECTOR_OPERATORS
};
template <typename T>
struct Vec<T, 3> {
  T x{}, y{}, z{};
  HEDDLE_VECTOR_OPERATORS
};
template <typename T>
struct Vec<T, 4> {
  T x{}, y{}, z{}, w{};
  HEDDLE_VECTOR_OPERATORS
};
#undef HEDDLE_VECTOR_OPERATORS
#undef HEDDLE_VECTOR_OPERATOR

namespace detail {

/// Applies `f` to each component of one or two vectors.
template <typename T, std::size_t N, typename F>
constexpr Vec<T, N> map(Vec<T, N> a, F f) {
  a.x = f(a.x);
  a.y = f(a.y);
  if constexpr (N > 2) a.z = f(a.z);
  if constexpr (N > 3) a.w = f(a.w);
  return a;
}
template <typename T, std::size_t N, typename F>
constexpr Vec<T, N> zip(Vec<T, N> a, const Vec<T, N>& b, F f) {
  a.x = f(a.x, b.x);
  a.y = f(a.y, b.y);
  if constexpr (N > 2) a.z = f(a.z, b.z);
  if constexpr (N > 3) a.w = f(a.w, b.w);
  return a;
}

}  // namespace detail

/// Bitwise operators, for vectors of integers (ballots).
template <std::integral T, std::size_t N>
constexpr Vec<T, N> operator&(const Vec<T, N>& a, const Vec<T, N>& b) {
  return detail::zip(a, b, [](T p, T q) { return static_cast<T>(p & q); });
}
template <std::integral T, std::size_t N>
constexpr Vec<T, N> operator|(const Vec<T, N>& a, const Vec<T, N>& b) {
  return detail::zip(a, b, [](T p, T q) { return static_cast<T>(p | q); });
}
template <std::integral T, std::size_t N>
constexpr Vec<T, N> operator^(const Vec<T, N>& a, const Vec<T, N>& b) {
  return detail::zip(a, b, [](T p, T q) { return static_cast<T>(p ^ q); });
}
template <std::integral T, std::size_t N>
constexpr Vec<T, N> operator~(const Vec<T, N>& a) {
  return detail::map(a, [](T p) { return static_cast<T>(~p); });
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
