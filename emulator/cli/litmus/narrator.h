#pragma once

/// \file
/// Tells a run of a litmus test as a story: who did what, and what memory did meanwhile.

#include <string>
#include <vector>

#include "emulator/cli/litmus/machine.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "emulator/trace/listener.h"

namespace heddle::cli {

class Narrator final : public trace::Listener {
 public:
  explicit Narrator(const litmus::Test& test) : test_(test), agents_(litmus::agents_behind_threads(test)) {}

  const std::vector<ReplayEvent>& events() const { return events_; }

  void agent_begins(AgentId, const model::Place&) override {}
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool) override {}
  void operation(trace::OperationIndex index, const Operation& operation, trace::Value read, trace::Value written,
                 std::span<const trace::Source> sources) override;
  void late(trace::OperationIndex read, trace::OperationIndex before) override;
  void passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex> synchronizing) override;
  void placed(trace::OperationIndex write) override;
  void moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
             trace::CacheLevel to, trace::MoveReason reason) override;
  void stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) override;

 private:
  /// What is kept of an operation.
  struct Told {
    std::uint32_t thread = 0;
    std::uint32_t variable = 0;
    trace::Value written = 0;
    std::size_t event = 0;
  };

  void remark(const std::string& text);
  std::string thread(std::uint32_t index) const { return test_.threads[index].name(); }
  /// The column that an agent is in, and its name: "P0", "B0's `copy y, x`".
  std::uint32_t column(AgentId agent) const;
  std::string name(AgentId agent) const;
  std::string cache(AgentId agent, trace::CacheLevel level) const;
  /// "data = 1 of step 3"
  std::string write(trace::OperationIndex index) const;

  const litmus::Test& test_;
  std::vector<litmus::AgentInColumn> agents_;
  std::vector<Told> told_;
  std::vector<ReplayEvent> events_;
};

}  // namespace heddle::cli
