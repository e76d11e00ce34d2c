#pragma once

/// \file
/// The interface of every emulated memory, and the cohorts of agents that begin and end in it together.

#include <heddle/choice.h>
#include <heddle/detail/modify.h>
#include <heddle/operation.h>
#include <heddle/report.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "emulator/model/place.h"
#include "emulator/trace/listener.h"

namespace heddle::emulation {
class InPlace;
}
namespace heddle::detail {
class InitializedBytes;
}
namespace heddle::model {
struct HostSide;
}

namespace heddle::memory {

using emulation::Modify;

/// Agents with consecutive numbers that begin and end together: the invocations of a workgroup.
struct Cohort {
  AgentId first{};
  std::uint32_t count = 1;
  /// The place of all of them, but for the subgroup.
  model::Place place;
  /// By position in the cohort; valid until it ends. Empty where all are in `place.subgroup`.
  std::span<const std::uint32_t> subgroups;

  AgentId agent(std::uint32_t position) const {
    return static_cast<AgentId>(static_cast<std::uint32_t>(first) + position);
  }
  model::Place place_of(std::uint32_t position) const {
    model::Place one = place;
    if (!subgroups.empty()) one.subgroup = subgroups[position];
    return one;
  }
  bool contains(AgentId id) const { return static_cast<std::uint32_t>(id) - static_cast<std::uint32_t>(first) < count; }
};

/// `operation` of each agent of the cohort, in the order of their numbers.
template <typename Do>
void for_each_agent(const Cohort& cohort, Operation operation, Do with_operation) {
  for (std::uint32_t i = 0; i < cohort.count; ++i) {
    operation.agent = cohort.agent(i);
    with_operation(operation);
  }
}

/// What is between all agents so far, which have ended, and all that are still to begin.
enum class Dependency : std::uint8_t {
  /// They system-synchronize; nothing becomes available or visible.
  Execution,
  /// They system-synchronize, and in between everything becomes available to the device domain, and visible from it.
  Memory,
};

/// Up to 8 bytes as a value, and back. As wide as it was stored: a wider load would wait for that.
inline trace::Value load_value(const void* bytes, std::uint32_t size_bytes) {
  const auto load = [&](auto value) {
    std::memcpy(&value, bytes, sizeof value);
    return trace::Value{value};
  };
  switch (size_bytes) {
    case 1:
      return load(std::uint8_t{});
    case 2:
      return load(std::uint16_t{});
    case 4:
      return load(std::uint32_t{});
    case 8:
      return load(std::uint64_t{});
    default:
      break;
  }
  trace::Value value = 0;
  std::memcpy(&value, bytes, size_bytes);
  return value;
}
inline void store_value(void* bytes, trace::Value value, std::uint32_t size_bytes) {
  switch (size_bytes) {
    case 1:
      std::memcpy(bytes, &value, 1);
      break;
    case 2:
      std::memcpy(bytes, &value, 2);
      break;
    case 4:
      std::memcpy(bytes, &value, 4);
      break;
    case 8:
      std::memcpy(bytes, &value, 8);
      break;
    default:
      std::memcpy(bytes, &value, size_bytes);
  }
}

/// The memory of a device: answers reads, takes writes, is told of barriers. Every operation has
/// been checked before; its locations lie inside an allocation that was added, it has at most 8 bytes
/// inside 8 bytes that begin at a multiple of 8, and its agent has begun.
///
/// One thread at a time. What a read returns beyond the model's guarantees is the memory's choice.
class Memory {
 public:
  virtual ~Memory() = default;

  /// Whether all bytes are always the same for everybody, in the storage of their allocation, so that no agent
  /// needs to ask for them, or to tell of agents and dependencies, as long as nothing listens.
  virtual bool is_storage() const { return false; }
  /// Who gives away bytes for accesses without a record, as long as nothing listens. Not asked where all bytes are
  /// storage.
  virtual emulation::InPlace& accesses_in_place();

