#pragma once

#include <heddle/operation.h>

#include <cstddef>
#include <span>

namespace heddle::memory {

/// Given the old bytes of an atomic makes the new ones; false if nothing is to be written.
using Modify = bool (*)(void* context, const void* old, void* fresh);

/// The memory of a device: answers reads, takes writes, is told of barriers. Every operation has
/// been checked before; its locations lie inside an allocation that was added.
///
/// One thread at a time. What a read returns beyond the model's guarantees is the memory's choice.
class Memory {
 public:
  virtual ~Memory() = default;

  /// `storage` is where the bytes lie once nothing holds them back.
  virtual void add(AllocationId allocation, std::span<std::byte> storage) = 0;
  virtual void remove(AllocationId allocation) = 0;

  virtual void read(const Operation& operation, void* value) = 0;
  virtual void write(const Operation& operation, const void* value) = 0;
  /// `unequal` replaces the semantics where `modify` returns false.
  virtual void read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify,
                                 void* context) = 0;
  /// A memory barrier, or one side of a control barrier.
  virtual void barrier(const Operation& operation) = 0;
};

}  // namespace heddle::memory
