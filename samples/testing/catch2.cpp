// Tests of a kernel with Catch2. Its main is compiled elsewhere, or here, after #define
// CATCH_CONFIG_MAIN.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <heddle/testing/catch2.h>

#include "kernels.h"

using namespace heddle;

namespace {

/// One trial: every invocation has what its neighbour wrote.
template <bool right>
void neighbours_agree(Trial& trial) {
  auto out = trial.device().buffer<std::uint32_t>(kSize, "out");
  trial.device().dispatch(neighbour<right>, {1}, {kSize}, out);
  const auto seen = out.read();
  for (std::uint32_t i = 0; i < kSize; ++i) CHECK(seen[i] == (i + 1) % kSize + 1);
}

/// The test prints what is wrong: the search does not.
SeedOptions with_races() {
  SeedOptions options;
  options.print_to = nullptr;
  options.device.races = true;
  return options;
}

}  // namespace

TEST_CASE("the right kernel fails under no seed, and has no race") {
  const SeedReport report = explore_seeds(neighbours_agree<true>, 50, with_races());
  CHECK(report.what() == "");
  CHECK(race_places(report.races) == RacePlaces{});
}

TEST_CASE("the wrong kernel fails under some seed, and has this race and no other") {
  const SeedReport report = explore_seeds(neighbours_agree<false>, 50, with_races());
  CHECK_THAT(report.what(), Catch::Contains("CHECK( seen[i] == (i + 1) % kSize + 1 )"));
  CHECK(race_places(report.races) == RacePlaces{{"tile", kWriteLine, kReadLine}});
}
