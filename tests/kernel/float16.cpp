// binary16 against arithmetic on its definition.

#include <heddle/float16.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

using heddle::float16;

namespace {

// IEEE 754-2008, 3.4: what the bits of a finite binary16 mean.
double value_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("every 16-bit pattern means what IEEE 754 says, and survives the way to float and back") {
  for (std::uint32_t b = 0; b <= 0xffff; ++b) {
    const auto bits = static_cast<std::uint16_t>(b);
    const float value = float16::from_bits(bits);
    const bool special = (bits & 0x7c00) == 0x7c00;
    if (special && (bits & 0x3ff) != 0) {
      REQUIRE(std::isnan(value));
      REQUIRE((float16(value).bits() & 0x7c00) == 0x7c00);
      REQUIRE((float16(value).bits() & 0x3ff) != 0);
      continue;
    }
    if (special) {
      REQUIRE(std::isinf(value));
      REQUIRE(std::signbit(value) == ((bits & 0x8000) != 0));
    } else {
      REQUIRE(static_cast<double>(value) == value_of(bits));
      REQUIRE(std::signbit(value) == ((bits & 0x8000) != 0));
    }
    REQUIRE(float16(value).bits() == bits);
  }
}

TEST_CASE("between two neighbours the nearer one is taken, and in the middle the even one") {
  for (std::uint32_t b = 0; b < 0x7bff; ++b) {
    const auto low = static_cast<std::uint16_t>(b);
    const auto high = static_cast<std::uint16_t>(b + 1);
    // Exact in float: the middle has one bit more than a binary16.
    const auto middle = static_cast<float>((value_of(low) + value_of(high)) / 2);
    const std::uint16_t even = b % 2 == 0 ? low : high;
    REQUIRE(float16(middle).bits() == even);
    REQUIRE(float16(std::nextafter(middle, 0.0f)).bits() == low);
    REQUIRE(float16(std::nextafter(middle, 1e9f)).bits() == high);
    REQUIRE(float16(-middle).bits() == (even | 0x8000));
  }
}

TEST_CASE("what is too large becomes infinity from the middle to 65536 on, and not before it") {
  CHECK(float16(65504.0f).bits() == 0x7bff);
  CHECK(float16(std::nextafter(65520.0f, 0.0f)).bits() == 0x7bff);
  CHECK(float16(65520.0f).bits() == 0x7c00);
  CHECK(float16(1e30f).bits() == 0x7c00);
  CHECK(float16(-1e30f).bits() == 0xfc00);
  CHECK(float16(std::numeric_limits<float>::infinity()).bits() == 0x7c00);
}

TEST_CASE("what is too small becomes a zero of its sign, from half the least subnormal down") {
  CHECK(float16(std::ldexp(1.0f, -24)).bits() == 1);
  CHECK(float16(std::ldexp(1.0f, -25)).bits() == 0);
  CHECK(float16(std::nextafter(std::ldexp(1.0f, -25), 1.0f)).bits() == 1);
  CHECK(float16(-std::ldexp(1.0f, -30)).bits() == 0x8000);
  CHECK(float16(std::numeric_limits<float>::denorm_min()).bits() == 0);
}
