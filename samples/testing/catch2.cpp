// Tests of kernels with Catch2 2.13 or 3. The main of Catch2 2 is compiled here; that of Catch2 3
// is in its library (Catch2::Catch2WithMain).
#define CATCH_CONFIG_MAIN
#include <heddle/testing/catch2.h>

#include "kernels.h"
#include "shader.h"

using namespace heddle;
using namespace testing_samples;

#if CATCH_VERSION_MAJOR == 3
using Catch::Matchers::ContainsSubstring;
#else
auto ContainsSubstring(const std::string& part) {
  return Catch::Contains(part);
}
#endif

TEST_CASE("the right look-back has no race, and gives its sum under all seeds") {
  CHECK(race_free(looked_back<LookBack::Right>));
  CHECK(only_outcomes(looked_back<LookBack::Right>, {15}));
}

TEST_CASE("the look-back with a relaxed flag races where the sum is passed on") {
  CHECK(has_race(looked_back<LookBack::RelaxedFlag>, {"sums", kSumReadLine, kSumWriteLine}));
  CHECK_THAT(race_free(looked_back<LookBack::RelaxedFlag>).explain(),
             ContainsSubstring("kReleaseBuffers"));
}

TEST_CASE("the look-back without a ticket waits for a workgroup that has not begun") {
  // Where nobody asks for orders, a program that needs the ascending one is told so, and goes on in
  // it.
  SeedOptions options;
  options.sweep = "usual order=ascending,shuffled";
  const Answer answer = only_outcomes(looked_back<LookBack::NoTicket>, {15}, kUsualSeeds, options);
  CHECK_FALSE(answer);
  CHECK_THAT(answer.explain(),
             ContainsSubstring("no progress") && ContainsSubstring("order=shuffled"));
}

TEST_CASE(
    "the look-back with a ticket ends where only who has begun goes on, and the other does not") {
  constexpr std::uint64_t kFewSeeds = 30;
  CHECK(ends(looked_back<LookBack::Right>, "qf=obe", kFewSeeds));
  const Answer answer = ends(looked_back<LookBack::NoTicket>, "qf=obe", kFewSeeds);
  CHECK_FALSE(answer);
  CHECK_THAT(answer.explain(), ContainsSubstring("take a ticket"));
}

TEST_CASE("the right lock counts to four, and the one that is given back relaxed races") {
  CHECK(race_free(counted<true>));
  CHECK(only_outcomes(counted<true>, {4}));
  CHECK(has_race(counted<false>, {"count", kCountLine, kCountLine}));
}

TEST_CASE("the shader of a scan is the same as a loop, and has no race") {
  CHECK(same_as<std::uint32_t>(scanned_by_loop, scanned_by_shader, breaking_sizes(kScanSize)));
  CHECK(race_free(scans));
}

TEST_CASE("the right reduction is the same as a loop, and nothing in it is undefined") {
  CHECK(same_as<std::uint32_t>(sum_of, reduced<true>, breaking_sizes(kSize)));
  CHECK(nothing_undefined(reduces<true>));
  CHECK(race_free(reduces<true>));
}

TEST_CASE("the reduction without its last barriers races where it adds, and gives wrong sums") {
  CHECK(races_at(reduces<false>, {{"tile", kAddLine, kAddLine}}, 50));
  const Answer answer = same_as<std::uint32_t>(sum_of, reduced<false>, breaking_sizes(kSize));
  CHECK_FALSE(answer);
  CHECK_THAT(answer.explain(), ContainsSubstring("in the reference"));
}

// Four test cases, each with a part of the seeds: `--shard-count` and `ctest -j` share them out.
KERNEL_TEST_CASE(4, "the right look-back has no race under many seeds", "[many]") {
  CHECK(race_free(looked_back<LookBack::Right>, 400));
}
