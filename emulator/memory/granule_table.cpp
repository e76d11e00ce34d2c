#include "emulator/memory/granule_table.h"

#include <heddle/detail/allocation.h>

#include <algorithm>

namespace heddle::memory {

void GranuleTable::add(AllocationId id, std::span<std::byte> storage) {
  const auto index = static_cast<std::size_t>(id);
  if (allocations_.size() <= index) allocations_.resize(index + 1);
  Allocation& allocation = allocations_[index];
  // Pages of an allocation before it, as large, have no records any more, but room for them.
  if (allocation.storage.size() != storage.size()) allocation.pages.clear();
  allocation.storage = storage;
  allocation.initialized = nullptr;
  allocation.released = false;
}

void GranuleTable::note_initialized(AllocationId id, const detail::InitializedBytes& initialized) {
  allocation(id).initialized = &initialized;
}

void GranuleTable::remove(AllocationId id) {
  allocation(id) = {};
}

void GranuleTable::restart() {
  free_.clear();
  for (std::uint32_t record = size(); record-- != 0;) free_.push_back(record);
  next_forgotten_ = 0;
  forget_released();
}

std::uint32_t* GranuleTable::make_entry(const Locations& locations) {
  Allocation& allocation = this->allocation(locations.allocation);
  if (allocation.pages.empty()) {
    constexpr std::size_t kPageBytes = kPageGranules * kGranuleBytes;
    allocation.pages.resize((allocation.storage.size() + kPageBytes - 1) / kPageBytes);
  }
  std::unique_ptr<Page>& page = allocation.pages[locations.offset_bytes / kGranuleBytes / kPageGranules];
  if (!page) page = std::make_unique<Page>();
  return entry_of(locations.allocation, locations.offset_bytes);
}

ByteMask GranuleTable::never_written(const detail::InitializedBytes* initialized, const Granule& granule) {
  if (!initialized || initialized->has(granule.offset_bytes, granule.size_bytes)) [[likely]]
    return 0;
  ByteMask missing = 0;
  for (std::uint32_t i = 0; i < granule.size_bytes; ++i)
    if (!initialized->has(granule.offset_bytes + i, 1)) missing |= ByteMask{0xff} << (i * 8);
  return missing;
}

void GranuleTable::add_room() {
  free_.push_back(size());
  granules_.push_back(std::make_unique<Granule>());
}

std::uint32_t GranuleTable::make(const Locations& locations, std::uint32_t* entry) {
  if (free_.empty()) [[unlikely]]
    add_room();
  const std::uint32_t record = free_.back();
  free_.pop_back();
  ++used_;
  const std::span<std::byte> storage = allocation(locations.allocation).storage;
  Granule& granule = *granules_[record];
  granule.used = true;
  granule.allocation = locations.allocation;
  granule.offset_bytes = locations.offset_bytes / kGranuleBytes * kGranuleBytes;
  granule.storage = storage.data() + granule.offset_bytes;
  granule.size_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(kGranuleBytes, storage.size() - granule.offset_bytes));
  granule.never_written = never_written(allocation(locations.allocation).initialized, granule);
  granule.base = granule.floor = 0;
  granule.base_released = false;
  granule.base_releases = BaseReleases::None;
  granule.waiting = granule.late_updates = granule.narrow = granule.observed = granule.accesses_left = 0;
  granule.entry = entry ? entry : make_entry(locations);
  *granule.entry = record + 1;
  return record;
}

void GranuleTable::drop(std::uint32_t record) {
  Granule& granule = *granules_[record];
  granule.used = false;
  granule.versions.clear();
  granule.observations.clear();
  granule.floors.clear();
  granule.copies.clear();
  *granule.entry = 0;
  free_.push_back(record);
  --used_;
}

std::uint32_t GranuleTable::next_to_forget() {
  std::uint32_t narrow = kNone;
  for (std::uint32_t tried = 0; tried < size(); ++tried) {
    next_forgotten_ = (next_forgotten_ + 1) % size();
    const Granule& granule = *granules_[next_forgotten_];
    if (!granule.used || granule.waiting != 0) continue;
    if (granule.narrow == 0) return next_forgotten_;
    if (narrow == kNone) narrow = next_forgotten_;
  }
  return narrow;
}

bool GranuleTable::released(AllocationId id, std::size_t modulo) const {
  for (std::size_t i = static_cast<std::size_t>(id) % modulo; i < allocations_.size(); i += modulo)
    if (allocations_[i].released) return true;
  return false;
}

}  // namespace heddle::memory
