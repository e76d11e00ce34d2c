#include <catch2/catch.hpp>
#include <set>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/verdict.h"
#include "tests/how_many.h"
#include "tests/litmus/vulkan/host_brute_force.h"
#include "tests/litmus/vulkan/random_host.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

constexpr std::uint64_t kMostCandidates = 3000;

std::set<Outcome> outcomes_of(const Answer& answer) {
  std::set<Outcome> out;
  for (const OutcomeRow& row : answer.outcomes) out.insert(row.values);
  return out;
}

}  // namespace

TEST_CASE("the explorer finds of random host tests what brute force with rules of its own finds") {
  const std::uint64_t programs = how_many("HEDDLE_RANDOM_HOST_TESTS", 600, 100000);
  std::uint64_t compared = 0;
  std::uint64_t racy = 0;
  std::uint64_t ordered = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    const std::string text = random_host_test(seed);
    const VulkanParse parse = parse_vulkan(text);
    if (!parse.test) continue;
    const auto expected = host_brute_force(*parse.test, kMostCandidates);
    if (!expected) continue;
    INFO("seed " << seed << '\n' << text);
    Question question;
    const Answer found = answer(*parse.test, question);
    CHECK(found.complete);
    CHECK(outcomes_of(found) == expected->outcomes);
    CHECK(found.executions == expected->executions);
    CHECK(found.racy == expected->racy);
    const Verdict short_way = verdict(*parse.test, question);
    CHECK(short_way.racy == found.racy);
    CHECK(short_way.holds == found.holds);
    ++compared;
    ++(found.racy ? racy : ordered);
  }
  // Both kinds come often, and few are refused.
  CHECK(compared > programs / 2);
  CHECK(racy > programs / 10);
  CHECK(ordered > programs / 20);
}
