#pragma once

#include <heddle/host.h>

#include <deque>

#include "emulator/advice/neighbourhood.h"
#include "emulator/race/kernel_detector.h"

namespace heddle::detail {

class DeviceState;

/// Looks for data races in what a device's memory tells, and knows what people call things.
class RaceWatch final : public trace::Listener {
 public:
  /// The device must outlive it.
  explicit RaceWatch(DeviceState& device);

  /// From now on agents from `first` on are invocations of a dispatch with this grid.
  void dispatch_begins(std::uint64_t number, std::uint32_t first, const runtime::Grid& grid,
                       emulation::Emulator& emulator);
  void dispatch_ends() { emulator_ = nullptr; }

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read,
                 model::Value written, std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex arrival,
              std::span<const model::OperationIndex> synchronizing) override;
  void placed(model::OperationIndex write) override;
  bool needs_plain_sources() const override { return false; }

  /// Gravest first.
  std::vector<DataRace> races() const;

 private:
  struct Dispatch {
    std::uint64_t number = 0;
    std::uint32_t first_agent = 0;
    runtime::Grid grid;
    std::vector<std::uint32_t> positions;
  };

  void note(const race::KernelRace& race);
  void advise(const race::KernelRace& race, DataRace& noted) const;
  RacingAccess access(AgentId agent, const Operation& operation) const;
  const Dispatch& dispatch_of(AgentId agent) const;

  DeviceState& device_;
  race::KernelDetector detector_;
  advice::Recent recent_;
  std::deque<Dispatch> dispatches_;
  emulation::Emulator* emulator_ = nullptr;
  /// As the detector's.
  std::vector<DataRace> races_;
};

/// What HEDDLE_RACES asks for; nothing if it is not set. Throws std::invalid_argument.
std::optional<ReportFormat> wanted_report();
/// Writes the report where HEDDLE_RACES_FILE says.
void write_report(const std::vector<DataRace>& races, ReportFormat format);

}  // namespace heddle::detail
