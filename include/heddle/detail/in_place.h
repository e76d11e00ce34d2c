#pragma once

/// \file
/// Accesses of which nobody needs a record: what emulated invocations ask of the memory before they make one.

#include <heddle/operation.h>

#include <cstddef>
#include <cstdint>

namespace heddle::emulation {

/// An atomic that neither acquires nor releases. (It fits into two registers.)
struct Relaxed {
  AgentId agent{};
  Scope scope = Scope::Device;
  StorageClass storage_class = StorageClass::StorageBuffer;
  OperationKind kind = OperationKind::ReadModifyWrite;
};

/// A memory as far as it gives away its bytes. Accesses are as `memory::Memory` wants them, of 1, 2, 4 or 8
/// bytes at a multiple of that, and nobody listens.
class InPlace {
 public:
  virtual ~InPlace() = default;

  /// Of a non-atomic access: its bytes, for the caller to read or to write before it calls anything else.
  /// They are the same for everybody. Null, and nothing happened, if there is more to it: then it takes a
  /// record.
  virtual const std::byte* read_in_place(AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }
  virtual std::byte* write_in_place(AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }
  /// The same of an atomic, if whoever reads what it writes synchronizes with nobody.
  virtual std::byte* in_place(Relaxed, AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }
};

}  // namespace heddle::emulation
