#pragma once

/// \file
/// Recorded executions of a run, cut where nothing before can matter any more.

#include <functional>

#include "emulator/trace/recorder.h"

namespace heddle::advice {

/// Records what lies between two memory dependencies: all before the first is ordered before all
/// after it, and counts as initial values.
//= vk:memory-model-vulkan-availability-visibility
class Segments final : public trace::Listener {
 public:
  /// Is called with every execution of at most `most` operations, and with null for a longer one.
  Segments(std::size_t most, std::function<void(const model::Execution*)> call) : most_(most), call_(std::move(call)) {}

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  /// The barriers of kernels have no quorum: all who come to one pass it.
  void passes(model::OperationIndex, std::span<const model::OperationIndex>) override {}
  void placed(model::OperationIndex write) override;

 private:
  bool fits() const { return next_ - begin_ <= most_; }
  AgentId own(AgentId agent) const { return static_cast<AgentId>(static_cast<std::uint32_t>(agent) - first_agent_); }

  std::size_t most_;
  std::function<void(const model::Execution*)> call_;
  trace::Recorder recorder_;
  model::OperationIndex begin_ = 0;
  model::OperationIndex next_ = 0;
  std::uint32_t first_agent_ = 0;
  std::uint32_t next_agent_ = 0;
  std::vector<trace::Source> sources_;
};

}  // namespace heddle::advice
