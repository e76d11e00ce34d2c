// Where a machine keeps what it remembers of granules, how it forgets, and what it tells.

#include <algorithm>
#include <cstring>
#include <vector>

#include "emulator/memory/machine.h"

namespace heddle::memory {

namespace {

// Beyond the first few, so many writes of a line get one in each workgroup; and so many of an atomic, by which others
// learn of what was written before it.
constexpr std::uint32_t kRecordsOfLine = 2;
constexpr std::uint32_t kRecordsOfAtomic = 4;
// One in so many of all others does.
constexpr std::uint32_t kRecordInterval = 64;
// An update waits for no other, and no update reads what is stale: of those that would get one, one in some does.
constexpr std::uint32_t kUpdatesOfRecord = 4;
// And those have shown what they can when nothing of theirs is on its way any more and there were so many
// accesses, each of which costs ten times as much as one without a record.
constexpr std::uint32_t kAccessesOfRecord = 12;

}  // namespace

std::byte* Machine::storage_of(const Locations& locations) {
  return allocation_of(locations).storage.data() + locations.offset_bytes;
}

void Machine::add(AllocationId id, std::span<std::byte> storage) {
  const auto index = static_cast<std::size_t>(id);
  if (allocations_.size() <= index) allocations_.resize(index + 1);
  Allocation& allocation = allocations_[index];
  // Those of an allocation before it, as large, have no records any more, but room for them.
  if (allocation.storage.size() != storage.size()) allocation.pages.clear();
  allocation.storage = storage;
  telling_.forget(id);
  forget_release(id);
}

void Machine::remove(AllocationId id) {
  waiting_.remove_if([&](const Waiting& w) {
    Granule& granule = granules_[w.granule];
    if (granule.allocation != id) return false;
    --granule.waiting;
    return true;
  });
  narrow_.remove_if([&](const Narrow& n) { return granules_[n.record].allocation == id; });
  Allocation& allocation = allocations_[static_cast<std::size_t>(id)];
  telling_.forget(id);
  if (!allocation.pages.empty())
    for (std::uint32_t record = 0; record < granules_.size(); ++record)
      if (granules_[record].used && granules_[record].allocation == id) drop(record);
  allocation = {};
}

std::uint32_t Machine::find(const Locations& locations) {
  const std::uint32_t* record = record_of(allocation_of(locations), locations.offset_bytes);
  return record ? *record - 1 : kNone;
}

std::uint32_t Machine::find_or_make(const Operation& write) {
  const Locations& locations = write.locations;
  std::uint32_t* const entry = record_of(allocation_of(locations), locations.offset_bytes);
  if (entry && *entry != 0) return *entry - 1;
  return worth_a_record(write) ? make_record(locations, entry) : kNone;
}

// What publishes something is executed a few times by a workgroup, its traffic thousands of times: each line of each
// workgroup has a few records of its own, and then what all of them have together.
bool Machine::worth_a_record(const Operation& write) {
  if (first_records_ != 0 || policy_.record_all) return true;
  const emulation::Site site =
      this->site(write.where.line, write.locations.allocation, synchronization_.first_of_cohort(write.agent));
  if (!sites_.is_used_up(site)) {
    sites_.count(site, write.atomic ? kRecordsOfAtomic : kRecordsOfLine);
    return true;
  }
  if (until_record_ != 0) {
    --until_record_;
    return false;
  }
  until_record_ = draws_.below(2 * kRecordInterval);
  return write.kind != OperationKind::ReadModifyWrite || draws_.below(kUpdatesOfRecord) == 0;
}

std::uint32_t* Machine::make_entry(const Locations& locations) {
  Allocation& allocation = allocation_of(locations);
  if (allocation.pages.empty()) {
    constexpr std::size_t kPageBytes = kPageGranules * kGranuleBytes;
    allocation.pages.resize((allocation.storage.size() + kPageBytes - 1) / kPageBytes);
  }
  std::unique_ptr<Page>& page = allocation.pages[locations.offset_bytes / kGranuleBytes / kPageGranules];
  if (!page) page = std::make_unique<Page>();
  return record_of(allocation, locations.offset_bytes);
}

std::uint32_t Machine::make_record(const Locations& locations, std::uint32_t* entry) {
  if (records_ >= kMostRecords && !policy_.record_all) [[unlikely]]
    make_room();
  if (free_records_.empty()) [[unlikely]] {
    free_records_.push_back(granules_.size());
    granules_.add();
  }
  const std::uint32_t record = free_records_.back();
  free_records_.pop_back();
  ++report_.records;
  ++records_;
  const std::span<std::byte> storage = allocation_of(locations).storage;
  Granule& granule = granules_[record];
  granule.used = true;
  granule.allocation = locations.allocation;
  granule.offset_bytes = locations.offset_bytes / kGranuleBytes * kGranuleBytes;
  granule.storage = storage.data() + granule.offset_bytes;
  granule.size_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(kGranuleBytes, storage.size() - granule.offset_bytes));
  granule.base = granule.floor = 0;
  granule.base_released = false;
  granule.base_releases = BaseReleases::None;
  granule.waiting = granule.late_updates = granule.narrow = granule.observed = 0;
  granule.accesses_left = first_records_ == 0 && !policy_.record_all ? kAccessesOfRecord : 0;
  if (first_records_ != 0) --first_records_;
  granule.entry = entry ? entry : make_entry(locations);
  *granule.entry = record + 1;
  ++remembered(granule.allocation, granule.offset_bytes);
  return record;
}

