#pragma once

/// \file
/// The functions of vectors, as GLSL has them (The OpenGL Shading Language 4.60, chapter 8): each works component by
/// component unless it says otherwise, and takes vectors, references to vectors, and, where one argument is a vector,
/// scalars for others. `heddle/vector.h` includes this.

#include <heddle/vector.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace heddle {

class float16;

namespace detail {

/// A reference to memory, as `x[i]` makes one.
template <typename R>
concept ReadableReference = requires(const std::remove_cvref_t<R>& r) {
  typename std::remove_cvref_t<R>::value_type;
  std::remove_cvref_t<R>::kStorageClass;
  r.load();
};

/// What an argument stands for: a reference is read, once.
template <typename A>
constexpr decltype(auto) value_of(const A& a) {
  if constexpr (requires { a.load_as_declared(); }) {
    return a.load_as_declared();
  } else if constexpr (ReadableReference<A>) {
    return a.load();
  } else {
    return (a);
  }
}
template <typename A>
using ValueOf = std::decay_t<decltype(value_of(std::declval<const A&>()))>;

}  // namespace detail

namespace vectors {

/// A vector, or a reference to one.
template <typename A>
concept AnyVector = detail::kIsVector<detail::ValueOf<A>>;
template <typename A>
concept FloatVector = AnyVector<A> &&(std::floating_point<detail::ComponentOf<detail::ValueOf<A>>> ||
                                      std::same_as<detail::ComponentOf<detail::ValueOf<A>>, float16>);
template <typename A>
concept BoolVector = AnyVector<A> && std::same_as < detail::ComponentOf<detail::ValueOf<A>>,
bool > ;

template <typename A>
using Component = detail::ComponentOf<detail::ValueOf<A>>;
template <typename A>
inline constexpr std::size_t kSizeOf = detail::ValueOf<A>::kSize;

/// The i-th component of a vector; a scalar is that of each.
template <typename A>
constexpr auto component(const A& a, std::size_t i) {
  if constexpr (detail::kIsVector<A>) {
    return a[i];
  } else {
    (void)i;
    return a;
  }
}

/// The vector of `f(a[i], ...)`, as long as the first one, which is no reference.
template <typename R, std::size_t N, typename F, typename... A>
constexpr Vec<R, N> each(F f, const A&... a) {
  Vec<R, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = static_cast<R>(f(component(a, i)...));
  return out;
}

// --- Of two vectors, or of a vector and a scalar ---

#define HEDDLE_VECTOR_FUNCTION_2(function, ...)                                                                    \
  template <AnyVector A, typename B>                                                                               \
  constexpr auto function(const A& first, const B& second) {                                                       \
    using T = Component<A>;                                                                                        \
    return each<T, kSizeOf<A>>([](T a, T b) -> T { return static_cast<T>(__VA_ARGS__); }, detail::value_of(first), \
                               detail::value_of(second));                                                          \
  }
HEDDLE_VECTOR_FUNCTION_2(min, b < a ? b : a)
HEDDLE_VECTOR_FUNCTION_2(max, a < b ? b : a)
HEDDLE_VECTOR_FUNCTION_2(mod, a - b * std::floor(a / b))
HEDDLE_VECTOR_FUNCTION_2(pow, std::pow(a, b))
#undef HEDDLE_VECTOR_FUNCTION_2

/// Between `low` and `high`, vectors or scalars.
template <AnyVector A, typename B, typename C>
constexpr auto clamp(const A& v, const B& low, const C& high) {
  return min(max(v, low), high);
}

/// a (1 - t) + b t. Where `t` is a vector of bool: the components of `b` where it is true, those of `a` elsewhere.
template <AnyVector A, AnyVector B, typename C>
constexpr auto mix(const A& first, const B& second, const C& by) {
  using T = Component<A>;
  using S = Component<C>;
  return each<T, kSizeOf<A>>(
      [](T a, T b, S t) -> T {
        if constexpr (std::same_as<S, bool>) {
          return t ? b : a;
        } else {
          return static_cast<T>(a * (S(1) - t) + b * t);
        }
      },
      detail::value_of(first), detail::value_of(second), detail::value_of(by));
}

/// 0 where v < edge, 1 elsewhere.
template <typename E, FloatVector A>
constexpr auto step(const E& edge, const A& v) {
  using T = Component<A>;
  return each<T, kSizeOf<A>>([](T a, T e) { return a < e ? T(0) : T(1); }, detail::value_of(v), detail::value_of(edge));
}

/// Hermite interpolation from 0 at `low` to 1 at `high`.
template <typename E, typename F, FloatVector A>
constexpr auto smoothstep(const E& low, const F& high, const A& v) {
  using T = Component<A>;
  return each<T, kSizeOf<A>>(
      [](T a, T from, T to) {
        const T t = (a - from) / (to - from);
        const T u = t < T(0) ? T(0) : t > T(1) ? T(1) : t;
        return u * u * (T(3) - T(2) * u);
      },
      detail::value_of(v), detail::value_of(low), detail::value_of(high));
}

// --- Of one vector ---

#define HEDDLE_VECTOR_FUNCTION_1(function, Concept, ...)                                                    \
  template <Concept A>                                                                                      \
  constexpr auto function(const A& of) {                                                                    \
    using T = Component<A>;                                                                                 \
    return each<T, kSizeOf<A>>([](T a) -> T { return static_cast<T>(__VA_ARGS__); }, detail::value_of(of)); \
  }
HEDDLE_VECTOR_FUNCTION_1(abs, AnyVector, a < T(0) ? -a : a)
HEDDLE_VECTOR_FUNCTION_1(sign, AnyVector, a<T(0) ? T(-1) : a> T(0) ? T(1) : T(0))
HEDDLE_VECTOR_FUNCTION_1(floor, FloatVector, std::floor(a))
HEDDLE_VECTOR_FUNCTION_1(ceil, FloatVector, std::ceil(a))
HEDDLE_VECTOR_FUNCTION_1(round, FloatVector, std::round(a))
HEDDLE_VECTOR_FUNCTION_1(trunc, FloatVector, std::trunc(a))
HEDDLE_VECTOR_FUNCTION_1(fract, FloatVector, a - std::floor(a))
HEDDLE_VECTOR_FUNCTION_1(sqrt, FloatVector, std::sqrt(a))
HEDDLE_VECTOR_FUNCTION_1(inversesqrt, FloatVector, T(1) / std::sqrt(a))
HEDDLE_VECTOR_FUNCTION_1(exp, FloatVector, std::exp(a))
HEDDLE_VECTOR_FUNCTION_1(log, FloatVector, std::log(a))
HEDDLE_VECTOR_FUNCTION_1(sin, FloatVector, std::sin(a))
HEDDLE_VECTOR_FUNCTION_1(cos, FloatVector, std::cos(a))
/** The opposite of each bool. */
HEDDLE_VECTOR_FUNCTION_1(not_, BoolVector, !a)
#undef HEDDLE_VECTOR_FUNCTION_1

// --- Comparisons: a vector of bool ---

#define HEDDLE_VECTOR_COMPARISON(function, op)                                                                         \
  template <AnyVector A, AnyVector B>                                                                                  \
  constexpr auto function(const A& first, const B& second) {                                                           \
    using T = Component<A>;                                                                                            \
    return each<bool, kSizeOf<A>>([](T a, T b) { return a op b; }, detail::value_of(first), detail::value_of(second)); \
  }
HEDDLE_VECTOR_COMPARISON(less_than, <)
HEDDLE_VECTOR_COMPARISON(less_than_equal, <=)
HEDDLE_VECTOR_COMPARISON(greater_than, >)
HEDDLE_VECTOR_COMPARISON(greater_than_equal, >=)
HEDDLE_VECTOR_COMPARISON(equal, ==)
HEDDLE_VECTOR_COMPARISON(not_equal, !=)
#undef HEDDLE_VECTOR_COMPARISON

/// Whether one of the components is true; whether all are.
template <BoolVector A>
constexpr bool any(const A& of) {
  const auto v = detail::value_of(of);
  for (std::size_t i = 0; i < kSizeOf<A>; ++i) {
    if (v[i]) return true;
  }
  return false;
}
template <BoolVector A>
constexpr bool all(const A& of) {
  return !any(not_(of));
}

// --- Geometry ---

/// The dot product, summed from `x` on.
template <AnyVector A, AnyVector B>
constexpr auto dot(const A& first, const B& second) {
  const auto a = detail::value_of(first);
  const auto b = detail::value_of(second);
  auto sum = static_cast<Component<A>>(a.x * b.x);
  for (std::size_t i = 1; i < kSizeOf<A>; ++i) sum = static_cast<Component<A>>(sum + a[i] * b[i]);
  return sum;
}

/// The Euclidean length.
template <AnyVector A>
auto length(const A& of) {
  const auto v = detail::value_of(of);
  return static_cast<Component<A>>(std::sqrt(dot(v, v)));
}
template <FloatVector A, FloatVector B>
auto distance(const A& a, const B& b) {
  return length(detail::value_of(a) - detail::value_of(b));
}
/// The vector of length 1 in the same direction; for the zero vector not a number.
template <FloatVector A>
auto normalize(const A& of) {
  const auto v = detail::value_of(of);
  return v / length(v);
}
/// The cross product of vectors of three.
template <AnyVector A, AnyVector B>
requires(kSizeOf<A> == 3 && kSizeOf<B> == 3) constexpr auto cross(const A& first, const B& second) {
  const auto a = detail::value_of(first);
  const auto b = detail::value_of(second);
  return a.yzx() * b.zxy() - a.zxy() * b.yzx();
}
/// The direction of `incident` after it met a surface whose normal, of length 1, is `normal`.
template <FloatVector A, FloatVector B>
constexpr auto reflect(const A& incident, const B& normal) {
  const auto i = detail::value_of(incident);
  const auto n = detail::value_of(normal);
  return i - n * static_cast<Component<A>>(2 * dot(n, i));
}

/// The vector whose components are those of `v`, converted: `vec_cast<float>(ids)`.
template <typename To, AnyVector A>
constexpr Vec<To, kSizeOf<A>> vec_cast(const A& v) {
  return each<To, kSizeOf<A>>([](Component<A> a) { return static_cast<To>(a); }, detail::value_of(v));
}

}  // namespace vectors

