#pragma once

/// \file
/// Races of commands and of the host as reports have them.

#include <heddle/device_options.h>
#include <heddle/report.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/queues/domains.h"
#include "emulator/queues/order.h"
#include "emulator/queues/races.h"
#include "emulator/queues/wide_barriers.h"
#include "emulator/report/collector.h"
#include "emulator/trace/dispatch.h"

namespace heddle::queues {

class RaceTeller {
 public:
  /// All of them must outlive it. Where HEDDLE_RACES asks for a report of the program, what is told is in it.
  /// `run` is the number of the device in that report, if it has one already.
  RaceTeller(const Order& order, Domains& domains, const DeviceOptions& options, std::optional<report::RunId> run);

  /// The dispatch of that command begins.
  void runs(NodeId command, const trace::Dispatch& dispatch) { dispatches_.emplace(command, dispatch); }
  /// `call` is told of each race from now on, with its record.
  using OnTold = std::function<void(const FoundRace& race, const std::string& record)>;
  void on_told(OnTold call) { on_told_ = std::move(call); }
  /// Tells the races of the list that it has not told yet.
  void tell(const std::vector<FoundRace>& found);
  const std::vector<DataRace>& races() const { return races_; }
  /// At the end: what was wider than this run and those before it in this process needed.
  void tell_advice(const WideBarriers& wide) const;

 private:
  DataRace race_of(FoundRace found) const;
  RacingAccess side(const Heard& heard) const;

  const Order& order_;
  Domains& domains_;
  const DeviceOptions& options_;
  std::map<NodeId, trace::Dispatch> dispatches_;
  OnTold on_told_;
  std::size_t told_ = 0;
  report::RunId run_ = 0;
  std::vector<DataRace> races_;
};

/// What was wider than the run needed.
std::vector<OrderingAdvice> advice_of(const WideBarriers& wide);

}  // namespace heddle::queues
