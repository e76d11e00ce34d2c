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
// Records have shown what they can when nothing of theirs is on its way any more and there were so many
// accesses, each of which costs ten times as much as one without a record.
constexpr std::uint32_t kAccessesOfRecord = 12;

}  // namespace

void Machine::add(AllocationId id, std::span<std::byte> storage) {
  granules_.add(id, storage);
  telling_.forget(id);
  forget_release(id);
}

void Machine::note_initialized(AllocationId id, const detail::InitializedBytes& initialized) {
  granules_.note_initialized(id, initialized);
}

void Machine::remove(AllocationId id) {
  outbox_.remove(id);
  order_.remove(id);
  telling_.forget(id);
  for (std::uint32_t record = 0; record < granules_.size(); ++record)
    if (granules_[record].used && granules_[record].allocation == id) drop(record);
  granules_.remove(id);
}

std::uint32_t Machine::find_or_make(const Operation& write) {
  const Locations& locations = write.locations;
  std::uint32_t* const entry = granules_.entry_of(locations.allocation, locations.offset_bytes);
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

std::uint32_t Machine::make_record(const Locations& locations, std::uint32_t* entry) {
  if (granules_.used() >= kMostRecords && !policy_.record_all) [[unlikely]]
    make_room();
  ++report_.records;
  const std::uint32_t record = granules_.make(locations, entry);
  Granule& granule = granules_[record];
  if (first_records_ == 0 && !policy_.record_all) granule.accesses_left = kAccessesOfRecord;
  if (first_records_ != 0) --first_records_;
  ++remembered(granule.allocation, granule.offset_bytes);
  return record;
}

void Machine::make_room() {
  const std::uint32_t record = granules_.next_to_forget();
  if (record != kNone) forget(record);
}

void Machine::note_forgotten_release(AllocationId allocation) {
  granules_.set_released(allocation, true);
  released_ |= bit_of(allocation);
}

void Machine::forget_release(AllocationId allocation) {
  granules_.set_released(allocation, false);
  released_ &= ~bit_of(allocation);
  // The allocations that share its bit.
  if (granules_.released(allocation, 64)) released_ |= bit_of(allocation);
}

void Machine::forget(std::uint32_t record) {
  Granule& granule = granules_[record];
  for (Version& version : granule.versions) order_.fold(granule, version);
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
  if (!granule.copies.empty()) visibility_.copies().drop(granule);
  --remembered(granule.allocation, granule.offset_bytes);
  granules_.drop(record);
}

}  // namespace heddle::memory
