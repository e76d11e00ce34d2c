#pragma once

/// \file
/// The data races of a run, with what is missing and with changes that order the accesses.

#include <heddle/report.h>

#include <vector>

#include "emulator/advice/changes.h"
#include "emulator/advice/neighbourhood.h"
#include "emulator/race/kernel_detector.h"
#include "emulator/run/dispatched.h"
#include "emulator/run/race_explainer.h"
#include "emulator/run/setting.h"
#include "emulator/trace/listener.h"

namespace heddle::run {

/// Listens to the runs of a program without relaxation tags, one after the other, and tells each pair of instructions
/// that races in an object once: a race that a later run has again is counted.
class Races final : public trace::Listener {
 public:
  /// `changes`: what a front end says of the changes that may be proposed. All must outlive it.
  Races(const Setting& setting, const trace::Instructions& instructions, advice::ChangeOptions changes = {});

  /// The next run begins.
  void restart();
  const std::vector<DataRace>& found() const { return found_; }

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) override;
  void agents_end(AgentId first, std::uint32_t count) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void dispatched(const trace::Dispatch& dispatch) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override;
  void placed(model::OperationIndex write) override;
  bool hears_moves() const override { return false; }

 private:
  void note(const race::KernelRace& race);
  /// The race of this object and these instructions, if it is known.
  DataRace* known(const DataRace& race);
  void add_object_and_values(const race::KernelRace& race, DataRace& noted) const;

  const Setting& setting_;
  const advice::ChangeOptions changes_;
  race::KernelDetector detector_;
  advice::Recent recent_;
  Dispatched dispatched_;
  RaceExplainer explainer_{detector_, recent_, dispatched_};
  /// The operation that the memory tells just now.
  const Operation* now_ = nullptr;
  advice::AccessValues values_;
  std::vector<DataRace> found_;
  /// How many runs there were, and for each of found_ the last one that had it.
  std::uint64_t run_ = 0;
  std::vector<std::uint64_t> last_run_;
  /// By number of the detector's races in this run: the place in found_.
  std::vector<std::size_t> found_as_;
};

}  // namespace heddle::run
