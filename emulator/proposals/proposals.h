#pragma once

/// \file
/// Changes that are tried on the program: it is run again with each, and only what mends a race, and brings nothing
/// new, is proposed.

#include <heddle/report.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::proposals {

/// What one run of a program showed.
struct RunResult {
  RaceReport report;
  /// What was wrong with the run apart from its races; empty if nothing was.
  std::string failure;
  /// Its kind, "barrier divergence": with a change one of another kind than the program has without is new.
  std::string failure_kind;
};

/// A program that can be run again with edits.
class Program {
 public:
  virtual ~Program() = default;
  /// Runs of one number are alike but for the edits; number 0 is the one that raced. Nothing if there was no time to
  /// run it to its end.
  std::optional<RunResult> run(const std::vector<Edit>& edits, std::uint64_t number) {
    return run(edits, number, false);
  }
  /// As that; with its races explained, their changes are wanted, too.
  virtual std::optional<RunResult> run(const std::vector<Edit>& edits, std::uint64_t number, bool explained) = 0;
  /// From now on all runs are on a device like that of the run that raced, with its subgroups. False if they are
  /// anyway.
  virtual bool narrow() { return false; }
  /// Whether a person does not want to wait for any more runs.
  virtual bool was_interrupted() const { return false; }
};

struct Limits {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::time_point::max();
  /// So many runs with each change, and so many with all that are proposed.
  std::uint64_t runs = 20;
  std::uint64_t together_runs = 40;
  /// So many changes are looked for that mend one race.
  std::size_t changes = 3;
  /// Is told how many changes were tried of how many there are; may be null.
  std::function<void(std::size_t done, std::size_t all)> progress = nullptr;
  /// How to ask for more time: a part of a sentence.
  std::string more_time;
};

/// What trying came to, beside what the report has.
struct Outcome {
  /// With some changes no race came, and the program failed as it does without: lines that say so, with the changes. A
  /// remark of the report as well. Empty if nothing is to be said.
  std::string failure_stays;
  /// The time was up, or a person interrupted, before all that there was had been tried.
  bool ended_early = false;
};

/// Replaces the changes of the races that have candidates by those that mend them on the program, and says of the
/// others why there are none; adds those that make the whole program clean.
Outcome try_changes(RaceReport& report, Program& program, const Limits& limits);

/// The remark of a report that says that a kernel is wrong, or ended early; empty if there is none.
std::string failure_in(const RaceReport& report);

}  // namespace heddle::proposals
