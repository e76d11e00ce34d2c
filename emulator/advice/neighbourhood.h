#pragma once

/// \file
/// The first operations of a run, and the part of them that two operations depend on.

#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/model/execution.h"
#include "emulator/trace/listener.h"

namespace heddle::advice {

/// What two agents did up to two racing operations, and the agents from whose atomics they read.
struct Neighbourhood {
  model::Execution execution;
  model::OperationIndex first = 0;
  model::OperationIndex second = 0;
  /// What the agents of the execution are called in the run.
  std::vector<AgentId> agents;
};

/// What an access read and wrote.
struct AccessValues {
  model::Value read = 0;
  model::Value written = 0;
};

/// Remembers what it hears since the last memory dependency, up to a number of operations.
class Recent final : public trace::Listener {
 public:
  explicit Recent(std::size_t most_operations) : most_(most_operations) {}

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read,
                 model::Value written, std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex, std::span<const model::OperationIndex>) override {}
  void placed(model::OperationIndex write) override;

  /// `agent`'s last operation like `first` (same instruction, overlapping bytes) before the
  /// operation `second`. Nothing if one of them is not remembered.
  std::optional<model::OperationIndex> last_like(const Operation& first, AgentId agent,
                                                 model::OperationIndex second) const;
  /// Of an operation that is remembered.
  AccessValues values(model::OperationIndex index) const { return values_[index - begin_]; }
  const Locations& locations(model::OperationIndex index) const { return at(index).locations; }

  /// Of the race between last_like(first, agent, second) and `second`. Nothing if that is not
  /// remembered, or if the part has more than `most` operations.
  std::optional<Neighbourhood> around(const Operation& first, AgentId agent,
                                      model::OperationIndex second, std::size_t most) const;

 private:
  bool has(model::OperationIndex index) const {
    return index >= begin_ && index - begin_ < operations_.size();
  }
  const Operation& at(model::OperationIndex index) const { return operations_[index - begin_]; }
  std::vector<AgentId> agents_of(AgentId first, model::OperationIndex second) const;
  void add_orders(
      Neighbourhood& part,
      const std::unordered_map<model::OperationIndex, model::OperationIndex>& number) const;

  std::size_t most_;
  model::OperationIndex begin_ = 0;
  model::OperationIndex next_ = 0;
  std::vector<Operation> operations_;
  std::vector<AccessValues> values_;
  std::vector<model::ReadsFrom> reads_from_;
  std::vector<model::OperationIndex> placed_;
  std::unordered_map<AgentId, model::Place> places_;
  /// The agent that begins next, and the first ones after each execution dependency.
  std::uint32_t next_agent_ = 0;
  std::vector<std::uint32_t> dependencies_;
};

}  // namespace heddle::advice
