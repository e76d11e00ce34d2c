#include "emulator/memory/records.h"

#include <algorithm>

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

void Records::restart() {
  for (std::uint32_t record = 0; record < granules_.size(); ++record)
    if (granules_[record].used) drop(record);
  begin_anew();
}

void Records::begin_anew() {
  first_left_ = kFewRecords;
  at_once_.until_record() = 0;
  at_once_.sites().clear();
}

void Records::remove(AllocationId allocation) {
  for (std::uint32_t record = 0; record < granules_.size(); ++record)
    if (granules_[record].used && granules_[record].allocation == allocation) drop(record);
}

std::uint32_t Records::find_or_make(const Operation& write) {
  const Locations& locations = write.locations;
  std::uint32_t* const entry = granules_.entry_of(locations.allocation, locations.offset_bytes);
  if (entry && *entry != 0) return *entry - 1;
  return worth_a_record(write) ? make_record(locations, entry) : kNone;
}

// What publishes something is executed a few times by a workgroup, its traffic thousands of times: each line of each
// workgroup has a few records of its own, and then what all of them have together.
bool Records::worth_a_record(const Operation& write) {
  if (always_makes()) return true;
  const emulation::Site site =
      at_once_.site(write.where.line, write.locations.allocation, residents_.of(write.agent)->cohort.first);
  if (!at_once_.sites().is_used_up(site)) {
    at_once_.sites().count(site, write.atomic ? kRecordsOfAtomic : kRecordsOfLine);
    return true;
  }
  std::uint32_t& until_record = at_once_.until_record();
  if (until_record != 0) {
    --until_record;
    return false;
  }
  until_record = draws_.below(2 * kRecordInterval);
  return write.kind != OperationKind::ReadModifyWrite || draws_.below(kUpdatesOfRecord) == 0;
}

std::uint32_t Records::make_record(const Locations& locations, std::uint32_t* entry) {
  if (granules_.used() >= kMostRecords && !policy_.record_all) [[unlikely]]
    make_room();
  ++report_.records;
  const std::uint32_t record = granules_.make(locations, entry);
  Granule& granule = granules_[record];
  if (!always_makes()) granule.accesses_left = kAccessesOfRecord;
  if (first_left_ != 0) --first_left_;
  at_once_.add_record(granule.allocation, granule.offset_bytes);
  return record;
}

void Records::make_room() {
  const std::uint32_t record = granules_.next_to_forget();
  if (record != kNone) forget(record);
}

void Records::forget(std::uint32_t record) {
  Granule& granule = granules_[record];
  for (Version& version : granule.versions) order_.fold(granule, version);
  give_up(record);
}

// Gives up a record of which everything is in the storage.
void Records::give_up(std::uint32_t record) {
  const Granule& granule = granules_[record];
  if (granule.base_released) releases_.note_forgotten(granule.allocation);
  drop(record);
}

// After an access to the granule. What is still on its way stays, and so do releases: once forgotten they
// order more.
void Records::forget_if_used_up(std::uint32_t record) {
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

void Records::drop(std::uint32_t record) {
  Granule& granule = granules_[record];
  if (!granule.copies.empty()) copies_.drop(granule);
  at_once_.drop_record(granule.allocation, granule.offset_bytes);
  granules_.drop(record);
}

}  // namespace heddle::memory
