#pragma once

/// \file
/// The swizzles of vectors, as members: `v.zyx()` is the vector of these components, in this order; `v.xz(value)`
/// replaces components that differ. Each macro below goes into the class of a vector of `T`.

// Formatted by hand: clang-format would put each macro on a line of its own.
// clang-format off

// One swizzle of two, three or four components to read, and one to write.
#define HEDDLE_SWIZZLE_2(a, b) \
  constexpr Vec<T, 2> a##b() const { return {a, b}; }
#define HEDDLE_SWIZZLE_3(a, b, c) \
  constexpr Vec<T, 3> a##b##c() const { return {a, b, c}; }
#define HEDDLE_SWIZZLE_4(a, b, c, d) \
  constexpr Vec<T, 4> a##b##c##d() const { return {a, b, c, d}; }
#define HEDDLE_SET_2(a, b) \
  constexpr void a##b(const Vec<T, 2>& v) { a = v.x, b = v.y; }
#define HEDDLE_SET_3(p, q, r) \
  constexpr void p##q##r(const Vec<T, 3>& v) { p = v.x, q = v.y, r = v.z; }
#define HEDDLE_SET_4(p, q, r, s) \
  constexpr void p##q##r##s(const Vec<T, 4>& v) { p = v.x, q = v.y, r = v.z, s = v.w; }

// All that components x, y give.
#define HEDDLE_PAIRS_2(a) HEDDLE_SWIZZLE_2(a, x) HEDDLE_SWIZZLE_2(a, y)
#define HEDDLE_TRIPLES_2(a, b) HEDDLE_SWIZZLE_3(a, b, x) HEDDLE_SWIZZLE_3(a, b, y)
#define HEDDLE_QUADS_2(a, b, c) HEDDLE_SWIZZLE_4(a, b, c, x) HEDDLE_SWIZZLE_4(a, b, c, y)
#define HEDDLE_FROM_3_2(a, b) \
  HEDDLE_TRIPLES_2(a, b) HEDDLE_QUADS_2(a, b, x) HEDDLE_QUADS_2(a, b, y)
#define HEDDLE_FROM_2_2(a) \
  HEDDLE_PAIRS_2(a) HEDDLE_FROM_3_2(a, x) HEDDLE_FROM_3_2(a, y)
#define HEDDLE_SWIZZLES_2 \
  HEDDLE_FROM_2_2(x) HEDDLE_FROM_2_2(y) \
  HEDDLE_SET_2(x, y) HEDDLE_SET_2(y, x)

// All that components x, y, z give.
#define HEDDLE_PAIRS_3(a) HEDDLE_SWIZZLE_2(a, x) HEDDLE_SWIZZLE_2(a, y) HEDDLE_SWIZZLE_2(a, z)
#define HEDDLE_TRIPLES_3(a, b) HEDDLE_SWIZZLE_3(a, b, x) HEDDLE_SWIZZLE_3(a, b, y) HEDDLE_SWIZZLE_3(a, b, z)
#define HEDDLE_QUADS_3(a, b, c) HEDDLE_SWIZZLE_4(a, b, c, x) HEDDLE_SWIZZLE_4(a, b, c, y) HEDDLE_SWIZZLE_4(a, b, c, z)
#define HEDDLE_FROM_3_3(a, b) \
  HEDDLE_TRIPLES_3(a, b) HEDDLE_QUADS_3(a, b, x) HEDDLE_QUADS_3(a, b, y) HEDDLE_QUADS_3(a, b, z)
#define HEDDLE_FROM_2_3(a) \
  HEDDLE_PAIRS_3(a) HEDDLE_FROM_3_3(a, x) HEDDLE_FROM_3_3(a, y) HEDDLE_FROM_3_3(a, z)
#define HEDDLE_SWIZZLES_3 \
  HEDDLE_FROM_2_3(x) HEDDLE_FROM_2_3(y) HEDDLE_FROM_2_3(z) \
  HEDDLE_SET_2(x, y) HEDDLE_SET_2(x, z) HEDDLE_SET_2(y, x) HEDDLE_SET_2(y, z) \
  HEDDLE_SET_2(z, x) HEDDLE_SET_2(z, y) \
  HEDDLE_SET_3(x, y, z) HEDDLE_SET_3(x, z, y) HEDDLE_SET_3(y, x, z) HEDDLE_SET_3(y, z, x) \
  HEDDLE_SET_3(z, x, y) HEDDLE_SET_3(z, y, x)

