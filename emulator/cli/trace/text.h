#pragma once

/// \file
/// Traces as text.

#include <cstdio>
#include <string>
#include <unordered_map>

#include "emulator/cli/trace/event_numbers.h"
#include "emulator/cli/trace/names.h"
#include "emulator/trace/api_steps.h"
#include "emulator/trace/components.h"
#include "emulator/trace/listener.h"

namespace heddle::cli {

/// Writes a line for each event, each stale read and each data race, as they come. Numbers behind # are those of
/// events.
class TraceText final : public trace::Listener, public trace::ApiListener {
 public:
  explicit TraceText(std::FILE* to) : to_(to) {}

  /// Throws std::runtime_error for what is no record of a race.
  void raced(const trace::ToldRace& race);
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

  void step_begins(std::uint64_t step, const trace::ApiStep& told) override;
  void step_follows(std::uint64_t step, std::uint64_t earlier) override;
  void step_is_stale(std::uint64_t step, const trace::OldValues& values) override;
  void step_ends(std::uint64_t step) override;
  void held_back(const trace::HeldBack& held) override;

 private:
  void print(std::string_view line);
  /// "#12", or "the initial value".
  std::string number(trace::OperationIndex index) const;
  std::string sources_of(const Locations& bytes, std::span<const trace::Source> sources) const;

  std::FILE* to_;
  TraceNames names_;
  EventNumbers events_;
  /// By step the number of its event.
  std::unordered_map<std::uint64_t, std::uint64_t> steps_;
  /// Whether the next operation has words of its own.
  bool called_ = false;
};

}  // namespace heddle::cli
