// Checks of Catch2 in trials, in a program that has heddle's header for that.

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <tuple>

#include <heddle/testing/catch2.h>

#include "tests/seeds/quiet.h"

using namespace heddle;
using heddle::test::quiet;

namespace {

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// What a search says of a test with one seed.
template <typename Test>
std::string said_of(Test test) {
  return explore_seeds(test, 1, quiet()).what();
}

}  // namespace

TEST_CASE("a CHECK that fails fails its seed with its own text, and what follows it runs") {
  bool went_on = false;
  const SeedReport report = explore_seeds(
      [&](Trial& trial) {
        const std::uint64_t rest = trial.seed() % 10;
        CHECK(rest != 7);
        went_on = rest == 7;
      },
      20, quiet());
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].seed == 7);
  CHECK(went_on);
  CHECK(times(report.what(), "CHECK( rest != 7 )") == 1);
  CHECK_THAT(report.what(), Catch::Contains("catch_checks.cpp:") && Catch::Contains("with expansion: 7 != 7"));
}

TEST_CASE("a REQUIRE that fails ends its trial, and is told once") {
  bool went_on = false;
  const std::string said = said_of([&](Trial& trial) {
    REQUIRE(trial.seed() == 0);
    went_on = true;
  });
  CHECK_FALSE(went_on);
  CHECK(times(said, "REQUIRE( trial.seed() == 0 )") == 1);
  CHECK_THAT(said, !Catch::Contains("no std::exception"));
}

TEST_CASE("what checks of other kinds say is in the failure, and those that hold fail nothing") {
  CHECK_THAT(said_of([](Trial&) { CHECK_FALSE(1 == 1); }), Catch::Contains("!1 == 1") || Catch::Contains("!(1 == 1)"));
  CHECK_THAT(said_of([](Trial&) { CHECK_THROWS(std::string("none")); }), Catch::Contains("no exception was thrown"));
  CHECK_THAT(said_of([](Trial&) { CHECK_NOTHROW(throw std::runtime_error("sudden")); }), Catch::Contains("sudden"));
  CHECK_THAT(said_of([](Trial&) { CHECK_THAT("abc", Catch::StartsWith("b")); }), Catch::Contains("starts with: \"b\""));
  CHECK_THAT(said_of([](Trial&) { FAIL("given up"); }), Catch::Contains("given up"));
  CHECK_THAT(said_of([](Trial&) {
               SECTION("inner") {}
             }),
             Catch::Contains("put it around explore_seeds"));
  CHECK(said_of([](Trial&) {
          CHECK(true);
          CHECK_NOFAIL(false);
          CHECK_THROWS(throw std::runtime_error("expected"));
          SUCCEED("well");
        }) == "");
}

TEST_CASE("messages are told with the checks in their scope") {
  const std::string said = said_of([](Trial&) {
    INFO("around both");
    {
      INFO("inside");
      CHECK(1 == 2);
    }
    CHECK(3 == 4);
  });
  CHECK(times(said, "around both") == 2);
  CHECK(times(said, "inside") == 1);
}

TEST_CASE("a check that fails in a kernel fails the seed with its text") {
  const std::string said = said_of(
      [](Trial& trial) { trial.device().dispatch([](auto& inv) { REQUIRE(inv.workgroup_id().x == 1); }, {1}, {1}); });
  CHECK_THAT(said, Catch::Contains("REQUIRE( inv.workgroup_id().x == 1 )"));
}

TEST_CASE("what fails says, beside its checks, what ended the trial") {
  CHECK_THAT(said_of([](Trial& trial) {
               CHECK(false);
               trial.require(false, "and this");
             }),
             Catch::Contains("CHECK( false )") && Catch::Contains("and this"));
}

TEST_CASE("the command of a failure runs this, \"test\" [alone]") {
  const SeedReport report = explore_seeds([](Trial&) { CHECK(false); }, 1, quiet());
  REQUIRE(report.failed());
  CHECK_THAT(report.failures[0].replay,
             Catch::StartsWith("HEDDLE_EXPLORE_SEED=1 ") &&
                 Catch::EndsWith(R"( 'the command of a failure runs this\, \"test\" \[alone\]')"));
}

TEST_CASE("a check after a search is the test's again") {
  std::ignore = explore_seeds([](Trial&) { CHECK(false); }, 1, quiet());
  CHECK(Catch::getResultCapture().getCurrentTestName() == "a check after a search is the test's again");
}

TEST_CASE("an answer is checked as it is, and one that is not ok prints what it explains") {
  const Answer answer = passes([](Trial& trial) { CHECK(trial.seed() != 3); }, 5, quiet());
  CHECK_FALSE(answer);
  CHECK_THAT(Catch::Detail::stringify(answer), Catch::Contains("a trial fails") && Catch::Contains("seed 3 fails"));
}

namespace {

std::size_t parted_trials = 0;

}  // namespace

KERNEL_TEST_CASE(3, "parts of a test share out its seeds", "") {
  const SeedReport report = explore_seeds([](Trial&) {}, 20, quiet());
  parted_trials += report.trials;
  const SeedShard part = detail::part_of_test();
  CHECK(part.count == 3);
  CHECK(report.tried.front().first == part.index);
  CHECK(report.trials == (part.index == 3 ? 6 : 7));
}

TEST_CASE("where all parts of a test ran they tried each seed once, and what follows them is no part") {
  CHECK(parted_trials <= 20);
  CHECK(explore_seeds([](Trial&) {}, 20, quiet()).trials == 20);
}