// The next in turn of which nothing waits.
void Machine::make_room() {
  for (std::uint32_t tried = 0; tried < granules_.size(); ++tried) {
    next_forgotten_ = (next_forgotten_ + 1) % static_cast<std::uint32_t>(granules_.size());
    Granule& granule = granules_[next_forgotten_];
    if (!granule.used || granule.waiting != 0) continue;
    forget(next_forgotten_);
    return;
  }
}

trace::Value Machine::value_in_storage(const Granule& granule) {
  return granule.size_bytes == kGranuleBytes ? load_value(granule.storage, kGranuleBytes)
                                             : load_value(granule.storage, granule.size_bytes);
}

void Machine::store_all(Granule& granule, trace::Value value) {
  if (granule.size_bytes == kGranuleBytes) [[likely]] {
    store_value(granule.storage, value, kGranuleBytes);
  } else {
    store_value(granule.storage, value, granule.size_bytes);
  }
}

void Machine::store(Granule& granule, const Written& write) {
  store_all(granule, write.over(value_in_storage(granule)));
  if (telling_.notes_writers()) [[unlikely]]
    telling_.stored(granule.locations(write.bytes), write.operation);
}

void Machine::note_release(Granule& granule, const Version& version) {
  granule.base_released = true;
  const BaseReleases before = granule.base_releases;
  const bool goes_on = before == BaseReleases::None ||
                       (before == BaseReleases::InOrder && mutually_ordered(granule.last_release, version));
  granule.base_releases = goes_on ? BaseReleases::InOrder : BaseReleases::Several;
  granule.last_release = InScope(version);
}

void Machine::note_forgotten_release(AllocationId allocation) {
  allocation_of(allocation).released = true;
  released_ |= bit_of(allocation);
}

void Machine::forget_release(AllocationId allocation) {
  allocation_of(allocation).released = false;
  released_ &= ~bit_of(allocation);
  // The allocations that share its bit.
  for (std::size_t i = static_cast<std::size_t>(allocation) % 64; i < allocations_.size(); i += 64)
    if (allocations_[i].released) released_ |= bit_of(allocation);
}

void Machine::fold(Granule& granule, Version& version) {
  raise(granule, version, CacheLevel::Shader, trace::MoveReason::Flush);
  store(granule, version);
  if (version.released()) note_release(granule, version);
  granule.base = version.stamp;
  granule.floor = std::max(granule.floor, granule.base);
}

// Folds all versions of a granule that no access comes to any more.
void Machine::fold_all(Granule& granule) {
  trace::Value value = value_in_storage(granule);
  for (unsigned i = 0; i < granule.versions.size(); ++i) value = granule.versions[i].over(value);
  store_all(granule, value);
  if (telling_.notes_writers()) [[unlikely]]
    note_writers(granule);
  if (granule.versions.released()) {
    granule.base_released = true;
    granule.base_releases = BaseReleases::Several;
  }
  granule.versions.clear();
}

