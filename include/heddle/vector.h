#pragma once

/// \file
/// Vectors of 2 to 4 scalars in the manner of GLSL: built-ins, texels and kernels are written with them.
///
///     const vec3 along = normalize(b - a);
///     position.xz(position.zx() * 0.5f);          // swizzles: v.zx() reads, v.xz(value) writes
///     const float far = max(along, 0.0f).x;       // min, max, clamp, mix, dot ... are found by their arguments
///     if (all(less_than(a, b))) ...               // a < b compares component by component as well
///
/// The functions are in heddle/detail/vector_functions.h. They take vectors and elements of buffers
/// that hold vectors: `dot(x[i], y[i])`.

#include <heddle/detail/language.h>
#include <heddle/detail/swizzles.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle {

/// Vectors and their functions. A namespace of its own: `using namespace heddle` brings in the types, and the functions
/// (`dot`, `length`, `all` ...) are found by their arguments only, so that a program may have names like theirs.
namespace vectors {

/// A vector of 2 to 4 scalars. Laid out as an array: no padding, no alignment beyond the scalar's.
template <typename T, std::size_t N>
struct Vec;

template <typename T, std::size_t N, typename F>
constexpr Vec<T, N> map(Vec<T, N> a, F f);
template <typename T, std::size_t N, typename F>
constexpr Vec<T, N> zip(Vec<T, N> a, const Vec<T, N>& b, F f);

#define HEDDLE_VECTOR_OPERATOR(op, constraint)                                  \
  friend constexpr Vec operator op(const Vec& a, const Vec& b) constraint {     \
    return vectors::zip(a, b, [](T p, T q) { return static_cast<T>(p op q); }); \
  }                                                                             \
  friend constexpr Vec operator op(const Vec& a, T s) constraint {              \
    return vectors::map(a, [s](T p) { return static_cast<T>(p op s); });        \
  }                                                                             \
  friend constexpr Vec operator op(T s, const Vec& a) constraint {              \
    return vectors::map(a, [s](T p) { return static_cast<T>(s op p); });        \
  }                                                                             \
  constexpr Vec& operator op##=(const Vec& b) constraint {                      \
    return *this = *this op b;                                                  \
  }                                                                             \
  constexpr Vec& operator op##=(T s) constraint {                               \
    return *this = *this op s;                                                  \
  }

#define HEDDLE_VECTOR_COMPARISON(op)                                          \
  friend constexpr Vec<bool, kSize> operator op(const Vec& a, const Vec& b) { \
    Vec<bool, kSize> out;                                                     \
    for (std::size_t i = 0; i < kSize; ++i) out[i] = a[i] op b[i];            \
    return out;                                                               \
  }

// Friends, not templates: an element of a buffer converts to its vector where one is wanted.
#define HEDDLE_VECTOR_OPERATORS                                                  \
  HEDDLE_VECTOR_OPERATOR(+, )                                                    \
  HEDDLE_VECTOR_OPERATOR(-, )                                                    \
  HEDDLE_VECTOR_OPERATOR(*, )                                                    \
  HEDDLE_VECTOR_OPERATOR(/, )                                                    \
  HEDDLE_VECTOR_OPERATOR(%, requires std::integral<T>)                           \
  HEDDLE_VECTOR_OPERATOR(&, requires std::integral<T>)                           \
  HEDDLE_VECTOR_OPERATOR(|, requires std::integral<T>)                           \
  HEDDLE_VECTOR_OPERATOR(^, requires std::integral<T>)                           \
  HEDDLE_VECTOR_OPERATOR(<<, requires std::integral<T>)                          \
  HEDDLE_VECTOR_OPERATOR(>>, requires std::integral<T>)                          \
  /* Component by component, as in HLSL; `==` and `!=` compare whole vectors. */ \
  HEDDLE_VECTOR_COMPARISON(<)                                                    \
  HEDDLE_VECTOR_COMPARISON(<=)                                                   \
  HEDDLE_VECTOR_COMPARISON(>)                                                    \
  HEDDLE_VECTOR_COMPARISON(>=)                                                   \
  friend constexpr Vec operator-(const Vec& a) {                                 \
    return vectors::map(a, [](T p) { return static_cast<T>(-p); });              \
  }                                                                              \
  friend constexpr Vec operator+(const Vec& a) {                                 \
    return a;                                                                    \
  }                                                                              \
  friend constexpr Vec operator~(const Vec& a) requires std::integral<T> {       \
    return vectors::map(a, [](T p) { return static_cast<T>(~p); });              \
  }                                                                              \
  friend constexpr bool operator==(const Vec&, const Vec&) = default;

template <typename T>
struct Vec<T, 2> {
  static constexpr std::size_t kSize = 2;
  T x{}, y{};
  constexpr T& operator[](std::size_t i) { return i == 0 ? x : y; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : y; }
  HEDDLE_SWIZZLES_2
  HEDDLE_VECTOR_OPERATORS
};
template <typename T>
struct Vec<T, 3> {
  static constexpr std::size_t kSize = 3;
  T x{}, y{}, z{};
  constexpr T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }
  HEDDLE_SWIZZLES_3
  HEDDLE_VECTOR_OPERATORS
};
template <typename T>
struct Vec<T, 4> {
  static constexpr std::size_t kSize = 4;
  T x{}, y{}, z{}, w{};
  constexpr T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  HEDDLE_SWIZZLES_4
  HEDDLE_VECTOR_OPERATORS
};
#undef HEDDLE_VECTOR_OPERATORS
#undef HEDDLE_VECTOR_COMPARISON
#undef HEDDLE_VECTOR_OPERATOR

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

}  // namespace vectors

using vectors::Vec;

namespace detail {

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T, std::size_t N>
inline constexpr bool kIsVector<Vec<T, N>> = true;

template <typename T>
struct ComponentOfType {
  using type = T;
};
template <typename T, std::size_t N>
struct ComponentOfType<Vec<T, N>> {
  using type = T;
};
/// The scalar that a scalar is, or that a vector has.
template <typename T>
using ComponentOf = typename ComponentOfType<T>::type;

}  // namespace detail

using vec2 = Vec<float, 2>;
using vec3 = Vec<float, 3>;
using vec4 = Vec<float, 4>;
using dvec2 = Vec<double, 2>;
using dvec3 = Vec<double, 3>;
using dvec4 = Vec<double, 4>;
using ivec2 = Vec<std::int32_t, 2>;
using ivec3 = Vec<std::int32_t, 3>;
using ivec4 = Vec<std::int32_t, 4>;
using uvec2 = Vec<std::uint32_t, 2>;
using uvec3 = Vec<std::uint32_t, 3>;
using uvec4 = Vec<std::uint32_t, 4>;
using bvec2 = Vec<bool, 2>;
using bvec3 = Vec<bool, 3>;
using bvec4 = Vec<bool, 4>;

}  // namespace heddle

#include <heddle/detail/vector_functions.h>
