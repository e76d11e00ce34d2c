#pragma once

/// \file
/// What goes wrong in a run of host threads, as findings and for reports of races.

#include <heddle/host_thread.h>

#include <optional>
#include <string>
#include <vector>

#include "emulator/mu/host/names.h"
#include "emulator/mu/machine/detector.h"
#include "runtime/last_words.h"
#include "runtime/unwind.h"

namespace heddle::watch {
class RaceLog;
}  // namespace heddle::watch

namespace heddle::mu::host {

/// The report of one run: what ends the run, and what was found until then.
class Findings {
 public:
  /// All must outlive it.
  Findings(const threads::Options& options, const Names& names, const machine::Detector& detector)
      : options_(options), names_(names), detector_(detector) {}

  /// The run begins, on memory of this policy.
  void begin(std::string_view memory);
  /// The run ends with this one, which is told if the program ends before the run has. Returns it, for what is found
  /// out later to be added.
  Finding& end_with(Finding finding);
  /// A race of commands and host accesses, which the device has told of.
  void add(const DataRace& race);
  /// Stacks that cannot be unwound are given up from now on.
  void give_up_stacks() {
    if (!gives_up_) gives_up_.emplace();
  }
  /// Hands in what the detector has found since it was called last: the program may never come to the end of the run.
  void log_new_races();
  /// The run has ended, after so many operations.
  threads::Report report(std::uint64_t operations, const std::string& trace);

 private:
  void add(FindingKind kind, std::string message, const SourceLocation& where, ThreadIndex thread);
  void tell_discoveries();
  void tell(const machine::Discovery& one);
  void log_race(const machine::Discovery& found);
  void log(DataRace race, RacingAccess first, RacingAccess second);
  std::string place_of(const machine::Watched& operation) const;
  std::string replay() const;

  const threads::Options& options_;
  const Names& names_;
  const machine::Detector& detector_;
  threads::Report report_;
  std::vector<Finding> device_races_;
  /// From the finding that ends the run on.
  std::optional<runtime::GivesUpStacks> gives_up_;
  std::optional<runtime::LastText> told_last_;
  /// For `heddle races` and HEDDLE_RACES; null without.
  heddle::watch::RaceLog* log_ = nullptr;
  std::uint64_t log_run_ = 0;
  std::size_t logged_ = 0;
};

}  // namespace heddle::mu::host
