#pragma once

/// \file
/// Matrices of 2 to 4 columns, as GLSL has them: columns of vectors, stored one after the other. `m[c]` is a column,
/// `m[c][r]` an element; `m * v`, `v * m` and `m * n` are products of linear algebra, `+`, `-` and those with scalars
/// go element by element. Names of GLSL: mat3 has three columns of three, mat3x2 three columns of two.

#include <heddle/vector.h>

namespace heddle {
namespace vectors {

/// A matrix of `C` columns and `R` rows. `Mat{a, b}` is made of its columns.
template <typename T, std::size_t C, std::size_t R = C>
struct Mat {
  static_assert(C >= 2 && C <= 4 && R >= 2 && R <= 4, "matrices have 2 to 4 columns and rows");
  Vec<T, R> columns[C]{};

  /// With `value` on the diagonal, and 0 elsewhere.
  static constexpr Mat diagonal(T value) {
    Mat out;
    for (std::size_t i = 0; i < C && i < R; ++i) out.columns[i][i] = value;
    return out;
  }
  static constexpr Mat identity() { return diagonal(T(1)); }

  constexpr Vec<T, R>& operator[](std::size_t column) { return columns[column]; }
  constexpr const Vec<T, R>& operator[](std::size_t column) const { return columns[column]; }

