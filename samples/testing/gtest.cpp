// Tests of kernels with GoogleTest, whose main is a library (GTest::gtest_main).
#include <gtest/gtest.h>

#include <heddle/testing/gtest.h>

#include "kernels.h"
#include "shader.h"

using namespace heddle;
using namespace testing_samples;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST(LookBack, HasNoRaceAndGivesItsSumUnderAllSeeds) {
  EXPECT_TRUE(holds(race_free(looked_back<LookBack::Right>)));
  EXPECT_TRUE(holds(only_outcomes(looked_back<LookBack::Right>, {15})));
}

TEST(LookBack, WithARelaxedFlagRacesWhereTheSumIsPassedOn) {
  EXPECT_TRUE(
      holds(has_race(looked_back<LookBack::RelaxedFlag>, {"sums", kSumReadLine, kSumWriteLine})));
}

TEST(LookBack, WithoutATicketWaitsForAWorkgroupThatHasNotBegun) {
  // Where nobody asks for orders, a program that needs the ascending one is told so, and goes on in
  // it.
  SeedOptions options;
  options.sweep = "usual order=ascending,shuffled";
  const Answer answer = only_outcomes(looked_back<LookBack::NoTicket>, {15}, kUsualSeeds, options);
  EXPECT_FALSE(holds(answer));
  EXPECT_TRUE(has(answer.explain(), "no progress") && has(answer.explain(), "order=shuffled"))
      << answer.explain();
}

TEST(LookBack, WithATicketEndsWhereOnlyWhoHasBegunGoesOnAndTheOtherDoesNot) {
  constexpr std::uint64_t kFewSeeds = 30;
  EXPECT_TRUE(holds(ends(looked_back<LookBack::Right>, "qf=obe", kFewSeeds)));
  const Answer answer = ends(looked_back<LookBack::NoTicket>, "qf=obe", kFewSeeds);
  EXPECT_FALSE(holds(answer));
  EXPECT_TRUE(has(answer.explain(), "take a ticket")) << answer.explain();
}

TEST(Lock, CountsToFourAndRacesWhereItIsGivenBackRelaxed) {
  EXPECT_TRUE(holds(race_free(counted<true>)));
  EXPECT_TRUE(holds(only_outcomes(counted<true>, {4})));
  EXPECT_TRUE(holds(has_race(counted<false>, {"count", kCountLine, kCountLine})));
}

TEST(Shader, IsTheSameAsALoopAndHasNoRace) {
  EXPECT_TRUE(
      holds(same_as<std::uint32_t>(scanned_by_loop, scanned_by_shader, breaking_sizes(kScanSize))));
  EXPECT_TRUE(holds(race_free(scans)));
}

TEST(Reduction, IsTheSameAsALoopAndNothingInItIsUndefined) {
  EXPECT_TRUE(holds(same_as<std::uint32_t>(sum_of, reduced<true>, breaking_sizes(kSize))));
  EXPECT_TRUE(holds(nothing_undefined(reduces<true>)));
  EXPECT_TRUE(holds(race_free(reduces<true>)));
}

TEST(Reduction, WithoutItsLastBarriersRacesWhereItAddsAndGivesWrongSums) {
  EXPECT_TRUE(holds(races_at(reduces<false>, {{"tile", kAddLine, kAddLine}}, 50)));
  const Answer answer = same_as<std::uint32_t>(sum_of, reduced<false>, breaking_sizes(kSize));
  EXPECT_FALSE(holds(answer));
  EXPECT_TRUE(has(answer.explain(), "in the reference")) << answer.explain();
}

// Four tests, each with a part of the seeds: GTEST_TOTAL_SHARDS and `ctest -j` share them out.
KERNEL_TEST(LookBack, HasNoRaceUnderManySeeds, 4) {
  EXPECT_TRUE(holds(race_free(looked_back<LookBack::Right>, 400)));
}
