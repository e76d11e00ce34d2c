#include <catch2/catch.hpp>

#include "tests/how_many.h"
#include "tests/mu/brute_force.h"
#include "tests/mu/litmus_text.h"

using namespace heddle;
using namespace heddle::litmus;

TEST_CASE("the explorer finds what trying everything finds, of random programs of host threads", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_MU_PROGRAMS", 300, 20000);
  std::uint64_t compared = 0;
  for (std::uint64_t i = 0; i < programs; ++i) {
    const std::string source = random_test(first_seed() + i);
    INFO(source);
    const c::Parse parse = c::parse(source);
    REQUIRE(parse.test);
    const BruteAnswer expected = brute_force(*parse.test, 30000);
    if (expected.too_large) continue;
    ++compared;
    const c::Answer found = c::answer(*parse.test, {});
    std::set<c::Outcome> outcomes;
    for (const c::OutcomeRow& row : found.outcomes) outcomes.insert(row.values);
    std::set<std::string> undefined;
    for (const auto kind : found.undefined) undefined.insert(mu::name(kind));
    CHECK(outcomes == expected.outcomes);
    CHECK(found.executions == expected.executions);
    CHECK(undefined == expected.undefined);
  }
  INFO(compared);
  CHECK(compared > programs / 2);
}
