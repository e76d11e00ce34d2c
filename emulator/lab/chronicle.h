#pragma once

/// \file
/// What has happened in a game: its operations, and what memory did beside them.

#include <heddle/operation.h>

#include <cstdint>
#include <vector>

#include "emulator/trace/listener.h"

namespace heddle::lab {

using trace::CacheLevel;
using trace::OperationIndex;

/// An operation that was executed.
struct Told {
  Operation operation;
  /// The number of the move that executed it, from 1: what players call it.
  std::size_t step = 0;
  trace::Value read = 0;
  trace::Value written = 0;
  /// Where a read comes from. A litmus variable is read as a whole.
  OperationIndex source = model::kInitialValue;
  /// What a read missed that was served by a stale copy.
  OperationIndex missed = model::kInitialValue;
  bool stale = false;
  /// The operation before which a read stands in program order that was answered late.
  OperationIndex before = model::kInitialValue;
};

enum class EffectKind : std::uint8_t { Moved, Placed, Passes, Ends, Synchronizes };

/// Something that memory or a thread did, beside the operations.
struct Effect {
  EffectKind kind = EffectKind::Moved;
  /// The write that moved or was placed, or the arrival that passes.
  OperationIndex operation = 0;
  /// Moved: whose cache. Ends and Synchronizes: who.
  AgentId agent{};
  /// Synchronizes: who comes after.
  AgentId other{};
  CacheLevel from = CacheLevel::Agent;
  CacheLevel to = CacheLevel::Agent;
  trace::MoveReason reason = trace::MoveReason::Eviction;
};

/// Keeps all of it, in the order in which it comes.
class Chronicle final : public trace::Listener {
 public:
  const std::vector<Told>& told() const { return told_; }
  const std::vector<Effect>& effects() const { return effects_; }
  void clear() {
    told_.clear();
    effects_.clear();
    step_ = 0;
  }
  /// What comes now belongs to the next move.
  void next_step() { ++step_; }

  void agent_begins(AgentId, const model::Place&) override {}
  void agent_ends(AgentId agent) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void operation(OperationIndex index, const Operation& operation, trace::Value read, trace::Value written,
                 std::span<const trace::Source> sources) override;
  void late(OperationIndex read, OperationIndex before) override;
  void passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) override;
  void placed(OperationIndex write) override;
  void moved(OperationIndex write, const Locations& bytes, AgentId agent, CacheLevel from, CacheLevel to,
             trace::MoveReason reason) override;
  void stale(OperationIndex read, OperationIndex missed, CacheLevel kept_in) override;

 private:
  std::vector<Told> told_;
  std::vector<Effect> effects_;
  std::size_t step_ = 0;
};

}  // namespace heddle::lab