// All that components x, y, z, w give.
#define HEDDLE_PAIRS_4(a) HEDDLE_SWIZZLE_2(a, x) HEDDLE_SWIZZLE_2(a, y) HEDDLE_SWIZZLE_2(a, z) HEDDLE_SWIZZLE_2(a, w)
#define HEDDLE_TRIPLES_4(a, b) \
  HEDDLE_SWIZZLE_3(a, b, x) HEDDLE_SWIZZLE_3(a, b, y) \
  HEDDLE_SWIZZLE_3(a, b, z) HEDDLE_SWIZZLE_3(a, b, w)
#define HEDDLE_QUADS_4(a, b, c) \
  HEDDLE_SWIZZLE_4(a, b, c, x) HEDDLE_SWIZZLE_4(a, b, c, y) \
  HEDDLE_SWIZZLE_4(a, b, c, z) HEDDLE_SWIZZLE_4(a, b, c, w)
#define HEDDLE_FROM_3_4(a, b) \
  HEDDLE_TRIPLES_4(a, b) HEDDLE_QUADS_4(a, b, x) HEDDLE_QUADS_4(a, b, y) HEDDLE_QUADS_4(a, b, z) HEDDLE_QUADS_4(a, b, w)
#define HEDDLE_FROM_2_4(a) \
  HEDDLE_PAIRS_4(a) HEDDLE_FROM_3_4(a, x) HEDDLE_FROM_3_4(a, y) HEDDLE_FROM_3_4(a, z) HEDDLE_FROM_3_4(a, w)
#define HEDDLE_SWIZZLES_4 \
  HEDDLE_FROM_2_4(x) HEDDLE_FROM_2_4(y) HEDDLE_FROM_2_4(z) HEDDLE_FROM_2_4(w) \
  HEDDLE_SET_2(x, y) HEDDLE_SET_2(x, z) HEDDLE_SET_2(x, w) HEDDLE_SET_2(y, x) \
  HEDDLE_SET_2(y, z) HEDDLE_SET_2(y, w) HEDDLE_SET_2(z, x) HEDDLE_SET_2(z, y) \
  HEDDLE_SET_2(z, w) HEDDLE_SET_2(w, x) HEDDLE_SET_2(w, y) HEDDLE_SET_2(w, z) \
  HEDDLE_SET_3(x, y, z) HEDDLE_SET_3(x, y, w) HEDDLE_SET_3(x, z, y) HEDDLE_SET_3(x, z, w) \
  HEDDLE_SET_3(x, w, y) HEDDLE_SET_3(x, w, z) HEDDLE_SET_3(y, x, z) HEDDLE_SET_3(y, x, w) \
  HEDDLE_SET_3(y, z, x) HEDDLE_SET_3(y, z, w) HEDDLE_SET_3(y, w, x) HEDDLE_SET_3(y, w, z) \
  HEDDLE_SET_3(z, x, y) HEDDLE_SET_3(z, x, w) HEDDLE_SET_3(z, y, x) HEDDLE_SET_3(z, y, w) \
  HEDDLE_SET_3(z, w, x) HEDDLE_SET_3(z, w, y) HEDDLE_SET_3(w, x, y) HEDDLE_SET_3(w, x, z) \
  HEDDLE_SET_3(w, y, x) HEDDLE_SET_3(w, y, z) HEDDLE_SET_3(w, z, x) HEDDLE_SET_3(w, z, y) \
  HEDDLE_SET_4(x, y, z, w) HEDDLE_SET_4(x, y, w, z) HEDDLE_SET_4(x, z, y, w) HEDDLE_SET_4(x, z, w, y) \
  HEDDLE_SET_4(x, w, y, z) HEDDLE_SET_4(x, w, z, y) HEDDLE_SET_4(y, x, z, w) HEDDLE_SET_4(y, x, w, z) \
  HEDDLE_SET_4(y, z, x, w) HEDDLE_SET_4(y, z, w, x) HEDDLE_SET_4(y, w, x, z) HEDDLE_SET_4(y, w, z, x) \
  HEDDLE_SET_4(z, x, y, w) HEDDLE_SET_4(z, x, w, y) HEDDLE_SET_4(z, y, x, w) HEDDLE_SET_4(z, y, w, x) \
  HEDDLE_SET_4(z, w, x, y) HEDDLE_SET_4(z, w, y, x) HEDDLE_SET_4(w, x, y, z) HEDDLE_SET_4(w, x, z, y) \
  HEDDLE_SET_4(w, y, x, z) HEDDLE_SET_4(w, y, z, x) HEDDLE_SET_4(w, z, x, y) HEDDLE_SET_4(w, z, y, x)

// clang-format on
