#pragma once

/// \file
/// What is remembered of the accesses to each byte.

#include <heddle/operation.h>

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/race/clock.h"
#include "emulator/race/site.h"

namespace heddle::race {

inline constexpr std::uint32_t kGranuleBytes = 4;

/// An access to bytes `first` up to `last` of a granule.
struct Record {
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  SiteId site = kNoSite;
  /// The number that its allocation gives to its reference.
  std::uint8_t reference = 0;
  std::uint8_t first = 0;
  std::uint8_t last = kGranuleBytes;
  /// The bytes that the access had when it was told: a part of it may have been made available since.
  std::uint8_t told_first = 0;
  std::uint8_t told_last = kGranuleBytes;
  /// How far the agent's own accesses to these bytes made the write available.
  Reach available = kOwn;
  /// Of a read: whether it was ordered after every write that was remembered.
  bool saw_all = true;

  bool overlaps(const Record& o) const { return first < o.last && o.first < last; }
  bool has(std::uint8_t byte) const { return first <= byte && byte < last; }
  bool inside(const Record& o) const { return o.first <= first && last <= o.last; }
};

/// Of four bytes, the last write to all of them and the last read of all of them, or the number of a
/// list with more. A stamp shares its word with the reference: 24 bits and 8.
struct Cell {
  std::uint32_t writer = 0;
  std::uint32_t reader = 0;
  std::uint32_t write_time = 0;
  std::uint32_t read_time = 0;
  SiteId write_site = kNoSite;
  SiteId read_site = kNoSite;
};
static_assert(sizeof(Cell) == 5 * kGranuleBytes);

inline constexpr SiteId kList = 0xffff;
inline constexpr Stamp kMostStamps = 0xffffff;

class Shadow {
 public:
  Cell& cell(const Locations& bytes, std::uint64_t granule) {
    auto& pages = allocation(bytes.allocation).pages;
    const std::size_t page = granule / kCellsOfPage;
    if (page >= pages.size()) [[unlikely]] pages.resize(page + 1);
    if (!pages[page]) [[unlikely]] add_page(pages[page]);
    return (*pages[page])[granule % kCellsOfPage];
  }
  /// Whether the allocation is accessed through more than one storage class, with this one.
  bool mixes_classes(AllocationId id, Classes storage) {
    Classes& known = allocation(id).classes;
    known |= storage;
    return (known & (known - 1)) != 0;
  }
  std::uint8_t reference_number(AllocationId allocation, ReferenceId reference);

  /// The list of a cell that has one.
  std::vector<Record>& list(const Cell& cell) { return lists_[cell.writer]; }
  /// Gives the cell an empty list.
  std::vector<Record>& make_list(Cell& cell);
  void drop_list(Cell& cell);

  /// Forgets what is known of an allocation: its bytes are new.
  void forget(AllocationId allocation);
  void forget_all();
  std::size_t bytes() const { return pages_ * sizeof(Page) + lists_.size() * sizeof(lists_[0]); }

 private:
  static constexpr std::size_t kCellsOfPage = 256;
  using Page = std::array<Cell, kCellsOfPage>;
  struct Allocation {
    std::vector<std::unique_ptr<Page>> pages;
    std::vector<ReferenceId> references;
    Classes classes = 0;
  };

  Allocation& allocation(AllocationId id) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= allocations_.size()) [[unlikely]] allocations_.resize(index + 1);
    return allocations_[index];
  }
  void add_page(std::unique_ptr<Page>& page);

  std::vector<Allocation> allocations_;
  std::vector<std::vector<Record>> lists_;
  std::vector<std::uint32_t> free_lists_;
  std::size_t pages_ = 0;
};

}  // namespace heddle::race
