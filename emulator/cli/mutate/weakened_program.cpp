#include "emulator/cli/mutate/weakened_program.h"

#include <heddle/edit.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "emulator/cli/interrupt.h"
#include "emulator/cli/mutate/explored.h"
#include "emulator/cli/races/program_run.h"
#include "emulator/cli/races/temporary_file.h"
#include "emulator/cli/races/variable.h"
#include "emulator/edits/list_text.h"
#include "emulator/proposals/proposals.h"
#include "emulator/report/records.h"
#include "emulator/report/report_text.h"

namespace heddle::cli {

struct WeakenedProgram::Ran {
  int status = 0;
  bool too_late = false;
  /// Whether it dispatched a kernel.
  bool has_kernels = false;
  /// Data races and findings, where they were looked for.
  std::string found;
  /// What its explorations tell.
  std::string executions;
};

namespace {

std::string what_is_in(const RaceReport& report) {
  const std::string failure = proposals::failure_in(report);
  if (!failure.empty() || report.races.empty()) return failure;
  const DataRace& race = report.races.front();
  return fmt::format("data race on {} in lines {} and {}", report::element(race), race.first.where.line,
                     race.second.where.line);
}

}  // namespace

std::optional<WeakenedProgram::Ran> WeakenedProgram::run(const std::vector<Edit>& edits, std::uint64_t seed, bool looks,
                                                         const std::string& survey) {
  constexpr int kTimesAsLong = 50;
  constexpr auto kAtLeast = std::chrono::seconds(1);
  interrupted_ = interrupted_ || interrupted();
  if (interrupted_ || Clock::now() >= end_) return std::nullopt;
  const TemporaryFile records;
  const TemporaryFile list;
  const TemporaryFile executions;
  std::ofstream(list.path()) << edits::text_of(edits);
  const Variable mode("HEDDLE_MODE", "emulated");
  const Variable races("HEDDLE_RACES", looks ? "records" : "");
  const Variable file("HEDDLE_RACES_FILE", records.path());
  const Variable of_edits("HEDDLE_EDITS", edits.empty() ? "" : list.path());
  const Variable explained("HEDDLE_RACES_CHANGES", "0");
  const Variable changes("HEDDLE_EXPLORE_CHANGES", "0");
  const Variable of_survey("HEDDLE_WEAKENINGS", survey);
  const Variable of_executions("HEDDLE_EXECUTIONS", executions.path());
  const Variable of_seed("HEDDLE_SEED", std::to_string(seed));
  const Variable memory("HEDDLE_MEMORY", value_or("HEDDLE_MEMORY", "random"));
  const auto patience =
      took_ == Clock::duration() ? end_ - Clock::now() : std::max<Clock::duration>(kTimesAsLong * took_, kAtLeast);
  const ProgramEnd end = run_quietly(program_, std::min(Clock::now() + patience, end_));
  interrupted_ = interrupted_ || end.interrupted;
  if (!end.error.empty()) error_ = "cannot run '" + program_[0] + "': " + end.error;
  if (end.interrupted || !end.error.empty() || (end.too_late && Clock::now() >= end_)) return std::nullopt;
  report::Collector collector;
  report::read_records(records.text(), collector);
  report::Suppressions none;
  return Ran{end.status, end.too_late, collector.has_runs(), what_is_in(collector.report(none)), executions.text()};
}

std::vector<Edit> WeakenedProgram::weakenings() {
  const TemporaryFile survey;
  const Clock::time_point begin = Clock::now();
  const std::optional<Ran> as_it_is = run({}, 1, true, survey.path());
  if (!as_it_is) {
    if (error_.empty()) error_ = interrupted_ ? "interrupted" : "the time was up before the program ended as it is";
    return {};
  }
  took_ = std::max<Clock::duration>(Clock::now() - begin, std::chrono::milliseconds(1));
  if (as_it_is->status != 0 || !as_it_is->found.empty()) {
    error_ = fmt::format("'{}' is wrong as it is ({}): mend that first", program_[0],
                         as_it_is->found.empty() ? fmt::format("it ended with {}", as_it_is->status) : as_it_is->found);
    return {};
  }
  executions_ = as_it_is->executions;
  std::vector<Edit> edits = edits_from_text(survey.text());
  if (edits.empty())
    error_ = fmt::format("{}: there is nothing to weaken",
                         as_it_is->has_kernels ? fmt::format("the kernels of '{}' order nothing", program_[0])
                                               : fmt::format("'{}' dispatched no kernel", program_[0]));
  return edits;
}

std::optional<Weakened> WeakenedProgram::run(const std::vector<Edit>& edits) {
  std::string executions;
  for (std::uint64_t seed = 1; seed <= seeds_; ++seed) {
    const std::optional<Ran> ran = run(edits, seed, false, "");
    if (!ran) return std::nullopt;
    executions = ran->executions;
    if (ran->status != 0 || ran->too_late)
      return Weakened{Weakened::Outcome::Noticed, seed,
                      ran->too_late ? "it did not end" : fmt::format("it ended with {}", ran->status)};
  }
  for (std::uint64_t seed = 1; seed <= seeds_; ++seed) {
    const std::optional<Ran> ran = run(edits, seed, true, "");
    if (!ran) return std::nullopt;
    if (!ran->found.empty()) return Weakened{Weakened::Outcome::Missed, seed, ran->found};
  }
  if (are_equivalent(executions_, executions, edits))
    return Weakened{Weakened::Outcome::Equivalent, 0, "all executions of what the program explores are the same"};
  return Weakened{};
}

}  // namespace heddle::cli
