#pragma once

#include "emulator/memory/memory.h"

#include <vector>

namespace heddle::memory {

/// Sequentially consistent memory: every operation acts at once on the one copy of every byte.
/// Stronger than the model: nothing is ever stale, whatever the scopes and semantics.
class SequentialMemory final : public Memory {
 public:
  void add(AllocationId allocation, std::span<std::byte> storage) override;
  void remove(AllocationId allocation) override;
  void read(const Operation& operation, void* value) override;
  void write(const Operation& operation, const void* value) override;
  void read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify,
                         void* context) override;
  void barrier(const Operation&) override {}

 private:
  std::byte* at(const Locations& locations) const;
  std::vector<std::span<std::byte>> storage_;
};

}  // namespace heddle::memory
