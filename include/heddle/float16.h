#pragma once

/// \file
/// A 16-bit float for storage: kernels load and store it, and compute in 32 bits.

#include <bit>
#include <cstdint>

namespace heddle {

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

}  // namespace heddle
