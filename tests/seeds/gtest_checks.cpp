// Checks of GoogleTest in trials, in a program that has heddle's header for that. The name of a test is a sentence.

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include <heddle/testing/gtest.h>

#include "tests/seeds/quiet.h"

using namespace heddle;
using heddle::test::quiet;

namespace {

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST(Trials, AnExpectationThatFailsFailsItsSeedOnceAndWhatFollowsItRuns) {
  std::atomic<bool> went_on = false;
  const SeedReport report = explore_seeds(
      [&](Trial& trial) {
        const std::uint64_t rest = trial.seed() % 10;
        EXPECT_NE(rest, 7u) << "it is seven";
        if (rest == 7) went_on = true;
      },
      20, quiet());
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].seed, 7u);
  EXPECT_TRUE(went_on);
  EXPECT_EQ(times(report.what(), "Expected: (rest) != (7u)"), 1u) << report.what();
  EXPECT_EQ(times(report.what(), "it is seven"), 1u);
  EXPECT_EQ(times(report.what(), "gtest_checks.cpp:"), 1u);
}

TEST(Trials, AnAssertionThatFailsEndsItsTrial) {
  bool went_on = false;
  const SeedReport report = explore_seeds(
      [&](Trial& trial) {
        ASSERT_EQ(trial.seed(), 0u);
        went_on = true;
      },
      1, quiet());
  EXPECT_TRUE(report.failed());
  EXPECT_FALSE(went_on);
}

TEST(Trials, ThoseThatHoldFailNothing) {
  const SeedReport report = explore_seeds([](Trial& trial) { EXPECT_GT(trial.seed(), 0u); }, 20, quiet());
  EXPECT_EQ(report.what(), "");
  EXPECT_EQ(report.trials, 20u);
}

TEST(Trials, TheCommandOfAFailureRunsThisTestAlone) {
  const SeedReport report = explore_seeds([](Trial&) { EXPECT_TRUE(false); }, 1, quiet());
  ASSERT_TRUE(report.failed());
  const std::string end = " --gtest_filter=Trials.TheCommandOfAFailureRunsThisTestAlone";
  const std::string& replay = report.failures[0].replay;
  EXPECT_TRUE(replay.size() > end.size() && replay.substr(replay.size() - end.size()) == end) << replay;
}

TEST(Values, ArePrintedByTheirNames) {
  EXPECT_EQ(testing::PrintToString(Mode::Emulated), "Emulated");
  EXPECT_EQ(testing::PrintToString(FindingKind::DataRace), "data race");
  EXPECT_EQ(testing::PrintToString(RacePlaces{{"tile", 15, 12}}), "'tile' in lines 12 and 15");
}

TEST(Answers, AreExpectedByWhatHolds) {
  const Answer good = passes([](Trial& trial) { EXPECT_GT(trial.seed(), 0u); }, 5, quiet());
  EXPECT_TRUE(holds(good));
  const Answer bad = passes([](Trial& trial) { EXPECT_NE(trial.seed(), 3u); }, 5, quiet());
  const testing::AssertionResult result = holds(bad);
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("seed 3 fails"), std::string::npos) << result.message();
}

namespace {

std::size_t parted_trials = 0;

}  // namespace

KERNEL_TEST(Parts, ShareOutSeeds, 3) {
  const SeedReport report = explore_seeds([](Trial&) {}, 20, quiet());
  EXPECT_EQ(detail::part_of_test().count, 3u);
  EXPECT_TRUE(report.trials == 6 || report.trials == 7) << report.trials;
  parted_trials += report.trials;
}

TEST(Parts, TryEachSeedOnceWhereAllOfThemRan) {
  EXPECT_LE(parted_trials, 20u);
}
