// The change that is proposed for each wrong form of a kernel mends it, or the report says that there is none.
#include <catch2/catch.hpp>

#include <heddle/edit.h>
#include <heddle/explore.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/edits/corpus/corpus.h"
#include "tests/how_many.h"

using namespace heddle;
using corpus::Program;

namespace {

SeedOptions quiet() {
  SeedOptions options;
  options.print_to = nullptr;
  options.jobs = 1;
  options.shrink_budget = std::chrono::milliseconds(0);
  options.stop_at_first = false;
  options.device.mode = Mode::Emulated;
  options.device.races = true;
  options.device.subgroup_size = 32;
  options.replay_file = "";
  return options;
}

SeedReport explored(const Program& program, std::uint64_t first, std::uint64_t seeds, std::vector<Edit> edits) {
  SeedOptions options = quiet();
  options.first_seed = first;
  options.device.edits = std::move(edits);
  options.change_budget = std::chrono::minutes(options.device.edits.empty() ? 10 : 0);
  return explore_seeds([&](Trial& trial) { return program.run(trial.device()); }, seeds, options);
}

/// What is proposed first: all of it together, where that is one.
std::vector<CandidateChange> proposed(const RaceReport& report) {
  if (!report.together.empty()) return report.together;
  const DataRace& race = report.races.front();
  std::vector<CandidateChange> first;
  const auto is_first = [&](const CandidateChange& one) {
    return !race.changes.empty() && one.text == race.changes.front();
  };
  const auto found = std::find_if(race.candidates.begin(), race.candidates.end(), is_first);
  if (found != race.candidates.end()) first.push_back(*found);
  return first;
}

std::string told(const RaceReport& report) {
  std::string text;
  for (const CandidateChange& change : report.together) text += "together: " + change.text + '\n';
  for (const DataRace& race : report.races) text += to_string(race) + '\n';
  return text;
}

std::string changed(const std::vector<CandidateChange>& changes) {
  std::string text;
  for (const CandidateChange& change : changes) {
    text += "with: " + change.text + '\n';
    for (const Edit& edit : change.edits) text += "      " + to_text(edit) + '\n';
  }
  return text;
}

}  // namespace

namespace {

/// The place of the change is told, but invocations do nothing in some rounds, so that it cannot be tried; or the
/// finding takes more changes than are put together.
constexpr std::array<std::string_view, 5> kUntried = {
    "a bitonic sort without its barrier", "the last steps of a sum by one subgroup without its barriers",
    "a ring of two without a barrier each second round", "a scan in lockstep",
    "odd and even steps in a buffer without a barrier"};
/// What is proposed leaves a race that shows in about one of 100 trials, more than are tried with it.
constexpr std::array<std::string_view, 1> kRare = {"a list whose nodes are pushed Relaxed"};

/// No candidate has what is missing, a barrier for those of a workgroup who do not listen themselves: what is proposed
/// is said to leave the result wrong.
constexpr std::array<std::string_view, 1> kStillWrong = {"partial tiles whose owner does not wait"};

template <std::size_t count>
bool is_in(const std::array<std::string_view, count>& names, const Program& program) {
  return std::find(names.begin(), names.end(), program.name) != names.end();
}

/// With HEDDLE_CORPUS_PRINT=1 in the environment: a line for each program, what is proposed and why it races.
void tell(const Program& program, const RaceReport& report) {
  if (!std::getenv("HEDDLE_CORPUS_PRINT")) return;
  std::printf("%s\n%s", program.name.c_str(), told(report).c_str());
}

void check_changes_of(const Program& program) {
  INFO(program.name);
  const RaceReport report = explored(program, 1, 20, {}).races;
  tell(program, report);
  CHECK_FALSE(report.races.empty());
  if (report.races.empty()) return;
  const std::vector<CandidateChange> changes = proposed(report);
  INFO(told(report) << changed(changes));
  if (is_in(kUntried, program)) {
    CHECK(report.together.empty());
    return;
  }
  if (is_in(kStillWrong, program)) {
    CHECK_THAT(report.races.front().changes.front(), Catch::Contains("the program still fails"));
    return;
  }
  std::vector<Edit> edits;
  for (const CandidateChange& change : changes) edits.insert(edits.end(), change.edits.begin(), change.edits.end());
  CHECK_FALSE(edits.empty());
  if (edits.empty() || is_in(kRare, program)) return;
  const SeedReport again = explored(program, 1000, how_many("HEDDLE_CORPUS_SEEDS", 30, 1000), edits);
  INFO(again.what());
  CHECK(again.races.races.empty());
  CHECK_FALSE(again.failed());
  if (!program.reason.empty()) CHECK_THAT(report.races.front().reason, Catch::Contains(program.reason));
}

/// The suite tries every second one; HEDDLE_CORPUS_ONE_IN=1 and the nightly form try all.
void check_changes(const std::vector<Program>& programs) {
  const std::uint64_t one_in = how_many("HEDDLE_CORPUS_ONE_IN", 2, 1);
  for (std::size_t i = 0; i < programs.size(); i += one_in) check_changes_of(programs[i]);
}

}  // namespace

TEST_CASE("tiles, scans and trees without a barrier are mended by the first change", "[nightly]") {
  check_changes(corpus::tiles());
}

TEST_CASE("what a workgroup uses again too early is mended by the first change", "[nightly]") {
  check_changes(corpus::rounds());
}

TEST_CASE("messages between workgroups that order nothing are mended by the first change", "[nightly]") {
  check_changes(corpus::messages());
}

TEST_CASE("locks, tables, queues and dispatches that order nothing are mended by the first change", "[nightly]") {
  check_changes(corpus::shared());
}

TEST_CASE("sorts, scans and solvers of one workgroup are mended by the first change", "[nightly]") {
  check_changes(corpus::algorithms());
}

TEST_CASE("locks, barriers, rings and queues of workgroups are mended by the first change", "[nightly]") {
  check_changes(corpus::structures());
}
