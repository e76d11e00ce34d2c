#pragma once

/// \file
/// The data races of a run, with what is missing and with changes that order the accesses.

#include <heddle/report.h>

#include <vector>

#include "emulator/advice/changes.h"
#include "emulator/run/race_finder.h"
#include "emulator/run/setting.h"

namespace heddle::run {

/// Listens to the runs of a program without relaxation tags, one after the other, and tells each pair of instructions
/// that races in an object once: a race that a later run has again is counted.
class Races final : public RaceFinder {
 public:
  /// `changes`: what a front end says of the changes that may be proposed. All must outlive it.
  Races(const Setting& setting, const trace::Instructions& instructions, advice::ChangeOptions changes = {});

  /// The next run begins.
  void restart();
  const std::vector<DataRace>& found() const { return found_; }

 private:
  void note(const race::KernelRace& race) override;
  void note_again(std::size_t race, AgentId) override { ++found_[found_as_[race]].count; }
  /// The race of this object and these instructions, if it is known.
  DataRace* known(const DataRace& race);

  const Setting& setting_;
  const advice::ChangeOptions changes_;
  std::vector<DataRace> found_;
  /// How many runs there were, and for each of found_ the last one that had it.
  std::uint64_t run_ = 0;
  std::vector<std::uint64_t> last_run_;
  /// By number of the detector's races in this run: the place in found_.
  std::vector<std::size_t> found_as_;
};

}  // namespace heddle::run
