// The change that is proposed for each wrong form of a kernel mends it, or the report says that there is none.
#include <catch2/catch.hpp>

#include <heddle/explore.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

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
  options.change_budget = std::chrono::milliseconds(options.device.edits.empty() ? 20000 : 0);
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

TEST_CASE("probe", "[.probe]") {
  const char* wanted = std::getenv("PROBE");
  const std::vector<Program> all = corpus::all();
  std::size_t right = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (wanted && std::strtoul(wanted, nullptr, 10) != i) continue;
    const RaceReport report = explored(all[i], 1, 20, {}).races;
    std::string verdict = "NO RACE";
    std::vector<CandidateChange> changes;
    if (!report.races.empty()) {
      changes = proposed(report);
      std::vector<Edit> edits;
      for (const CandidateChange& change : changes) edits.insert(edits.end(), change.edits.begin(), change.edits.end());
      if (edits.empty()) {
        verdict = "NONE: " + (report.races[0].changes.empty() ? report.races[0].no_change : report.races[0].changes[0]);
      } else {
        const SeedReport again = explored(all[i], 1000, how_many("HEDDLE_CORPUS_SEEDS", 100, 1000), edits);
        verdict = again.races.races.empty() && !again.failed() ? "ok"
                  : !again.races.races.empty()                 ? "RACES"
                                                               : "FAILS " + again.failures[0].what;
        right += verdict == "ok" ? 1 : 0;
      }
    }
    std::printf("%zu %s: %s\n", i, all[i].name.c_str(), verdict.c_str());
    for (const CandidateChange& change : changes)
      std::printf("      %s%s\n", report.together.empty() ? "(alone) " : "", change.text.c_str());
    if (!report.races.empty()) std::printf("      why: %s\n", report.races[0].reason.c_str());
    if (wanted) {
      std::printf("%s%s", told(report).c_str(), changed(changes).c_str());
      for (const DataRace& race : report.races) {
        std::puts("candidates:");
        std::printf("%s", changed(race.candidates).c_str());
      }
    }
    std::fflush(stdout);
  }
  std::printf("%zu of %zu\n", right, all.size());
}
