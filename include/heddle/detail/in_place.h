#pragma once

/// \file
/// Accesses of which nobody needs a record: what emulated invocations ask of the memory before they make one.

#include <heddle/operation.h>

#include <array>
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
///
/// Most accesses are to bytes of which nothing is remembered while nothing is on its way: whoever makes them finds that
/// out by himself.
class InPlace {
 public:
  /// What is remembered of bytes is remembered of so many of them together.
  static constexpr std::uint32_t kGranuleBytes = 8;

  virtual ~InPlace() = default;

  /// Of a non-atomic access: its bytes, for the caller to read or to write before it calls anything else.
  /// They are the same for everybody. Null, and nothing happened, if there is more to it: then it takes a
  /// record.
  virtual const std::byte* read_in_place(AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }
  virtual std::byte* write_in_place(AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }
  /// The same of an atomic, if whoever reads what it writes synchronizes with nobody.
  virtual std::byte* in_place(Relaxed, AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }

  // The same questions of most accesses, answered without a call: whether it is the bytes of its allocation, which then
  // counts as asked. False, and nothing happened, if the memory is to be asked.
  bool reads_at_once(AllocationId allocation, std::uint64_t offset_bytes) {
    return is_left_alone(allocation, offset_bytes) && counted(reads_);
  }
  bool writes_at_once(AllocationId allocation, std::uint64_t offset_bytes) {
    return may_write_alone() && is_left_alone(allocation, offset_bytes) && writes_alone(writes_);
  }
  bool is_at_once(OperationKind kind, AllocationId allocation, std::uint64_t offset_bytes) {
    if ((released_ & bit_of(allocation)) != 0 || !is_left_alone(allocation, offset_bytes)) return false;
    if (kind == OperationKind::Read) return counted(reads_);
    return !*may_tell_others_ && may_write_alone() &&
           writes_alone(kind == OperationKind::Write ? writes_ : updates_);
  }

 protected:
  /// That of an allocation in a set of them, which it shares with few others.
  static std::uint64_t bit_of(AllocationId allocation) {
    return std::uint64_t{1} << static_cast<std::uint32_t>(allocation) % 64;
  }
  /// How many granules are remembered, of those that share a place with this one.
  std::uint8_t& remembered(AllocationId allocation, std::uint64_t offset_bytes) {
    return remembered_[place(allocation, offset_bytes)];
  }

  /// In operations.
  std::uint64_t now_ = 0;
  /// Whether nothing is on its way, and nobody listens: then nothing happens as time passes. Nothing is at once where
  /// it is not known.
  bool is_still_ = false;
  /// In which allocations atomics may meet releases that nobody remembers.
  std::uint64_t released_ = 0;
  /// Whether an atomic write may have something to tell that it does not release itself.
  const bool* may_tell_others_ = nullptr;
  /// So many writes to granules that nobody remembers leave it at that; the next one may not.
  std::uint32_t until_record_ = 0;
  /// Those that nobody was asked about.
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t updates_ = 0;

 private:
  static constexpr std::size_t kPlaces = 1024;
  static std::size_t place(AllocationId allocation, std::uint64_t offset_bytes) {
    // A power of two, which takes one instruction.
    constexpr std::uint64_t kApart = 64;
    return (offset_bytes / kGranuleBytes + static_cast<std::uint32_t>(allocation) * kApart) % kPlaces;
  }
  bool is_left_alone(AllocationId allocation, std::uint64_t offset_bytes) const {
    return is_still_ && remembered_[place(allocation, offset_bytes)] == 0;
  }
  bool may_write_alone() const { return until_record_ != 0; }
  bool writes_alone(std::uint64_t& count) {
    --until_record_;
    return counted(count);
  }
  bool counted(std::uint64_t& count) {
    ++count;
    ++now_;
    return true;
  }

  std::array<std::uint8_t, kPlaces> remembered_{};
};

}  // namespace heddle::emulation
