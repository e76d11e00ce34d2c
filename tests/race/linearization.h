#pragma once

/// \file
/// A recorded execution as a memory would have told it.

#include <cstdint>
#include <random>

#include "emulator/model/execution.h"
#include "emulator/trace/listener.h"

namespace heddle::race {

/// Hands everything that it hears to two listeners.
class Both final : public trace::Listener {
 public:
  Both(trace::Listener& first, trace::Listener& second) : first_(first), second_(second) {}
  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override;
  void placed(model::OperationIndex write) override;

 private:
  trace::Listener& first_;
  trace::Listener& second_;
};

/// Tells the execution in a random order in which every write comes before the reads that read from
/// it, and everybody who synchronizes at a control barrier arrives before anybody passes. False, and
/// nothing is told, if there is no such order (load buffering). `told_as` becomes the number that each
/// operation had in the stream.
bool tell(const model::Execution& execution, std::mt19937_64& random, trace::Listener& listener,
          std::vector<model::OperationIndex>& told_as);

}  // namespace heddle::race
