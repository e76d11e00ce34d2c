// The change that is proposed first for what is planted, applied as an edit, leaves no finding.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <heddle/explore.h>

#include "tests/field/field.h"
#include "tests/how_many.h"

namespace heddle::field {
namespace {

SeedReport explored(const Case& one, std::uint64_t first, std::uint64_t seeds, std::vector<Edit> edits) {
  SeedOptions options;
  options.print_to = nullptr;
  options.jobs = 1;
  options.stop_at_first = false;
  options.shrink_budget = std::chrono::milliseconds(0);
  options.replay_file = "";
  options.first_seed = first;
  options.change_budget = std::chrono::minutes(edits.empty() ? 10 : 0);
  options.device.mode = Mode::Emulated;
  options.device.subgroup_size = 2;
  options.device.races = true;
  options.device.edits = std::move(edits);
  // A barrier of a subgroup mends a race on the device that it was tried on.
  options.sweep = "none";
  return explore_seeds([&](Trial& trial) { return one.dispatched.run(trial.device()); }, seeds, options);
}

/// A barrier is proposed where no instruction stands that all come to, so that it cannot be tried; or none is, since
/// what is missing stands beside the two that race.
constexpr std::array<std::string_view, 3> kUntried = {"tree: no barrier 2", "published: no barrier 2",
                                                      "scan: barriers without memory"};

void check_changes(const std::vector<Case>& cases) {
  const std::uint64_t seeds = how_many("HEDDLE_FIELD_SEEDS", 10, 1000);
  for (const Case& one : cases) {
    if (one.right || std::find(kUntried.begin(), kUntried.end(), one.name) != kUntried.end()) continue;
    INFO(one.name);
    const RaceReport report = explored(one, 1, 10, {}).races;
    REQUIRE_FALSE(report.races.empty());
    INFO(to_string(report.races.front()));
    CHECK_FALSE(report.together.empty());
    std::vector<Edit> edits;
    for (const CandidateChange& change : report.together) {
      UNSCOPED_INFO("with: " << change.text);
      edits.insert(edits.end(), change.edits.begin(), change.edits.end());
      if (std::getenv("HEDDLE_FIELD_PRINT")) std::printf("%s: %s\n", one.name.c_str(), change.text.c_str());
    }
    const SeedReport again = explored(one, 1000, seeds, edits);
    CHECK_FALSE(again.failed());
    CHECK(again.races.races.empty());
  }
}

}  // namespace

TEST_CASE("messages of the field that are planted are clean with the first change", "[nightly]") {
  check_changes(messages());
}

TEST_CASE("locks, tables and counters of the field that are planted are clean with the first change", "[nightly]") {
  check_changes(shared_data());
}

TEST_CASE("kernels of one workgroup of the field that are planted are clean with the first change", "[nightly]") {
  check_changes(in_workgroup());
}

}  // namespace heddle::field
