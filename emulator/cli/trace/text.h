#pragma once

/// \file
/// Traces as text.

#include <cstdio>
#include <string>

#include "emulator/cli/trace/names.h"
#include "emulator/trace/listener.h"

namespace heddle::cli {

/// Writes a line for each operation, each movement between caches and each stale read, as they come. Numbers
/// behind # are those of operations.
class TraceText final : public trace::Listener {
 public:
  explicit TraceText(std::FILE* to) : to_(to) {}

  void called(std::string_view words) {
    called_ = true;
    names_.called(words);
  }
  void dispatched(const trace::Dispatch& dispatch) override;
  void named(const trace::NamedBytes& bytes) override { names_.named(bytes); }
  void agent_begins(AgentId agent, const model::Place& place) override {
    called_ = false;
    names_.agent_begins(agent, place);
  }
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void operation(trace::OperationIndex index, const Operation& operation, trace::Value read, trace::Value written,
                 std::span<const trace::Source> sources) override;
  void late(trace::OperationIndex read, trace::OperationIndex before) override;
  void passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex> synchronizing) override;
  void placed(trace::OperationIndex) override {}
  void moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
             trace::CacheLevel to, trace::MoveReason reason) override;
  void stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) override;

 private:
  void print(std::string_view line);

  std::FILE* to_;
  TraceNames names_;
  /// Whether the next operation has words of its own.
  bool called_ = false;
};

}  // namespace heddle::cli