  /// Who is told of everything from now on; null for none. To be set before the first agent begins.
  virtual void listen(trace::Listener* listener) = 0;

  /// Where its oracle draws from this one and does nothing else: draws without asking, the same answers.
  /// Null: asks.
  virtual void draw_from(SeededChoice*) {}

  virtual void begin(const Cohort& cohort) = 0;
  virtual void end(const Cohort& cohort) = 0;
  void begin(AgentId agent, const model::Place& place) { begin(Cohort{agent, 1, place, {}}); }
  void end(AgentId agent) { end(Cohort{agent, 1, {}, {}}); }
  /// What `first` has done is before all that `second` will do. Makes nothing available or visible.
  virtual void system_synchronizes(AgentId first, AgentId second) = 0;
  virtual void depend(Dependency dependency) = 0;

  /// Pairs of overlapping fragment invocations in their order, and of invocations whose outputs contributed to others.
  /// To be said before any of them begins. Only a memory with domains of its own (domains/) does anything with it.
  virtual void stages_in_order(std::span<const model::AgentPair> interlock, std::span<const model::AgentPair> inputs) {
    (void)interlock, (void)inputs;
  }
  /// The API's commands and dependencies among the agents; null for none, again whenever there are more. To be said
  /// before any of them begins. Only a memory with domains of its own (domains/) does anything with it.
  virtual void host(std::shared_ptr<const model::HostSide>) {}
  /// A call of the host waited: what `first` has done is before all that `second` does from now on. Whoever runs the
  /// program tells the listener.
  virtual void comes_before(AgentId first, AgentId second) { (void)first, (void)second; }
  /// As above, of an operation, which is a call of the host, and what is before it.
  virtual void comes_before(trace::OperationIndex call, AgentId second) { (void)call, (void)second; }

  /// `storage` is where the bytes lie once nothing holds them back.
  virtual void add(AllocationId allocation, std::span<std::byte> storage) = 0;
  /// Who knows which bytes of an allocation that was added have been written at all, and outlives it. (The memory takes
  /// all of them for written of which it was not told.)
  virtual void note_initialized(AllocationId, const detail::InitializedBytes&) {}
  /// The bytes, from its first one on, that the last read or update was shown as they were before anybody wrote them.
  trace::Value never_written() const { return never_written_; }
  virtual void remove(AllocationId allocation) = 0;

  virtual void read(const Operation& operation, void* value) = 0;
  virtual void write(const Operation& operation, const void* value) = 0;
  /// `unequal` replaces the semantics where `modify` returns false.
  virtual void read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify, void* context) = 0;
  /// A memory barrier, a device-domain operation, or a deallocation, which is an event and no more.
  virtual void barrier(const Operation& operation) = 0;
  /// The agent of a control barrier arrives.
  virtual void arrive(const Operation& operation) = 0;
  /// The agent of the same operation leaves, synchronizing with these agents, which have arrived; all
  /// that have if there are none.
  virtual void leave(const Operation& operation, std::span<const AgentId> synchronizing) = 0;

  /// All agents of a cohort, and no others, arrive at a control barrier in the same way and leave it.
  virtual void meet(const Cohort& cohort, const Operation& barrier);
  /// The chance, out of 256, that a read of a litmus test is answered late: after instructions that follow it
  /// (MemoryPolicy::late_reads). The runner of the test does so, not the memory.
  virtual std::uint32_t late_reads() const { return 0; }

  /// Whatever is still held back gets to its storage: the end of everything.
  virtual void settle() = 0;
  /// What it did since it began to count.
  virtual MemoryReport report() const { return {}; }
  virtual void count_from_now() {}
  /// Forgets all agents, allocations and operations, and what was held back, as if it were new, but
  /// for its listener and the room that it has: for runs one after the other.
  virtual void restart() = 0;

 protected:
  /// What `never_written` says, of a memory that was told of bytes that nobody wrote.
  trace::Value never_written_ = 0;
};

}  // namespace heddle::memory
