#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "emulator/race/detector.h"
#include "tests/explore/brute_force.h"
#include "tests/explore/script.h"
#include "tests/how_many.h"
#include "tests/race/linearization.h"

using namespace heddle;
using namespace heddle::explore;

namespace {

std::uint64_t programs() {
  return how_many("HEDDLE_RANDOM_PROGRAMS", 1500, 500000);
}

constexpr std::uint64_t kMostCandidates = 20000;

// What one has and the other has not, for a message.
std::string difference(const Executions& a, const Executions& b) {
  for (const auto& [text, seen] : a) {
    const auto other = b.find(text);
    if (other == b.end()) return "only one has:\n" + text;
    if (other->second.racy != seen.racy) return "racy in only one:\n" + text;
  }
  return "";
}

// Agents that tell of an access that they never come to have it cut pieces all the same.
bool has_one_size(const ScriptedProgram& scripts) {
  for (const Script& script : scripts.scripts)
    for (const Line& line : script)
      if (line.operation.is_access() && line.operation.locations.size_bytes != 2) return false;
  return true;
}

enum class Agents : std::uint8_t { Opaque, Telling };

using Pairs = std::vector<model::OperationPair>;

template <typename Races, typename Number>
Pairs pairs_of(const Races& races, const Number& number) {
  Pairs pairs;
  for (const auto& race : races) pairs.push_back(std::minmax(number(race.first), number(race.second)));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// Whether the exact detector, told of each execution in a random order, calls the pairs races that the judge calls so.
bool detector_agrees(const Program& program, const Options& options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  race::Detector detector({options.model.chains});
  std::vector<model::OperationIndex> told_as;
  bool agrees = true;
  explore::explore(program, options, [&](const Found& found) {
    detector.clear();
    if (!race::tell(found.execution, random, detector, told_as)) return true;
    const auto as_told = [&](model::OperationIndex i) { return told_as[i]; };
    const auto as_it_is = [](model::OperationIndex i) { return i; };
    agrees = pairs_of(found.judgement.races(), as_told) == pairs_of(detector.races(), as_it_is);
    return agrees;
  });
  return agrees;
}

// Whether there are few enough candidates for brute force.
bool compare(const Program& program, const Options& options, std::uint64_t seed) {
  const auto expected = brute_force(program, options, kMostCandidates);
  if (!expected) return false;
  const Executions found = explored(program, options);
  INFO("seed " << seed);
  INFO("explorer: " << difference(found, *expected));
  INFO("brute force: " << difference(*expected, found));
  bool once = true;
  for (const auto& [text, seen] : found) once = once && seen.times == 1;
  const bool equal = difference(found, *expected).empty() && difference(*expected, found).empty();
  REQUIRE(equal);
  REQUIRE(once);
  if (options.model.flavour == judge::Flavour::Specification) REQUIRE(detector_agrees(program, options, seed));
  return true;
}

bool compare(std::uint64_t seed, std::size_t lines, const Options& options, Agents agents = Agents::Opaque) {
  ScriptedProgram scripts = random_program(seed, lines);
  if (agents == Agents::Telling && !has_one_size(scripts)) return false;
  return compare(agents == Agents::Telling ? scripts.telling_program() : scripts.program(), options, seed);
}

// Calls `looks_at(seed)`, which returns whether it could compare, for each of so many seeds; it can for most.
template <typename LooksAt>
void for_each_seed(std::uint64_t seeds, LooksAt looks_at) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds; ++seed) compared += looks_at(seed) ? 1 : 0;
  CHECK(compared >= seeds / 2);
  if (nightly()) WARN(compared << " of " << seeds << " programs from seed " << first_seed() << " on");
}

}  // namespace

TEST_CASE("the explorer finds what brute force finds, each execution once", "[nightly]") {
  for_each_seed(programs(), [](std::uint64_t seed) { return compare(seed, 4 + seed % 4, {}); });
}

TEST_CASE("the explorer finds what brute force finds without chains", "[nightly]") {
  Options no_chains;
  no_chains.model.chains = false;
  for_each_seed(programs() / 6, [&](std::uint64_t seed) { return compare(seed + 1000000, 4 + seed % 4, no_chains); });
}

TEST_CASE("the explorer finds what brute force finds in the suite's flavour", "[nightly]") {
  Options suite;
  suite.model.flavour = judge::Flavour::KhronosSuite;
  for_each_seed(programs() / 6, [&](std::uint64_t seed) { return compare(seed + 2000000, 4 + seed % 4, suite); });
}

TEST_CASE("the explorer finds what brute force finds where a value is handed on by chains", "[nightly]") {
  for_each_seed(programs() / 3, [](std::uint64_t seed) {
    Options options;
    options.model.chains = seed % 4 != 0;
    return compare(random_chains(seed).program(), options, seed);
  });
}

