#include <catch2/catch.hpp>

#include <string>

#include "tests/explore/brute_force.h"
#include "tests/explore/script.h"
#include "tests/how_many.h"

using namespace heddle;
using namespace heddle::explore;

namespace {

std::uint64_t programs() { return how_many("HEDDLE_RANDOM_PROGRAMS", 6000, 500000); }

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

void compare(std::uint64_t seed, std::size_t lines, const Options& options,
             Agents agents = Agents::Opaque) {
  ScriptedProgram scripts = random_program(seed, lines);
  if (agents == Agents::Telling && !has_one_size(scripts)) return;
  const Program program =
      agents == Agents::Telling ? scripts.telling_program() : scripts.program();
  const auto expected = brute_force(program, options.model, kMostCandidates);
  if (!expected) return;
  const Executions found = explored(program, options);
  INFO("seed " << seed << ", " << lines << " lines");
  INFO("explorer: " << difference(found, *expected));
  INFO("brute force: " << difference(*expected, found));
  bool once = true;
  for (const auto& [text, seen] : found) once = once && seen.times == 1;
  const bool equal = difference(found, *expected).empty() && difference(*expected, found).empty();
  REQUIRE(equal);
  REQUIRE(once);
}

}  // namespace

TEST_CASE("the explorer finds what brute force finds, each execution once", "[nightly]") {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs(); ++seed) compare(seed, 4 + seed % 4, {});
}

TEST_CASE("the explorer finds what brute force finds without chains and in the suite's flavour", "[nightly]") {
  Options no_chains;
  no_chains.model.chains = false;
  Options suite;
  suite.model.flavour = judge::Flavour::KhronosSuite;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs() / 6; ++seed) {
    compare(seed + 1000000, 4 + seed % 4, no_chains);
    compare(seed + 2000000, 4 + seed % 4, suite);
  }
}

TEST_CASE("what the explorer finds does not depend on how it knows what agents may do", "[nightly]") {
  Options from_graphs;
  from_graphs.learned_steps = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs() / 6; ++seed) {
    compare(seed + 3000000, 4 + seed % 4, from_graphs);
    compare(seed + 4000000, 4 + seed % 4, {}, Agents::Telling);
  }
}
