#pragma once

/// \file
/// Changes that explore_seeds has tried on trials, tried again on more of them.

#include <catch2/catch.hpp>

#include <heddle/edit.h>
#include <heddle/explore.h>

#include <algorithm>
#include <string>
#include <vector>

namespace heddle::test {

using Words = std::vector<std::string>;

inline SeedOptions quiet() {
  SeedOptions options;
  options.print_to = nullptr;
  options.jobs = 1;
  options.shrink_budget = std::chrono::milliseconds(0);
  options.stop_at_first = false;
  options.device.races = true;
  options.replay_file = "";
  return options;
}

template <typename Test>
RaceReport report_of(const Test& test, std::uint64_t seeds = 20) {
  SeedOptions options = quiet();
  options.change_budget = std::chrono::minutes(10);
  return explore_seeds(test, seeds, options).races;
}

/// With the edits of the changes that were found none of these seeds races, or fails.
template <typename Test>
void check_clean_with(const RaceReport& report, const Test& test) {
  REQUIRE_FALSE(report.together.empty());
  SeedOptions options = quiet();
  for (const CandidateChange& change : report.together)
    options.device.edits.insert(options.device.edits.end(), change.edits.begin(), change.edits.end());
  constexpr std::uint64_t kSeeds = 200;
  const SeedReport again = explore_seeds(test, kSeeds, options);
  for (const Edit& edit : options.device.edits) UNSCOPED_INFO(to_text(edit));
  CHECK_FALSE(again.failed());
  CHECK(again.races.races.empty());
}

/// The first change has one of these words.
template <typename Test>
void check_first(const Test& test, const Words& words) {
  const RaceReport report = report_of(test);
  REQUIRE_FALSE(report.races.empty());
  const DataRace& race = report.races.front();
  INFO(to_string(race));
  for (const CandidateChange& change : report.together)
    for (const Edit& edit : change.edits) UNSCOPED_INFO(to_text(edit));
  REQUIRE_FALSE(race.changes.empty());
  CHECK(race.tried_runs > 0);
  CHECK(std::any_of(words.begin(), words.end(),
                    [&](const std::string& word) { return race.changes.front().find(word) != std::string::npos; }));
  check_clean_with(report, test);
}

}  // namespace heddle::test