void Machine::fold_oldest(Granule& granule) {
  fold(granule, granule.versions.front());
  granule.versions.remove_oldest();
  granule.observations.remove_if([&](const Observation& o) { return o.stamp <= granule.base; });
  granule.floors.remove_up_to(granule.base);
}

void Machine::forget(std::uint32_t record) {
  Granule& granule = granules_[record];
  for (Version& version : granule.versions) fold(granule, version);
  give_up(record);
}

// Gives up a record of which everything is in the storage.
void Machine::give_up(std::uint32_t record) {
  const Granule& granule = granules_[record];
  if (granule.base_released) note_forgotten_release(granule.allocation);
  drop(record);
}

// After an access to the granule. What is still on its way stays, and so do releases: once forgotten they
// order more.
void Machine::forget_if_used_up(std::uint32_t record) {
  Granule& granule = granules_[record];
  const auto is_needed = [](const Version& version) {
    return version.level < CacheLevel::Shader || version.released();
  };
  if (granule.waiting != 0 || granule.base_released ||
      std::any_of(granule.versions.begin(), granule.versions.end(), is_needed)) {
    granule.accesses_left = 1;
  } else {
    forget(record);
  }
}

void Machine::drop(std::uint32_t record) {
  Granule& granule = granules_[record];
  granule.used = false;
  granule.versions.clear();
  granule.observations.clear();
  granule.floors.clear();
  if (!granule.copies.empty()) drop_copies(granule);
  *granule.entry = 0;
  --remembered(granule.allocation, granule.offset_bytes);
  free_records_.push_back(record);
  --records_;
}

Version& Machine::version_at(Granule& granule, Stamp stamp) {
  return *std::find_if(granule.versions.begin(), granule.versions.end(),
                       [&](const Version& version) { return version.stamp == stamp; });
}

const Version& Machine::version_at(const Granule& granule, Stamp stamp) const {
  return *std::find_if(granule.versions.begin(), granule.versions.end(),
                       [&](const Version& version) { return version.stamp == stamp; });
}

bool Machine::releases_forgotten(const Granule& granule) const {
  return granule.base_released || allocations_[static_cast<std::size_t>(granule.allocation)].released;
}

// --- Telling ---

void Machine::note_writers(const Granule& granule) {
  for (const Version& version : granule.versions) telling_.stored(granule.locations(version.bytes), version.operation);
}

// `own`: it read what its agent has waiting, which then has all of the bytes.
void Machine::add_sources(std::uint32_t record, const Access& reading, const Found& found, bool own) {
  const Granule& granule = granules_[record];
  if (found.from_storage && !own) return telling_.set_stored_sources(reading.operation.locations);
  if (found.whole && !own) return telling_.set_source(reading.operation.locations, found.version->operation);
  telling_.clear_sources();
  for (std::uint32_t i = 0; i < kGranuleBytes; ++i) {
    const ByteMask bit = ByteMask{0xff} << (i * 8);
    if ((reading.bytes & bit) == 0) continue;
    trace::OperationIndex writer = model::kInitialValue;
    if (own) {
      for (const Waiting& w : waiting_)
        if (w.granule == record && is_own(w, reading) && (w.bytes & bit) != 0) writer = w.operation;
    } else {
      writer = telling_.writer_of(granule.allocation, granule.offset_bytes + i);
      for (const Version& version : granule.versions)
        if (version.stamp <= found.position && (version.bytes & bit) != 0 && reaches(version, reading))
          writer = version.operation;
    }
    telling_.add_source(granule.allocation, granule.offset_bytes + i, writer);
  }
}

void Machine::tell_stale(std::uint32_t record, const Found& found) {
  const Version& missed = version_at(granules_[record], found.newest);
  telling_.stale(missed.operation, policy_.shared_copies ? CacheLevel::Workgroup : CacheLevel::Agent);
}

}  // namespace heddle::memory