TEST_CASE("the explorer finds what brute force finds where values go in circles", "[nightly]") {
  for_each_seed(programs() / 3,
                [](std::uint64_t seed) { return compare(random_values(seed, 4 + seed % 4).program(), {}, seed); });
}

TEST_CASE("the explorer finds what brute force finds of messages by every kind of instruction", "[nightly]") {
  for_each_seed(programs() / 6, [](std::uint64_t seed) { return compare(random_mixtures(seed).program(), {}, seed); });
}

TEST_CASE("the explorer finds what brute force finds where operations have tags", "[nightly]") {
  for_each_seed(programs() / 3, [](std::uint64_t seed) {
    Options options;
    options.model.chains = seed % 5 != 0;
    ScriptedProgram scripts = with_random_tags(seed % 2 == 0 ? random_chains(seed) : random_program(seed, 6), seed);
    const bool telling = seed % 3 == 0 && has_one_size(scripts);
    INFO(describe(scripts));
    return compare(telling ? scripts.telling_program() : scripts.program(), options, seed);
  });
}

TEST_CASE("the explorer finds what brute force finds where values are taken out of thin air", "[nightly]") {
  for_each_seed(programs() / 6, [](std::uint64_t seed) {
    Options options;
    options.thin_air = true;
    const ScriptedProgram scripts = random_values(seed + 5000000, 3 + seed % 4);
    Program program = scripts.program();
    // What no write has, and what one may have.
    program.thin_air_values = seed % 2 == 0 ? std::vector<Value>{7} : std::vector<Value>{1, 3};
    return compare(program, options, seed);
  });
}

// What the domain's operations order hangs on all three: an acquire before them, tags between, and agents that are in
// order anyway.
TEST_CASE("the explorer finds what brute force finds where tags meet operations of the device domain", "[nightly]") {
  for_each_seed(programs() / 3, [](std::uint64_t seed) {
    ScriptedProgram scripts = with_random_tags(random_messages(seed + 6000000, 5 + seed % 3), seed);
    if (seed % 3 == 0) scripts.system_synchronization.emplace_back(AgentId{0}, AgentId{1});
    const bool telling = seed % 2 == 0 && has_one_size(scripts);
    INFO(describe(scripts));
    return compare(telling ? scripts.telling_program() : scripts.program(), {}, seed);
  });
}

//= mmra:dropping type=test
TEST_CASE("with fewer incompatible tags a program has no more executions and races, and sometimes fewer", "[nightly]") {
  const std::uint64_t seeds = programs() / 6;
  std::uint64_t fewer = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds; ++seed) {
    const ScriptedProgram weak =
        with_random_tags(seed % 2 == 0 ? random_chains(seed) : random_messages(seed, 4 + seed % 3), seed);
    const Executions more = explored(weak.program(), {});
    ScriptedProgram strong = weak;
    for (std::uint64_t step = 0; step < 4; ++step) strong = with_fewer_tags(strong, 4 * seed + step);
    const Executions of_strong = explored(strong.program(), {});
    for (const auto& [text, seen] : of_strong) {
      INFO("seed " << seed << "\n" << text);
      const auto also = more.find(text);
      REQUIRE(also != more.end());
      REQUIRE((also->second.racy || !seen.racy));
    }
    fewer += difference(more, of_strong).empty() ? 0 : 1;
  }
  CAPTURE(fewer);
  CHECK(fewer > 0);
}

TEST_CASE("what the explorer finds does not depend on how it knows what agents may do", "[nightly]") {
  Options from_graphs;
  from_graphs.learned_steps = 0;
  for_each_seed(programs() / 6, [&](std::uint64_t seed) { return compare(seed + 3000000, 4 + seed % 4, from_graphs); });
  // Those of several sizes are left out.
  for_each_seed(programs() / 6,
                [](std::uint64_t seed) { return compare(seed + 4000000, 4 + seed % 4, {}, Agents::Telling); });
}

// One in half a million: a value that its reader itself writes later, a write between a read-modify-write and what it
// reads that is ordered along others only, a write behind a read of a value that no graph gives.
TEST_CASE("the explorer finds executions that it once did not find") {
  Options from_graphs;
  from_graphs.learned_steps = 0;
  const std::pair<std::uint64_t, std::uint64_t> known[] = {{3013147, 0x81cc2e16d5420da6},
                                                           {166019959, 0x49f9eb581a2ae2d7},
                                                           {184191318, 0xec1bf22b953253ee},
                                                           {185032483, 0xb1945bdeb2d924cc},
                                                           {187006606, 0x1321f28b8ec6f75}};
  for (const auto& [seed, expected] : known) {
    INFO("of seed " << seed << " the generator makes\n" << describe(random_program(seed, 4 + seed % 4)));
    CHECK(fingerprint(random_program(seed, 4 + seed % 4)) == expected);
    CHECK(compare(seed, 4 + seed % 4, {}));
    CHECK(compare(seed, 4 + seed % 4, from_graphs));
  }
}