using vectors::vec_cast;

namespace detail {

// Functions of elements of buffers that hold scalars: found by their arguments, and where there is one, preferred to
// others.
template <typename A>
concept ScalarReference = ReadableReference<A> && !kIsVector<ValueOf<A>>;
/// Two or three arguments with a reference to a scalar among them, and otherwise scalars.
template <typename... A>
concept WithReference = (ScalarReference<A> || ...) && ((!kIsVector<ValueOf<A>>)&&...);
/// The lesser, and the greater, of two numbers of which at least one is an element of a buffer, as a value.
template <typename A, typename B>
requires WithReference<A, B>
constexpr auto min(const A& first, const B& second) {
  using T = std::common_type_t<ValueOf<A>, ValueOf<B>>;
  const T a = value_of(first);
  const T b = value_of(second);
  return b < a ? b : a;
}
template <typename A, typename B>
requires WithReference<A, B>
constexpr auto max(const A& first, const B& second) {
  using T = std::common_type_t<ValueOf<A>, ValueOf<B>>;
  const T a = value_of(first);
  const T b = value_of(second);
  return a < b ? b : a;
}
/// Between `low` and `high`.
template <typename A, typename B, typename C>
requires WithReference<A, B, C>
constexpr auto clamp(const A& v, const B& low, const C& high) {
  using T = std::common_type_t<ValueOf<A>, ValueOf<B>, ValueOf<C>>;
  const T a = value_of(v);
  const T from = value_of(low);
  const T to = value_of(high);
  return a < from ? from : to < a ? to : a;
}

}  // namespace detail
}  // namespace heddle

// `std::min(x[i], y[i])`: the standard's own would keep references to elements, and takes no two of different types.
// (The standard says nothing of overloads for types of a program's own in its namespace but that they may not be added;
// these are chosen for heddle's references only, and never where an argument's type is written out.)
namespace std {
template <typename A, typename B>
requires heddle::detail::WithReference<A, B>
constexpr auto min(A&& a, B&& b) {
  return heddle::detail::min(a, b);
}
template <typename A, typename B>
requires heddle::detail::WithReference<A, B>
constexpr auto max(A&& a, B&& b) {
  return heddle::detail::max(a, b);
}
template <typename A, typename B, typename C>
requires heddle::detail::WithReference<A, B, C>
constexpr auto clamp(A&& v, B&& low, C&& high) {
  return heddle::detail::clamp(v, low, high);
}
}  // namespace std
