#pragma once

/// \file
/// What the machine tells its listener, and what it keeps for that alone.

#include <vector>

#include "emulator/memory/knowledge.h"
#include "emulator/memory/memory.h"
#include "emulator/memory/stored_writers.h"
#include "emulator/trace/listener.h"

namespace heddle::memory {

/// Numbers the operations of a run and hands them on to a listener, if there is one, with the sources of what they
/// read.
///
/// Nothing but `listen` and the questions about the listener may be called while none listens. What is told changes
/// nothing of the run.
class Telling {
 public:
  /// Tells `listener` from now on, or no listener if it is null.
  void listen(trace::Listener* listener);
  void restart();

  /// Whether anything listens.
  bool is_on() const { return listener_ != nullptr; }
  bool hears_moves() const { return hears_moves_; }
  /// Whether the sources of this read are asked for.
  bool asks_for_sources(const Operation& read) const { return plain_sources_ || read.atomic; }

  [[gnu::noinline]] void begin(const Cohort& cohort);
  [[gnu::noinline]] void end(const Cohort& cohort);
  void system_synchronizes(AgentId first, AgentId second) { listener_->system_synchronizes(first, second); }
  void dependency(bool memory) { listener_->dependency(memory); }
  void meeting(const Cohort& cohort, const Operation& barrier);
  void passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex> synchronizing) {
    listener_->passes(arrival, synchronizing);
  }

  /// Tells an operation, with the sources that were set if it reads. Returns its index.
  [[gnu::noinline]] trace::OperationIndex operation(const Operation& operation, trace::Value read,
                                                    trace::Value written);
  /// Tells an access to bytes that are the same for everybody.
  [[gnu::noinline]] void read_of_storage(const Operation& operation, trace::Value value);
  [[gnu::noinline]] void write_to_storage(const Operation& operation, trace::Value read, trace::Value value);
  /// The read that was told last missed the write `missed`.
  void stale(trace::OperationIndex missed, CacheLevel kept_in) { listener_->stale(told_ - 1, missed, kept_in); }
  void placed(trace::OperationIndex write) { listener_->placed(write); }
  void moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, CacheLevel from, CacheLevel to,
             trace::MoveReason reason) {
    listener_->moved(write, bytes, agent, from, to, reason);
  }

  /// The sources of the next operation that reads: these bytes come from one write.
  void set_source(const Locations& bytes, trace::OperationIndex writer) { sources_.assign(1, {bytes, writer}); }
  /// The bytes of the next read come from the storage.
  void set_stored_sources(const Locations& bytes) { writers_.sources_of(bytes, sources_); }
  /// The next read has no sources yet; `add_source` adds those of one byte after the other.
  void clear_sources() { sources_.clear(); }
  void add_source(AllocationId allocation, std::uint64_t offset_bytes, trace::OperationIndex writer) {
    add_byte(sources_, allocation, offset_bytes, writer);
  }

  /// Whether who wrote what the storage holds is noted.
  bool notes_writers() const { return notes_writers_; }
  /// The storage holds in these bytes what `writer` wrote.
  [[gnu::noinline]] void stored(const Locations& bytes, trace::OperationIndex writer) { writers_.note(bytes, writer); }
  /// Who wrote a byte of a storage; the initial value where that is not noted.
  trace::OperationIndex writer_of(AllocationId allocation, std::uint64_t offset_bytes) const {
    return notes_writers_ ? writers_.writer_of(allocation, offset_bytes) : model::kInitialValue;
  }
  /// The allocation is new, or gone.
  void forget(AllocationId allocation) { writers_.forget(allocation); }
  /// Everything gets to its storage, between the two: a listener that asks for the sources of atomics alone asks for no
  /// earlier ones.
  void begin_memory_dependency() { notes_writers_ = plain_sources_; }
  void end_memory_dependency();
  /// How many allocations have writers that are kept, for a listener that asks for the sources of atomics alone.
  std::size_t remembered_writers() const { return writers_.remembered(); }

 private:
  trace::Listener* listener_ = nullptr;
  /// What it wants to be told of.
  bool plain_sources_ = false;
  bool hears_moves_ = false;
  bool notes_writers_ = false;
  trace::OperationIndex told_ = 0;
  std::vector<trace::Source> sources_;
  StoredWriters writers_;
};

}  // namespace heddle::memory
