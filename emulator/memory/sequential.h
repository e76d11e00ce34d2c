#pragma once

/// \file
/// Sequentially consistent memory, for runs that look for everything but weak behaviour.

#include "emulator/memory/memory.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::memory {

/// Sequentially consistent memory: every operation acts at once on the one copy of every byte.
/// Stronger than the model: nothing is ever stale, whatever the scopes and semantics.
class SequentialMemory final : public Memory {
 public:
  bool is_storage() const override { return true; }
  void listen(trace::Listener* listener) override;
  void begin(const Cohort& cohort) override;
  void end(const Cohort& cohort) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void depend(Dependency dependency) override;
  void add(AllocationId allocation, std::span<std::byte> storage) override;
  void remove(AllocationId allocation) override;
  void read(const Operation& operation, void* value) override;
  void write(const Operation& operation, const void* value) override;
  void read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify, void* context) override;
  void barrier(const Operation& operation) override;
  void arrive(const Operation& operation) override;
  void leave(const Operation& operation, std::span<const AgentId> synchronizing) override;
  void meet(const Cohort& cohort, const Operation& barrier) override;
  void settle() override {}
  void restart() override;

  // For a caller that tells the listener of a plain access in its own way, and does it:
  /// Whether it must be told here, because somebody may ask who wrote bytes of the allocation.
  bool keeps_writers(AllocationId allocation) const { return writers_[static_cast<std::size_t>(allocation)].wanted; }
  /// The number of the operation that is told next. `count_told` says that the caller has told it.
  trace::OperationIndex told() const { return told_; }
  void count_told() { ++told_; }

 private:
  static constexpr std::uint32_t kWordBytes = 4;
  /// The arrivals at an instance of a control barrier.
  struct Meeting {
    std::uint64_t instance = 0;
    std::vector<std::pair<AgentId, trace::OperationIndex>> arrivals;
    std::size_t left = 0;
    /// Only some synchronize with an agent that leaves: it may be long after they left themselves.
    bool has_quorum = false;
  };
  /// Which operation wrote each byte that was written.
  struct Writers {
    std::vector<trace::OperationIndex> of_byte;
    bool wanted = false;
  };

  std::byte* at(const Locations& locations) const {
    return storage_[static_cast<std::size_t>(locations.allocation)].data() + locations.offset_bytes;
  }
  void tell(const Operation& operation, trace::Value read, trace::Value written);
  Writers& writers_of(AllocationId allocation) { return writers_[static_cast<std::size_t>(allocation)]; }
  void find_sources(const Locations& locations);
  /// The writers of each byte of a word; null if the bytes are no word's, or nothing was written there or behind.
  trace::OperationIndex* writers_of_word(const Locations& bytes) {
    auto& of_byte = writers_of(bytes.allocation).of_byte;
    return bytes.size_bytes == kWordBytes && bytes.offset_bytes + kWordBytes <= of_byte.size()
               ? of_byte.data() + bytes.offset_bytes
               : nullptr;
  }
  /// Notes that this operation writes the bytes, of an allocation whose writers are kept.
  void note_writer(const Locations& bytes, trace::OperationIndex writer) {
    if (trace::OperationIndex* const word = writers_of_word(bytes)) {
      std::fill_n(word, kWordBytes, writer);
    } else {
      note_writer_of_any(bytes, writer);
    }
  }
  void note_writer_of_any(const Locations& bytes, trace::OperationIndex writer);
  Meeting& meeting(std::uint64_t instance);
  static std::size_t arrival_of(const Meeting& meeting, AgentId agent, std::size_t likely);

  std::vector<std::span<std::byte>> storage_;

  // For the listener.
  trace::Listener* listener_ = nullptr;
  /// Whether the listener asks for the sources of atomic reads alone.
  bool atomic_sources_only_ = false;
  trace::OperationIndex told_ = 0;
  /// By allocation; where only atomic reads are asked for, of those with atomics.
  std::vector<Writers> writers_;
  std::vector<trace::Source> sources_;
  std::vector<Meeting> meetings_;
  std::vector<trace::OperationIndex> quorum_;
};

}  // namespace heddle::memory