  // Friends, not templates: an element of a buffer converts to its matrix where one is wanted.
  friend constexpr Mat operator+(Mat a, const Mat& b) {
    for (std::size_t c = 0; c < C; ++c) a.columns[c] += b.columns[c];
    return a;
  }
  friend constexpr Mat operator-(Mat a, const Mat& b) {
    for (std::size_t c = 0; c < C; ++c) a.columns[c] -= b.columns[c];
    return a;
  }
  friend constexpr Mat operator-(Mat a) {
    for (Vec<T, R>& column : a.columns) column = -column;
    return a;
  }
  friend constexpr Mat operator*(Mat a, T s) {
    for (Vec<T, R>& column : a.columns) column *= s;
    return a;
  }
  friend constexpr Mat operator*(T s, const Mat& a) { return a * s; }
  friend constexpr Mat operator/(Mat a, T s) {
    for (Vec<T, R>& column : a.columns) column /= s;
    return a;
  }
  /// The columns, weighted by the components.
  friend constexpr Vec<T, R> operator*(const Mat& a, const Vec<T, C>& v) {
    Vec<T, R> sum = a.columns[0] * v.x;
    for (std::size_t c = 1; c < C; ++c) sum += a.columns[c] * v[c];
    return sum;
  }
  /// `v` as a row.
  friend constexpr Vec<T, C> operator*(const Vec<T, R>& v, const Mat& a) {
    Vec<T, C> out;
    for (std::size_t c = 0; c < C; ++c) out[c] = dot(v, a.columns[c]);
    return out;
  }
  constexpr Mat& operator+=(const Mat& b) { return *this = *this + b; }
  constexpr Mat& operator-=(const Mat& b) { return *this = *this - b; }
  constexpr Mat& operator*=(T s) { return *this = *this * s; }
  friend constexpr bool operator==(const Mat&, const Mat&) = default;
};

template <typename A>
struct MatrixType;
template <typename T_, std::size_t C, std::size_t R>
struct MatrixType<Mat<T_, C, R>> {
  using T = T_;
  static constexpr std::size_t kColumns = C;
  static constexpr std::size_t kRows = R;
};
/// A matrix, or a reference to one.
template <typename A>
concept AnyMatrix = requires {
  typename MatrixType<detail::ValueOf<A>>::T;
};
template <typename A>
using ShapeOf = MatrixType<detail::ValueOf<A>>;
template <typename A>
concept SquareMatrix = AnyMatrix<A> && ShapeOf<A>::kColumns == ShapeOf<A>::kRows;

/// The product of two matrices: as many columns as `first` has are rows of `second`.
template <AnyMatrix A, AnyMatrix B>
requires(ShapeOf<A>::kColumns == ShapeOf<B>::kRows) constexpr auto operator*(const A& first, const B& second) {
  const auto a = detail::value_of(first);
  const auto b = detail::value_of(second);
  Mat<typename ShapeOf<A>::T, ShapeOf<B>::kColumns, ShapeOf<A>::kRows> out;
  for (std::size_t c = 0; c < ShapeOf<B>::kColumns; ++c) out[c] = a * b[c];
  return out;
}

/// Rows become columns.
template <AnyMatrix A>
constexpr auto transpose(const A& of) {
  const auto a = detail::value_of(of);
  Mat<typename ShapeOf<A>::T, ShapeOf<A>::kRows, ShapeOf<A>::kColumns> out;
  for (std::size_t c = 0; c < ShapeOf<A>::kColumns; ++c) {
    for (std::size_t r = 0; r < ShapeOf<A>::kRows; ++r) out[r][c] = a[c][r];
  }
  return out;
}

/// `a` without a column and a row: what its minors are determinants of.
template <typename T, std::size_t N>
constexpr Mat<T, N - 1> without(const Mat<T, N>& a, std::size_t column, std::size_t row) {
  Mat<T, N - 1> out;
  for (std::size_t c = 0; c + 1 < N; ++c) {
    for (std::size_t r = 0; r + 1 < N; ++r) out[c][r] = a[c < column ? c : c + 1][r < row ? r : r + 1];
  }
  return out;
}

/// Expanded along the first column.
template <SquareMatrix A>
constexpr auto determinant(const A& of) {
  constexpr std::size_t n = ShapeOf<A>::kRows;
  using T = typename ShapeOf<A>::T;
  const auto a = detail::value_of(of);
  if constexpr (n == 2) {
    return static_cast<T>(a[0].x * a[1].y - a[1].x * a[0].y);
  } else {
    T sum{};
    for (std::size_t r = 0; r < n; ++r) {
      const T term = a[0][r] * determinant(without(a, 0, r));
      sum = r % 2 == 0 ? sum + term : sum - term;
    }
    return sum;
  }
}

/// The matrix whose product with this one is the identity; not of numbers if its determinant is 0.
template <SquareMatrix A>
constexpr auto inverse(const A& of) {
  constexpr std::size_t n = ShapeOf<A>::kRows;
  using T = typename ShapeOf<A>::T;
  const auto a = detail::value_of(of);
  Mat<T, n> out;
  if constexpr (n == 2) {
    out = {{{a[1].y, -a[0].y}, {-a[1].x, a[0].x}}};
  } else {
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t r = 0; r < n; ++r) {
        const T minor = determinant(without(a, r, c));
        out[c][r] = (r + c) % 2 == 0 ? minor : -minor;
      }
    }
  }
  return out / determinant(a);
}

/// The product of a column and a row.
template <AnyVector A, AnyVector B>
requires std::same_as<Component<A>, Component<B>>
constexpr auto outer_product(const A& column, const B& row) {
  const auto down = detail::value_of(column);
  const auto along = detail::value_of(row);
  Mat<Component<A>, kSizeOf<B>, kSizeOf<A>> out;
  for (std::size_t c = 0; c < kSizeOf<B>; ++c) out[c] = down * along[c];
  return out;
}

}  // namespace vectors

using vectors::Mat;

using mat2 = Mat<float, 2>;
using mat3 = Mat<float, 3>;
using mat4 = Mat<float, 4>;
using mat2x3 = Mat<float, 2, 3>;
using mat2x4 = Mat<float, 2, 4>;
using mat3x2 = Mat<float, 3, 2>;
using mat3x4 = Mat<float, 3, 4>;
using mat4x2 = Mat<float, 4, 2>;
using mat4x3 = Mat<float, 4, 3>;

}  // namespace heddle
