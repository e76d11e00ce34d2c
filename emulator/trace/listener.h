#pragma once

/// \file
/// What an emulated memory tells while a program runs on it: the stream of which the recorder makes
/// an execution for the judge, the race detector its verdicts, and the trace file its contents.

#include <heddle/operation.h>

#include <memory>
#include <span>
#include <string_view>

#include "emulator/model/execution.h"
#include "emulator/model/place.h"
#include "emulator/trace/dispatch.h"

namespace heddle::trace {

using model::OperationIndex;
using model::Value;

/// Where the bytes of a read come from; `write` is model::kInitialValue for bytes that nothing in
/// the stream wrote.
struct Source {
  Locations bytes;
  OperationIndex write = model::kInitialValue;
};

/// A place in which a write waits, or in which a copy is kept: of the agent itself, or of the scope
/// instance (the memory domain) that `agent` is in.
enum class CacheLevel : std::uint8_t {
  Agent,
  Subgroup,
  Workgroup,
  QueueFamily,
  Shader,
  Device,
  Host,
};

/// "agent", "subgroup", "workgroup", "queue family", "shader", "device", "host"
std::string_view name(CacheLevel level);

/// Why a write moved.
enum class MoveReason : std::uint8_t {
  /// The write moved of its own accord.
  Eviction,
  /// An availability operation (or domain operation) demanded it.
  Availability,
  /// The write is an atomic, which acts at its scope's domain.
  Atomic,
  /// The memory ran out of patience or of room, or came to its end.
  Flush,
};

/// Told of everything in the order in which it happens. Every operation gets the number of
/// operations before it as its index; an operation is told before anything refers to it.
/// Calls come from one thread at a time.
class Listener {
 public:
  virtual ~Listener() = default;

  /// Whether it asks where the bytes of reads come from that are not atomic. If not it may be told of
  /// none, and of atomic reads only of sources that are atomic or later than the first atomic on that
  /// allocation, and later than the last memory dependency.
  virtual bool needs_plain_sources() const { return true; }

  /// A new agent, before its first operation. Numbers are dense: as many as there were agents.
  virtual void agent_begins(AgentId agent, const model::Place& place) = 0;
  /// `agent` executes nothing any more; its writes may still be on their way.
  virtual void agent_ends(AgentId agent) = 0;
  /// `count` agents begin, with numbers from `first` on, all in `place` but for the subgroup: that is `subgroups[i]`,
  /// where there are any.
  virtual void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                            std::span<const std::uint32_t> subgroups) {
    model::Place own = place;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!subgroups.empty()) own.subgroup = subgroups[i];
      agent_begins(static_cast<AgentId>(static_cast<std::uint32_t>(first) + i), own);
    }
  }
  /// The end of agents whose begin was told by agents_begin.
  virtual void agents_end(AgentId first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) agent_ends(static_cast<AgentId>(static_cast<std::uint32_t>(first) + i));
  }
  /// Every operation of the first system-synchronizes with every operation of the second.
  virtual void system_synchronizes(AgentId first, AgentId second) = 0;

  // From litmus tests only:
  /// Overlapping fragment invocations, and invocations whose outputs contributed to others, as in model::Execution;
  /// before any agent begins.
  virtual void has_stages_in_order(std::span<const model::AgentPair> interlock,
                                   std::span<const model::AgentPair> inputs) {
    (void)interlock, (void)inputs;
  }
  // And of these, of programs with a host's side:
  /// The API's commands and dependencies, before any agent begins. What a dependency orders is not told as
  /// system_synchronizes: an agent that has ended comes before those that its commands and dependencies say.
  virtual void has_host_side(const std::shared_ptr<const model::HostSide>& side) { (void)side; }
  /// The operation that is told next, number `call`, is a call of the host: every operation of `agents`, which have
  /// ended, and these earlier calls system-synchronize with it.
  virtual void call_comes_after(OperationIndex call, std::span<const AgentId> agents,
                                std::span<const OperationIndex> calls) {
    (void)call, (void)agents, (void)calls;
  }
  /// The call of the host system-synchronizes with every operation of the agent, which has executed none.
  virtual void comes_after_call(AgentId agent, OperationIndex call) { (void)agent, (void)call; }

  /// All agents so far, which have ended, system-synchronize with all that begin from now on. If
  /// `memory`, a device-domain availability operation and a visibility operation are in between.
  /// Comes from devices only, not from litmus tests.
  virtual void dependency(bool memory) { (void)memory; }

  /// A dispatch begins, before its agents do. From devices only, as are names.
  virtual void dispatched(const Dispatch& dispatch) { (void)dispatch; }
  virtual void named(const NamedBytes& bytes) { (void)bytes; }

  /// An operation is executed. Of a read (or read-modify-write) `sources` has each byte read once,
  /// in ascending order. A control barrier is told when its agent arrives.
  virtual void operation(OperationIndex index, const Operation& operation, Value read, Value written,
                         std::span<const Source> sources) = 0;
  /// An access that is not atomic, told to listeners who need no sources of it.
  virtual void plain(OperationIndex index, const Operation& operation_told, Value read, Value written) {
    operation(index, operation_told, read, written, {});
  }
  /// The read that was told last was answered late: in program order it stands in front of `before`, an
  /// operation of its agent that was told earlier, and behind those in front of that which were told so far.
  /// From litmus tests only.
  virtual void late(OperationIndex read, OperationIndex before) { (void)read, (void)before; }
  /// The agent of control barrier `arrival` passes it. `synchronizing` are the arrivals that release
  /// to those who pass, where a quorum was chosen; empty where all arrivals at the instance do, which
  /// have then all been told.
  virtual void passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) = 0;
  /// `count` agents from `barrier`'s on arrive at a control barrier, in the same way, and then pass it: stands for as
  /// many calls of `operation`, with indices from `first` on, and of `passes`.
  virtual void meets(OperationIndex first, const Operation& barrier, std::uint32_t count) {
    Operation of_one = barrier;
    for (std::uint32_t i = 0; i < count; ++i) {
      of_one.agent = static_cast<AgentId>(static_cast<std::uint32_t>(barrier.agent) + i);
      operation(first + i, of_one, 0, 0, {});
    }
    for (std::uint32_t i = 0; i < count; ++i) passes(first + i, {});
  }
  /// An atomic write takes its place in scoped modification order: after all writes that took theirs
  /// before. At the latest when the memory comes to its end. A read-modify-write reads from the last of those that are
  /// mutually ordered with it and were placed since it was told: they left the value that it had read as it was, and
  /// released nothing.
  virtual void placed(OperationIndex write) = 0;

  /// Whether it wants to be told of what moves.
  virtual bool hears_moves() const { return true; }
  /// Bytes of `write` moved to the cache of `agent`'s instance at `to`.
  virtual void moved(OperationIndex write, const Locations& bytes, AgentId agent, CacheLevel from, CacheLevel to,
                     MoveReason reason) {
    (void)write, (void)bytes, (void)agent, (void)from, (void)to, (void)reason;
  }
  /// `read` was served by a stale copy: `missed` had been in reach.
  virtual void stale(OperationIndex read, OperationIndex missed, CacheLevel kept_in) {
    (void)read, (void)missed, (void)kept_in;
  }
};

}  // namespace heddle::trace
