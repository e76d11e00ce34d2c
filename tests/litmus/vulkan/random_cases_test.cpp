#include <catch2/catch.hpp>

#include "tests/litmus/vulkan/cases.h"

TEST_CASE("420 random tests have the answers of brute force, with chains") {
  check_cases("random", 420, true);
}

TEST_CASE("420 random tests have the answers of brute force, without chains") {
  check_cases("random", 420, false);
}

TEST_CASE("126 tests of relaxation tags have their answers, with chains") {
  check_cases("mmra", 126, true);
}

TEST_CASE("126 tests of relaxation tags have their answers, without chains") {
  check_cases("mmra", 126, false);
}

TEST_CASE("40 tests in pairs of what makes chains, hides writes and derives values have their answers, with chains") {
  check_cases("chains", 40, true);
}

TEST_CASE(
    "40 tests in pairs of what makes chains, hides writes and derives values have their answers, without chains") {
  check_cases("chains", 40, false);
}
