#pragma once

/// \file
/// Accesses of which no record is needed: what emulated invocations ask of the memory before they make one.

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

/// An instruction that writes, in a workgroup: a line of the source, what it writes to, and a number of the workgroup's
/// own. Two of them may be one, seldom and in every run alike.
class Site {
 public:
  Site(std::uint32_t line, AllocationId allocation, std::uint32_t workgroup)
      : hash_(line * 0x9e3779b1u ^ static_cast<std::uint32_t>(allocation) * 0x85ebca6bu ^ workgroup * 0xc2b2ae35u) {}
  std::uint32_t hash() const { return hash_; }

 private:
  std::uint32_t hash_;
};

/// How often the sites that are at work have written. Those that share a place forget each other.
class SiteCounts {
 public:
  /// Whether it has written so often that another write of its is worth no more than any.
  bool is_used_up(Site site) const { return counts_[place(site)] == (site.hash() | kUsedUp); }
  /// Counts a write of a site that is not used up; `most` of them use it up, fewer than kUsedUp.
  void count(Site site, std::uint32_t most) {
    any_ = true;
    std::uint32_t& count = counts_[place(site)];
    if ((count ^ site.hash()) > kUsedUp) count = site.hash() & ~kUsedUp;
    if ((++count & kUsedUp) >= most) count |= kUsedUp;
  }
  /// All are as if they had never written.
  void clear() {
    if (any_) counts_ = {};
    any_ = false;
  }

 private:
  static constexpr std::uint32_t kUsedUp = 0xff;
  static constexpr unsigned kPlaceBits = 11;
  static std::size_t place(Site site) { return site.hash() >> (32 - kPlaceBits); }
  bool any_ = false;
  /// The upper bits of the site's hash, and how often it wrote.
  std::array<std::uint32_t, std::size_t{1} << kPlaceBits> counts_{};
};

/// A memory as far as it gives away its bytes. Accesses are as `memory::Memory` wants them, of 1, 2, 4 or 8
/// bytes at a multiple of that, and nothing listens.
///
/// Most accesses are to bytes of which nothing is remembered while nothing is on its way: an invocation that makes them
/// finds that out by himself.
class InPlace {
 public:
  /// What is remembered of bytes is remembered of so many of them together.
  static constexpr std::uint32_t kGranuleBytes = 8;

  virtual ~InPlace() = default;

  /// The bytes of a non-atomic access, for the caller to read or to write before it calls anything else.
  /// They are the same for everybody. Null, and nothing happened, if there is more to it: then it takes a
  /// record.
  virtual const std::byte* read_in_place(AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }
  virtual std::byte* write_in_place(Site, AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }
  /// Whether the next writes may be in place, as far as is known without looking at any bytes: for a caller that
  /// would rather not ask in vain.
  virtual bool may_write_in_place() const { return false; }
  /// The bytes of an atomic with which no agent synchronizes that reads what it writes.
  virtual std::byte* in_place(Relaxed, Site, AllocationId, std::uint64_t /*offset_bytes*/) { return nullptr; }

  /// A line that writes to an allocation, in the workgroup with that first agent. (How agents are numbered from one
  /// submission to the next depends on who listens.)
  Site site(std::uint32_t line, AllocationId allocation, AgentId first_of_workgroup) const {
    return {line, allocation, static_cast<std::uint32_t>(first_of_workgroup) - first_of_submission_};
  }

  // What most accesses ask, answered without a call: whether it is the bytes of its allocation, which then
  // counts as asked. False, and nothing happened, if the memory is to be asked.
  bool reads_at_once(AllocationId allocation, std::uint64_t offset_bytes) {
    return is_left_alone(allocation, offset_bytes) && counted(reads_);
  }
  bool writes_at_once(Site site, AllocationId allocation, std::uint64_t offset_bytes) {
    return may_write_alone() && is_left_alone(allocation, offset_bytes) && sites_.is_used_up(site) &&
           writes_alone(writes_);
  }
  bool is_at_once(OperationKind kind, Site site, AllocationId allocation, std::uint64_t offset_bytes) {
    if ((released_ & bit_of(allocation)) != 0 || !is_left_alone(allocation, offset_bytes)) return false;
    if (kind == OperationKind::Read) return counted(reads_);
    return !*may_tell_others_ && may_write_alone() && sites_.is_used_up(site) &&
           writes_alone(kind == OperationKind::Write ? writes_ : updates_);
  }

 protected:
  /// The bit of an allocation in a set of them, which it shares with few others.
  static std::uint64_t bit_of(AllocationId allocation) {
    return std::uint64_t{1} << static_cast<std::uint32_t>(allocation) % 64;
  }
  /// How many granules are remembered, of those that share a place with this one.
  std::uint8_t& remembered(AllocationId allocation, std::uint64_t offset_bytes) {
    return remembered_[place(allocation, offset_bytes)];
  }

  /// In operations.
  std::uint64_t now_ = 0;
  /// Whether nothing is on its way, and nothing listens: then nothing happens as time passes. Nothing is at once where
  /// it is not known.
  bool is_still_ = false;
  /// In which allocations atomics may meet releases that are not remembered.
  std::uint64_t released_ = 0;
  /// Whether an atomic write may have something to tell that it does not release itself.
  const bool* may_tell_others_ = nullptr;
  /// So many writes, of sites that are used up, to granules that are not remembered leave it at that; the next one may
  /// not.
  std::uint32_t until_record_ = 0;
  SiteCounts sites_;
  /// The first agent of the workgroup that began first.
  std::uint32_t first_of_submission_ = 0;
  /// Accesses that were not asked about.
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
