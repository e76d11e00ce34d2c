#pragma once

/// \file
/// The table of granules: which granules are remembered, under which numbers, and where the bytes of all others lie.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/memory/granule.h"

namespace heddle::memory {

/// The allocations of a machine, and a record for each of their granules that is remembered.
///
/// A granule has one record at most. A record has a number, keeps its address and its room, and serves another granule
/// once it is dropped; the table decides neither which granules are worth a record nor when one is dropped. An
/// allocation also knows whether something was released in it that is forgotten. Every id that is asked for was added.
class GranuleTable {
 public:
  /// The number that no record has.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// `storage` is where the allocation's bytes lie. It has no records, and nothing was released there.
  void add(AllocationId id, std::span<std::byte> storage);
  /// Who knows what has been written of the allocation at all. Until it is said all counts as written.
  void note_initialized(AllocationId id, const detail::InitializedBytes& initialized);
  /// The allocation has no records any more, and no storage.
  void remove(AllocationId id);
  /// Nothing was released anywhere, and the next record is the first one again. Every record was dropped.
  void restart();

  std::byte* bytes(AllocationId id, std::uint64_t offset_bytes) { return allocation(id).storage.data() + offset_bytes; }
  std::byte* bytes(const Locations& locations) { return bytes(locations.allocation, locations.offset_bytes); }

  /// Where the number of the granule's record stands: its number plus one, or 0. Null where there is no room for it
  /// yet.
  std::uint32_t* entry_of(AllocationId id, std::uint64_t offset_bytes) {
    Allocation& allocation = this->allocation(id);
    if (allocation.pages.empty()) return nullptr;
    const std::uint64_t granule = offset_bytes / kGranuleBytes;
    Page* const page = allocation.pages[granule / kPageGranules].get();
    return page ? &(*page)[granule % kPageGranules] : nullptr;
  }
  bool has_record(AllocationId id, std::uint64_t offset_bytes) {
    const std::uint32_t* const entry = entry_of(id, offset_bytes);
    return entry && *entry != 0;
  }
  /// The record of the granule that the bytes lie in; kNone if it has none.
  std::uint32_t find(const Locations& locations) {
    const std::uint32_t* const entry = entry_of(locations.allocation, locations.offset_bytes);
    return entry ? *entry - 1 : kNone;
  }
  /// Makes a record for a granule that has none: nothing is remembered of it, and it stays. `entry` is what `entry_of`
  /// says of it.
  std::uint32_t make(const Locations& locations, std::uint32_t* entry);
  /// The granule is forgotten: what there is to be kept of it is in its storage.
  void drop(std::uint32_t record);
  /// The next in turn of the granules that could be forgotten now, since nothing of it waits, and of those one of which
  /// nothing is on its way, if there is one; kNone if there is none.
  [[gnu::noinline]] std::uint32_t next_to_forget();

  Granule& operator[](std::size_t record) { return *granules_[record]; }
  const Granule& operator[](std::size_t record) const { return *granules_[record]; }
  /// How many granules are remembered.
  std::uint32_t used() const { return used_; }
  /// Records have numbers below this.
  std::uint32_t size() const { return static_cast<std::uint32_t>(granules_.size()); }
  /// Calls `visit` of each granule that is remembered, in the order of their numbers.
  template <typename Visit>
  void for_each(Visit visit) {
    for (const auto& granule : granules_)
      if (granule->used) visit(*granule);
  }

  /// Whether something was released in the allocation that is forgotten.
  bool released(AllocationId id) const { return allocation(id).released; }
  /// Whether that holds of the allocation, or of another one whose number is the same modulo `modulo`.
  bool released(AllocationId id, std::size_t modulo) const;
  void set_released(AllocationId id, bool released) { allocation(id).released = released; }
  void forget_released() {
    for (Allocation& allocation : allocations_) allocation.released = false;
  }
  /// Whether a read of the granule's storage may meet a release that is forgotten.
  bool releases_forgotten(const Granule& granule) const {
    return granule.base_released || released(granule.allocation);
  }

 private:
  /// A part of an allocation: by granule, its record plus one, or 0.
  static constexpr std::size_t kPageGranules = 512;
  using Page = std::array<std::uint32_t, kPageGranules>;
  struct Allocation {
    std::span<std::byte> storage;
    /// Empty as long as there are no records.
    std::vector<std::unique_ptr<Page>> pages;
    /// May be null.
    const detail::InitializedBytes* initialized = nullptr;
    bool released = false;
  };
  Allocation& allocation(AllocationId id) { return allocations_[static_cast<std::size_t>(id)]; }
  const Allocation& allocation(AllocationId id) const { return allocations_[static_cast<std::size_t>(id)]; }
  [[gnu::noinline]] std::uint32_t* make_entry(const Locations& locations);
  [[gnu::noinline]] void add_room();
  static ByteMask never_written(const detail::InitializedBytes* initialized, const Granule& granule);

  std::vector<Allocation> allocations_;
  /// By number; those that are used, and those that can be used again, which are also in `free_`.
  std::vector<std::unique_ptr<Granule>> granules_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
  std::uint32_t next_forgotten_ = 0;
};

}  // namespace heddle::memory
