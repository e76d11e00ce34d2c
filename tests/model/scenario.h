#pragma once

/// \file
/// Executions written by hand, for tests.

#include <heddle/operation.h>

#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/model/execution.h"

namespace heddle::model {

inline constexpr MemorySemantics kUniform = MemorySemantics::UniformMemory;
inline constexpr MemorySemantics kShared = MemorySemantics::WorkgroupMemory;
inline constexpr MemorySemantics kImages = MemorySemantics::ImageMemory;

/// An operation, word by word: `write(x).atomic(Scope::Device).release(kUniform)`.
class Op : public Operation {
 public:
  Op& atomic_at(Scope s) {
    atomic = true;
    scope = s;
    return *this;
  }
  Op& acquire(MemorySemantics classes) { return with(MemorySemantics::Acquire | classes); }
  Op& release(MemorySemantics classes) { return with(MemorySemantics::Release | classes); }
  Op& acquire_release(MemorySemantics classes) { return with(MemorySemantics::AcquireRelease | classes); }
  Op& make_available() { return with(MemorySemantics::MakeAvailable); }
  Op& make_visible() { return with(MemorySemantics::MakeVisible); }
  Op& shared_with_others() {
    operands |= MemoryOperands::NonPrivatePointer;
    return *this;
  }
  Op& available_at(Scope s) {
    operands |= MemoryOperands::MakePointerAvailable;
    available_scope = s;
    return *this;
  }
  Op& visible_at(Scope s) {
    operands |= MemoryOperands::MakePointerVisible;
    visible_scope = s;
    return *this;
  }
  Op& through(std::uint32_t other_reference) {
    reference = static_cast<ReferenceId>(other_reference);
    return *this;
  }
  Op& in(StorageClass s) {
    storage_class = s;
    return *this;
  }
  Op& bytes(std::uint64_t offset, std::uint32_t size) {
    locations.offset_bytes = offset;
    locations.size_bytes = size;
    return *this;
  }

 private:
  Op& with(MemorySemantics s) {
    semantics |= s;
    return *this;
  }
};

/// Accesses to 4 bytes of storage buffer memory, through a reference of the variable's own.
inline Op access(OperationKind kind, std::uint32_t variable) {
  Op op;
  op.kind = kind;
  op.reference = static_cast<ReferenceId>(variable);
  op.locations = {static_cast<AllocationId>(variable), 0, 4};
  return op;
}
inline Op read(std::uint32_t variable) {
  return access(OperationKind::Read, variable);
}
inline Op write(std::uint32_t variable) {
  return access(OperationKind::Write, variable);
}
inline Op read_modify_write(std::uint32_t variable) {
  return access(OperationKind::ReadModifyWrite, variable);
}

inline Op barrier(OperationKind kind, Scope scope) {
  Op op;
  op.kind = kind;
  op.scope = scope;
  return op;
}
inline Op fence(Scope scope) {
  return barrier(OperationKind::MemoryBarrier, scope);
}
inline Op control_barrier(Scope scope, std::uint64_t instance = 1) {
  Op op = barrier(OperationKind::ControlBarrier, scope);
  op.barrier_instance = instance;
  return op;
}
inline Op step(OperationKind kind) {
  Op op;
  op.kind = kind;
  return op;
}

/// An execution that grows line by line.
class Scenario {
 public:
  Execution execution;

  AgentId agent(const Place& place) {
    execution.agents.push_back(place);
    return static_cast<AgentId>(execution.agents.size() - 1);
  }
  /// A shader invocation.
  AgentId invocation(std::uint32_t subgroup, std::uint32_t workgroup, std::uint32_t queue_family) {
    Place place;
    place.subgroup = subgroup;
    place.workgroup = workgroup;
    place.queue_family = queue_family;
    return agent(place);
  }
  OperationIndex add(AgentId agent, const Operation& operation) {
    execution.operations.push_back(operation);
    execution.operations.back().agent = agent;
    execution.read_values.push_back(0);
    execution.written_values.push_back(0);
    return static_cast<OperationIndex>(execution.operations.size() - 1);
  }
  void reads(OperationIndex read, OperationIndex write) {
    execution.reads_from.push_back({read, write, execution.operations[read].locations});
  }
  void reads_initial(OperationIndex read) { reads(read, kInitialValue); }
  void reads(OperationIndex read, OperationIndex write, std::uint64_t offset, std::uint32_t size) {
    const Locations& all = execution.operations[read].locations;
    execution.reads_from.push_back({read, write, {all.allocation, offset, size}});
  }
  void modified(OperationIndex earlier, OperationIndex later) {
    execution.modification_order.emplace_back(earlier, later);
  }
  void system_synchronizes(OperationIndex first, OperationIndex second) {
    execution.system_synchronization.emplace_back(first, second);
  }
  judge::Judgement judge(const judge::Options& options = {}) const { return judge::Judgement(execution, options); }
  /// Whether the two operations are in the relation.
  bool related(judge::RelationName name, OperationIndex a, OperationIndex b, const judge::Options& options = {}) const {
    const judge::Judgement judgement(execution, options);
    for (const OperationPair& pair : judgement.pairs(name))
      if (pair == OperationPair{a, b}) return true;
    return false;
  }
};

/// Message passing between two invocations, with nothing missing: the writer writes data, releases,
/// sets a flag; the reader sees the flag, acquires, reads data. Tests take one thing away.
struct MessagePassing {
  Scope scope = Scope::Device;
  Place writer_place;
  Place reader_place = other_workgroup();
  Op data_write = write(0).shared_with_others();
  Op release = fence(Scope::Device).release(kUniform).make_available();
  Op flag_write = write(1).atomic_at(Scope::Device);
  Op flag_read = read(1).atomic_at(Scope::Device);
  Op acquire = fence(Scope::Device).acquire(kUniform).make_visible();
  Op data_read = read(0).shared_with_others();
  judge::Options options;

  static Place other_workgroup() {
    Place place;
    place.workgroup = 1;
    return place;
  }

  Scenario scenario() const {
    Scenario s;
    const AgentId writer = s.agent(writer_place);
    const AgentId reader = s.agent(reader_place);
    s.add(writer, data_write);
    s.add(writer, release);
    s.add(writer, flag_write);
    s.add(reader, flag_read);
    s.add(reader, acquire);
    s.add(reader, data_read);
    s.reads(3, 2);
    s.reads(5, 0);
    return s;
  }
  /// Whether the data's write is location-ordered before its read.
  bool ordered() const { return scenario().judge(options).location_ordered(0, 5).has_value(); }
  bool synchronized() const { return scenario().related(judge::RelationName::SynchronizesWith, 1, 4, options); }
};

}  // namespace heddle::model
