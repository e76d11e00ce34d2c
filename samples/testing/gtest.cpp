// Tests of a kernel with GoogleTest, whose main is a library (GTest::gtest_main).
#include <gtest/gtest.h>

#include <heddle/testing/gtest.h>

#include "kernels.h"

using namespace heddle;

namespace {

/// One trial: every invocation has what its neighbour wrote.
template <bool right>
void neighbours_agree(Trial& trial) {
  auto out = trial.device().buffer<std::uint32_t>(kSize, "out");
  trial.device().dispatch(neighbour<right>, {1}, {kSize}, out);
  const auto seen = out.read();
  for (std::uint32_t i = 0; i < kSize; ++i) EXPECT_EQ(seen[i], (i + 1) % kSize + 1);
}

/// The test prints what is wrong: the search does not.
SeedOptions with_races() {
  SeedOptions options;
  options.print_to = nullptr;
  options.device.races = true;
  return options;
}

}  // namespace

TEST(RightKernel, FailsUnderNoSeedAndHasNoRace) {
  const SeedReport report = explore_seeds(neighbours_agree<true>, 50, with_races());
  EXPECT_EQ(report.what(), "");
  EXPECT_EQ(race_places(report.races), RacePlaces{});
}

TEST(WrongKernel, FailsUnderSomeSeedAndHasThisRaceAndNoOther) {
  const SeedReport report = explore_seeds(neighbours_agree<false>, 50, with_races());
  EXPECT_NE(report.what().find("seen[i]"), std::string::npos) << report.what();
  EXPECT_EQ(race_places(report.races), (RacePlaces{{"tile", kWriteLine, kReadLine}}));
}
