#include "emulator/cli/races/repeated_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "emulator/cli/interrupt.h"
#include "emulator/cli/progress.h"
#include "emulator/cli/races/program_run.h"
#include "emulator/cli/races/temporary_file.h"
#include "emulator/cli/races/variable.h"
#include "emulator/edits/list_text.h"
#include "emulator/report/readable_report.h"
#include "emulator/report/records.h"
#include "emulator/report/report_text.h"
#include "runtime/seed.h"

namespace heddle::cli {
namespace {

// "element (lines 13 and 14)".
std::string name_of(const DataRace& race) {
  return fmt::format("{} in lines {} and {}", report::element(race), race.first.where.line, race.second.where.line);
}

/// How to ask for more time than that.
std::string more_than(double seconds) {
  constexpr double kAtLeast = 20;
  constexpr double kTimes = 5;
  return fmt::format("--change-seconds {:.0f} gives more", std::max(kAtLeast, kTimes * seconds));
}

}  // namespace

RepeatedProgram::RepeatedProgram(const std::vector<std::string>& program, Clock::duration took, Clock::time_point end)
    : program_(program),
      took_(took),
      end_(end),
      seed_(runtime::seed_from_text(value_or("HEDDLE_SEED", "1")).value_or(1)),
      varies_memory_(!is_set("HEDDLE_MEMORY")),
      varies_residents_(!is_set("HEDDLE_RESIDENT_WORKGROUPS")) {}

std::optional<proposals::RunResult> RepeatedProgram::run(const std::vector<Edit>& edits, std::uint64_t number,
                                                         bool explained) {
  // With edits each operation takes longer, and with a barrier more of them wait.
  constexpr int kTimesAsLong = 20;
  constexpr auto kAtLeast = std::chrono::milliseconds(500);
  constexpr const char* kManyResidents = "8";
  const Clock::time_point patience = Clock::now() + std::max<Clock::duration>(kTimesAsLong * took_, kAtLeast);
  interrupted_ = interrupted_ || interrupted();
  if (interrupted_ || Clock::now() >= end_) return std::nullopt;
  const TemporaryFile records;
  const TemporaryFile list;
  std::ofstream(list.path()) << edits::text_of(edits);
  const Variable file("HEDDLE_RACES_FILE", records.path());
  const Variable of_edits("HEDDLE_EDITS", edits.empty() ? "" : list.path());
  const Variable trace("HEDDLE_TRACE", "");
  // These runs make no failure smaller and try no changes of their own: nobody would be told of that.
  const Variable shrinking("HEDDLE_EXPLORE_SHRINK", "0");
  const Variable changes("HEDDLE_EXPLORE_CHANGES", "0");
  const Variable of_changes("HEDDLE_RACES_CHANGES", explained ? "" : "0");
  // A change is for the device that the program is tried on.
  const Variable sweep("HEDDLE_SWEEP", value_or("HEDDLE_SWEEP", "none"));
  const Variable seed("HEDDLE_SEED", std::to_string(seed_ + number));
  const Variable memory("HEDDLE_MEMORY", varies_memory_ && number % 2 == 1 ? "random" : value_or("HEDDLE_MEMORY", ""));
  const Variable residents("HEDDLE_RESIDENT_WORKGROUPS", varies_residents_ && number % 4 == 3
                                                             ? kManyResidents
                                                             : value_or("HEDDLE_RESIDENT_WORKGROUPS", ""));
  const ProgramEnd end = run_quietly(program_, std::min(patience, end_));
  interrupted_ = interrupted_ || end.interrupted;
  if (end.interrupted || !end.error.empty() || (end.too_late && Clock::now() >= end_)) return std::nullopt;
  report::Collector collector;
  report::read_records(records.text(), collector);
  report::Suppressions none;
  proposals::RunResult result;
  result.report = collector.report(none);
  result.failure = proposals::failure_in(result.report);
  result.failure_kind = result.failure.substr(0, result.failure.find(':'));
  if (end.too_late)
    result.failure = result.failure_kind = fmt::format("the program did not end in {} times its time", kTimesAsLong);
  if (result.failure.empty() && end.status != 0) result.failure = fmt::format("the program ended with {}", end.status);
  return result;
}

RaceReport without_changes(RaceReport report) {
  for (DataRace& race : report.races) {
    if (race.candidates.empty()) continue;
    race.changes.clear();
    race.no_change.clear();
    for (DataRace& other : race.related) other.changes.clear();
  }
  return report;
}

TriedChanges try_changes_on(RaceReport& report, const std::vector<std::string>& program,
                            RepeatedProgram::Clock::duration took, double seconds) {
  using Clock = RepeatedProgram::Clock;
  proposals::Limits limits;
  limits.end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  limits.more_time = more_than(seconds);
  Progress progress(0, true);
  limits.progress = [&](std::size_t done, std::size_t all) {
    progress.tell([&] { return fmt::format("trying changes on the program: {} of {}", done, all); });
  };
  RepeatedProgram repeated(program, took, limits.end);
  const proposals::Outcome outcome = proposals::try_changes(report, repeated, limits);
  return {outcome, repeated.was_interrupted(), limits.more_time};
}

std::string changes_text(const RaceReport& given, const TriedChanges& tried) {
  const RaceReport report = report::readable(given);
  std::string text = report::together_text(report);
  // That the failure stays is the last remark of the report, and the report is readable here.
  if (!tried.failure_stays.empty()) text += report.remarks.back() + '\n';
  for (const DataRace& race : report.races) {
    if (race.candidates.empty()) continue;
    text += name_of(race) + '\n';
    for (std::size_t i = 0; i < race.changes.size(); ++i)
      text += fmt::format("  {}  {}\n", i == 0 ? "change" : "or    ", race.changes[i]);
    if (race.tried_runs != 0) text += fmt::format("          {}\n", report::tried(race.tried_runs));
    if (race.changes.empty()) text += fmt::format("  change  none: {}\n", race.no_change);
  }
  return text;
}

}  // namespace heddle::cli
