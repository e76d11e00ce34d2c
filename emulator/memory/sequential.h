#pragma once

#include "emulator/memory/memory.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heddle::memory {

/// Sequentially consistent memory: every operation acts at once on the one copy of every byte.
/// Stronger than the model: nothing is ever stale, whatever the scopes and semantics.
class SequentialMemory final : public Memory {
 public:
  void listen(trace::Listener* listener) override { listener_ = listener; }
  void begin(const Cohort& cohort) override;
  void end(const Cohort& cohort) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void depend(Dependency dependency) override;
  void add(AllocationId allocation, std::span<std::byte> storage) override;
  void remove(AllocationId allocation) override;
  bool read_in_place(AllocationId allocation, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                     void* value) override;
  bool write_in_place(AllocationId allocation, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                      const void* value) override;
  void read(const Operation& operation, void* value) override;
  void write(const Operation& operation, const void* value) override;
  void read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify,
                         void* context) override;
  void barrier(const Operation& operation) override;
  void arrive(const Operation& operation) override;
  void leave(const Operation& operation, std::span<const AgentId> synchronizing) override;
  void meet(const Cohort& cohort, const Operation& barrier) override;
  void settle() override {}
  void restart() override;

 private:
  using Arrivals = std::vector<std::pair<AgentId, trace::OperationIndex>>;

  std::byte* at(const Locations& locations) const;
  void tell(const Operation& operation, trace::Value read, trace::Value written);
  std::vector<trace::Source> sources_of(const Locations& locations) const;

  std::vector<std::span<std::byte>> storage_;

  // For the listener.
  trace::Listener* listener_ = nullptr;
  trace::OperationIndex told_ = 0;
  /// By allocation, of each byte that somebody wrote: which operation.
  std::vector<std::vector<trace::OperationIndex>> writers_;
  /// By barrier instance.
  std::unordered_map<std::uint64_t, Arrivals> arrivals_;
};

}  // namespace heddle::memory
