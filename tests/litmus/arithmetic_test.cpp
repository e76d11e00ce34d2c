#include "emulator/litmus/arithmetic.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace heddle::litmus;

namespace {
constexpr Integer kMin = std::numeric_limits<Integer>::min();
constexpr Integer kMax = std::numeric_limits<Integer>::max();
}  // namespace

TEST_CASE("sums, differences and products wrap instead of overflowing") {
  CHECK(apply(Arithmetic::Add, kMax, 1) == kMin);
  CHECK(apply(Arithmetic::Add, kMax, 0) == kMax);
  CHECK(apply(Arithmetic::Subtract, kMin, 1) == kMax);
  CHECK(apply(Arithmetic::Multiply, kMax, 2) == -2);
  CHECK(apply(Arithmetic::Multiply, kMin, -1) == kMin);
}

TEST_CASE("a division by zero has no value, and every other division has one") {
  CHECK_FALSE(apply(Arithmetic::Divide, 1, 0));
  CHECK(apply(Arithmetic::Divide, 0, 1) == 0);
  CHECK(apply(Arithmetic::Divide, -7, 2) == -3);
  CHECK(apply(Arithmetic::Divide, kMin, -1) == kMin);
  CHECK(apply(Arithmetic::Divide, kMin, 1) == kMin);
}

TEST_CASE("bitwise operations take two's complement numbers") {
  CHECK(apply(Arithmetic::And, -1, 6) == 6);
  CHECK(apply(Arithmetic::Or, -8, 3) == -5);
  CHECK(apply(Arithmetic::Xor, -1, 1) == -2);
}

TEST_CASE("comparisons are signed") {
  CHECK(compare(Comparison::Less, -1, 0));
  CHECK_FALSE(compare(Comparison::Greater, -1, 0));
  CHECK(compare(Comparison::LessEqual, 3, 3));
  CHECK_FALSE(compare(Comparison::Less, 3, 3));
  CHECK(compare(Comparison::GreaterEqual, 3, 3));
  CHECK(compare(Comparison::NotEqual, 3, 4));
  CHECK_FALSE(compare(Comparison::Equal, 3, 4));
}
