#pragma once

/// \file
/// A 16-bit float. What is computed of two of them, or of one and an integer, is one again, rounded after each
/// operation, as a GPU's 16-bit arithmetic does; with a float or a double it is theirs, as in GLSL.

#include <heddle/detail/language.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace heddle {

class float16;

namespace detail {

/// What a float16 computed with a `U` is; none where `U` is no number.
template <typename U>
struct WithHalf {};
template <typename U>
requires(std::integral<U> || std::same_as<U, float16>) struct WithHalf<U> {
  using type = float16;
};
template <std::floating_point U>
struct WithHalf<U> {
  using type = U;
};

/// Halves, and references to them: what half arithmetic takes as its 16-bit side.
template <typename A>
struct IsHalf : std::is_same<A, float16> {};
template <typename A>
requires requires(const A& a) {
  requires std::same_as<typename A::value_type, float16>;
  a.load();
}
struct IsHalf<A> : std::true_type {};
template <typename A>
concept Half = IsHalf<std::remove_cvref_t<A>>::value;

template <typename A>
constexpr auto half_operand(const A& a) {
  if constexpr (requires { a.load(); }) {
    return a.load();
  } else {
    return a;
  }
}
/// What reading an operand gives.
template <typename A>
using HalfOperand = decltype(half_operand(std::declval<const std::remove_cvref_t<A>&>()));

/// Two operands of which at least one is a half, and none of another kind than a number.
template <typename A, typename B>
concept HalfOperands = (Half<A> || Half<B>)&&requires {
  typename WithHalf<HalfOperand<A>>::type;
  typename WithHalf<HalfOperand<B>>::type;
};

}  // namespace detail

/// IEEE 754 binary16. Converts to and from float, rounding to nearest, ties to even.
class float16 {
 public:
  float16() = default;
  constexpr float16(float value) : bits_(from_float(value)) {}
  constexpr operator float() const { return to_float(bits_); }

  /// The value with these bits.
  static constexpr float16 from_bits(std::uint16_t bits) {
    float16 value(0.0f);
    value.bits_ = bits;
    return value;
  }
  constexpr std::uint16_t bits() const { return bits_; }

  /// The number with the other sign, also for not-a-numbers.
  friend constexpr float16 operator-(float16 a) { return from_bits(a.bits_ ^ 0x8000); }
  friend constexpr float16 operator+(float16 a) { return a; }
  template <typename U>
  constexpr float16& operator+=(const U& b) {
    return *this = static_cast<float16>(*this + b);
  }
  template <typename U>
  constexpr float16& operator-=(const U& b) {
    return *this = static_cast<float16>(*this - b);
  }
  template <typename U>
  constexpr float16& operator*=(const U& b) {
    return *this = static_cast<float16>(*this * b);
  }
  template <typename U>
  constexpr float16& operator/=(const U& b) {
    return *this = static_cast<float16>(*this / b);
  }
  constexpr float16& operator++() { return *this = float16(to_float(bits_) + 1.0f); }
  constexpr float16& operator--() { return *this = float16(to_float(bits_) - 1.0f); }

 private:
  static constexpr std::uint16_t from_float(float value) {
    const auto f = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = f >> 16 & 0x8000;
    const std::uint32_t magnitude = f & 0x7fffffff;
    if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00);   // NaN
    if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // infinity
    if (magnitude < 0x33000001) return static_cast<std::uint16_t>(sign);            // zero
    const std::uint32_t exponent = magnitude >> 23;
    std::uint32_t mantissa = magnitude & 0x7fffff;
    // 112 = 127 - 15 moves the bias. Below 113 the result is subnormal.
    std::uint32_t half = 0;
    std::uint32_t shift = 13;
    if (exponent < 113) {
      mantissa |= 0x800000;
      shift = 126 - exponent;
    } else {
      half = (exponent - 112) << 10;
    }
    half += mantissa >> shift;
    const std::uint32_t rest = mantissa & ((1u << shift) - 1);
    const std::uint32_t middle = 1u << (shift - 1);
    if (rest > middle || (rest == middle && (half & 1))) ++half;
    return static_cast<std::uint16_t>(sign | half);
  }

  static constexpr float to_float(std::uint16_t h) {
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000) << 16;
    std::uint32_t exponent = h >> 10 & 0x1f;
    std::uint32_t mantissa = h & 0x3ffu;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
    if (exponent == 0) {
      if (mantissa == 0) return std::bit_cast<float>(sign);
      exponent = 1;
      while ((mantissa & 0x400) == 0) {
        mantissa <<= 1;
        --exponent;
      }
      mantissa &= 0x3ff;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  }

  std::uint16_t bits_;
};

namespace detail {

// A float holds the exact product of two halves, and more than twice as many bits as one has: rounding its result once
// more gives what rounding the exact sum, difference, product or quotient gives (S. A. Figueroa, "When is double
// rounding innocuous?", SIGNUM Newsletter 30 (3), 1995).
#define HEDDLE_HALF_OPERATOR(op)                                                                              \
  template <typename A, typename B>                                                                           \
  requires HalfOperands<A, B>                                                                                 \
  constexpr auto operator op(A&& first, B&& second) {                                                         \
    using X = HalfOperand<A>;                                                                                 \
    using Y = HalfOperand<B>;                                                                                 \
    using R = typename WithHalf<std::conditional_t<Half<A>, Y, X>>::type;                                     \
    using Wide = std::conditional_t<std::same_as<R, float16>, float, R>;                                      \
    return static_cast<R>(static_cast<Wide>(half_operand(first)) op static_cast<Wide>(half_operand(second))); \
  }
HEDDLE_HALF_OPERATOR(+)
HEDDLE_HALF_OPERATOR(-)
HEDDLE_HALF_OPERATOR(*)
HEDDLE_HALF_OPERATOR(/)
#undef HEDDLE_HALF_OPERATOR

}  // namespace detail

using detail::operator+;
using detail::operator-;
using detail::operator*;
using detail::operator/;

}  // namespace heddle

template <>
class std::numeric_limits<heddle::float16> {
 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_iec559 = true;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int digits = 11;
  static constexpr int max_exponent = 16;
  static constexpr int min_exponent = -13;
  static constexpr heddle::float16 min() noexcept { return heddle::float16::from_bits(0x0400); }
  static constexpr heddle::float16 max() noexcept { return heddle::float16::from_bits(0x7bff); }
  static constexpr heddle::float16 lowest() noexcept { return heddle::float16::from_bits(0xfbff); }
  static constexpr heddle::float16 epsilon() noexcept { return heddle::float16::from_bits(0x1400); }
  static constexpr heddle::float16 infinity() noexcept { return heddle::float16::from_bits(0x7c00); }
  static constexpr heddle::float16 quiet_NaN() noexcept { return heddle::float16::from_bits(0x7e00); }
  static constexpr heddle::float16 denorm_min() noexcept { return heddle::float16::from_bits(1); }
};
