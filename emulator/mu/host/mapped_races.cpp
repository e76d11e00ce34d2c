#include "emulator/mu/host/mapped_races.h"

#include <algorithm>

namespace heddle::mu::host {
namespace {

//= vk:memory-model-atomic-operation
bool mutually_ordered(const MappedAccess& a, const MappedAccess& b) {
  return a.atomic && b.atomic && a.wide && b.wide && a.begins_before == b.begins_before && a.size_bytes == b.size_bytes;
}

bool ordered(const MappedAccess& earlier, const MappedAccess& later, const machine::ClockValue* clock) {
  return earlier.thread == later.thread || clock[earlier.thread] >= earlier.number;
}

/// Whether what races with the earlier one, which is ordered before the later, also races with the later.
bool covers(const MappedAccess& later, const MappedAccess& earlier) {
  return (later.writes || !earlier.writes) && (earlier.atomic || !later.atomic);
}

}  // namespace

std::uint32_t MappedRaces::add(std::uint64_t size_bytes) {
  objects_.emplace_back().pages.resize((size_bytes + kCellsOfPage - 1) / kCellsOfPage);
  return static_cast<std::uint32_t>(objects_.size() - 1);
}

void MappedRaces::access(std::uint32_t object, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                         MappedAccess access, const machine::ClockValue* clock) {
  // What is not atomic may be longer, and is not asked how long it is.
  if (access.atomic) access.size_bytes = static_cast<std::uint8_t>(size_bytes);
  for (std::uint32_t i = 0; i < size_bytes; ++i) {
    const std::uint64_t byte = offset_bytes + i;
    std::unique_ptr<Page>& page = objects_[object].pages[byte / kCellsOfPage];
    if (!page) page = std::make_unique<Page>();
    Cell& cell = (*page)[byte % kCellsOfPage];
    if (access.atomic) access.begins_before = static_cast<std::uint8_t>(i);
    std::erase_if(cell, [&](const MappedAccess& earlier) {
      if (ordered(earlier, access, clock)) return covers(access, earlier);
      if ((earlier.writes || access.writes) && !mutually_ordered(earlier, access))
        find({object, byte, earlier, access});
      return false;
    });
    cell.push_back(access);
  }
}

void MappedRaces::find(const MappedRace& race) {
  const bool known = std::any_of(found_.begin(), found_.end(), [&](const MappedRace& one) {
    return one.object == race.object && one.first.place == race.first.place && one.second.place == race.second.place;
  });
  if (!known) found_.push_back(race);
}

}  // namespace heddle::mu::host
