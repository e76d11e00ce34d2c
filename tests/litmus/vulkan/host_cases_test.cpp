#include <catch2/catch.hpp>

#include "tests/litmus/vulkan/cases.h"

TEST_CASE("180 tests of the host's side, in pairs and random, have their answers, with chains") {
  check_cases("host", 180, true);
}

TEST_CASE("180 tests of the host's side, in pairs and random, have their answers, without chains") {
  check_cases("host", 180, false);
}
