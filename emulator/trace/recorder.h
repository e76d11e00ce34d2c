#pragma once

/// \file
/// Makes a recorded execution of what a memory tells.

#include <unordered_map>
#include <vector>

#include "emulator/trace/listener.h"

namespace heddle::trace {

/// Keeps everything: for programs of some hundred operations. For longer ones there is the trace
/// file.
class Recorder final : public Listener {
 public:
  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId first, AgentId second) override;
  void has_stages_in_order(std::span<const model::AgentPair> interlock,
                           std::span<const model::AgentPair> inputs) override;
  void has_host_side(const std::shared_ptr<const model::HostSide>& side) override { execution_.host = side; }
  void call_comes_after(OperationIndex call, std::span<const AgentId> agents,
                        std::span<const OperationIndex> calls) override;
  void comes_after_call(AgentId agent, OperationIndex call) override;
  void dependency(bool memory) override;
  void operation(OperationIndex index, const Operation& operation, Value read, Value written,
                 std::span<const Source> sources) override;
  void late(OperationIndex read, OperationIndex before) override;
  void passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) override;
  void placed(OperationIndex write) override;

  /// The execution so far. Modification order has every pair of mutually ordered atomic writes that
  /// were placed. A memory dependency is an agent of its own, after all others. Operations have the order in
  /// which they were told, but that reads that were answered late stand where program order has them.
  model::Execution execution() const;
  /// Where in execution() the operation is that was told as number `index`, and the other way round.
  OperationIndex position(OperationIndex index) const;
  OperationIndex told_as(OperationIndex position) const;

  /// Forgets everything.
  void clear();

 private:
  model::Execution execution_;
  /// In the order of their places.
  std::vector<OperationIndex> placed_;
  /// Read-modify-writes, and how many writes had been placed when each was told.
  struct Update {
    OperationIndex index = 0;
    std::size_t placed_before = 0;
  };
  std::vector<Update> updates_;
  /// Empty if nothing was answered late; else the numbers of all operations, in program order.
  std::vector<OperationIndex> order_;
  /// How many agents had begun, and whether it is a memory dependency.
  struct Dependency {
    std::size_t agents = 0;
    bool memory = false;
  };
  void add(model::Execution& execution, const Dependency& dependency) const;
  void add_calls(model::Execution& execution) const;
  model::Execution in_program_order() const;
  /// See Listener::placed.
  void read_from_those_between(model::Execution& execution) const;
  std::vector<Dependency> dependencies_;
  /// Agents that come after a call of the host.
  std::vector<std::pair<AgentId, OperationIndex>> after_calls_;
};

}  // namespace heddle::trace
