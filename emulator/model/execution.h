#pragma once

/// \file
/// The recorded execution: what the cache machine leaves behind, what the explorer enumerates and
/// what the judge judges.

#include <heddle/operation.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/model/place.h"

namespace heddle::model {

/// The bytes of one access, little-endian; an access has at most 8 of them, and wider accesses are
/// recorded as several operations.
using Value = std::uint64_t;

/// Position in Execution::operations.
using OperationIndex = std::uint32_t;

/// Stands for the write that a read of the initial value takes its value from.
inline constexpr OperationIndex kInitialValue = ~OperationIndex{0};

/// `read` takes `bytes` (a part of its locations, or all of them) from `write`.
struct ReadsFrom {
  OperationIndex read = 0;
  OperationIndex write = kInitialValue;
  Locations bytes;

  friend bool operator==(const ReadsFrom&, const ReadsFrom&) = default;
};

using OperationPair = std::pair<OperationIndex, OperationIndex>;
using AgentPair = std::pair<AgentId, AgentId>;

/// The arrivals that synchronize in one control-barrier instance with a quorum. Everybody who got
/// through acquires from them; the others release nothing. An instance without such a record
/// synchronizes everybody.
struct QuorumChoice {
  std::uint64_t barrier_instance = 0;
  std::vector<OperationIndex> synchronizing;

  friend bool operator==(const QuorumChoice&, const QuorumChoice&) = default;
};

/// `created` exists because of `call`, an operation of kind ShaderCall.
struct ShaderCallEdge {
  OperationIndex call = 0;
  AgentId created{};

  friend bool operator==(const ShaderCallEdge&, const ShaderCallEdge&) = default;
};

struct HostSide;

/// One execution. Operations of one agent stand in program order; between agents the order of the
/// vector means nothing.
struct Execution {
  /// Indexed by AgentId.
  std::vector<Place> agents;

  std::vector<Operation> operations;
  /// What each operation reads and writes, if it does; indexed like `operations`.
  std::vector<Value> read_values;
  std::vector<Value> written_values;

  /// Every byte that an operation reads is in exactly one entry. A byte that is in none is a byte of
  /// which nothing is known, and puts no constraint on the execution.
  std::vector<ReadsFrom> reads_from;

  /// Pairs of mutually ordered atomic writes, earlier first: every such pair once, in one direction.
  std::vector<OperationPair> modification_order;

  /// The first operation system-synchronizes with the second; for agents: each operation of the
  /// first with each of the second. Transitive closure is the judge's work.
  std::vector<OperationPair> system_synchronization;
  std::vector<AgentPair> agent_system_synchronization;

  /// Pairs of operations of host agents that the host language's own memory model orders
  /// (inter-thread-happens-before there).
  std::vector<OperationPair> host_order;

  /// The API's part, which does not change while the execution goes on; null without one.
  std::shared_ptr<const HostSide> host;

  std::vector<QuorumChoice> quorum_choices;

  std::vector<ShaderCallEdge> shader_calls;
  /// Overlapping fragment invocations: the first executed the interlocked code before the second.
  std::vector<AgentPair> interlock_order;
  /// The outputs of the first contributed to generating the second.
  std::vector<AgentPair> shader_inputs;

  const Place& place(AgentId agent) const { return agents[static_cast<std::size_t>(agent)]; }
  const Place& place(OperationIndex index) const { return place(operations[index].agent); }
};

/// Adds an agent that makes everything available to the device domain, and visible from it: what a
/// memory dependency does between the agents that system-synchronize with it and those that it
/// system-synchronizes with, which the caller says. Source: Vulkan memory model, "Availability and Visibility in
/// Vulkan".
AgentId add_memory_dependency(Execution& execution);

}  // namespace heddle::model
