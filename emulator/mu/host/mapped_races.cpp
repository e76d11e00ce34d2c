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

/// The race of two accesses that both have the byte.
MappedRace race_of(std::uint32_t object, std::uint64_t byte, const MappedAccess& first, const MappedAccess& second) {
  const std::uint64_t begin = byte - std::min(first.begins_before, second.begins_before);
  const auto end_of = [byte](const MappedAccess& access) { return byte - access.begins_before + access.size_bytes; };
  return {object, begin, std::min(end_of(first), end_of(second)) - begin, first, second};
}

}  // namespace

std::uint32_t MappedRaces::add(std::uint64_t size_bytes) {
  objects_.emplace_back().pages.resize((size_bytes + kCellsOfPage - 1) / kCellsOfPage);
  return static_cast<std::uint32_t>(objects_.size() - 1);
}

void MappedRaces::kernel_runs(std::uint32_t dispatch, ThreadIndex thread, machine::ClockValue number,
                              std::span<const machine::ClockValue> clock) {
  if (dispatch >= kernels_.size()) kernels_.resize(dispatch + 1);
  Kernel& kernel = kernels_[dispatch];
  kernel.thread = thread;
  kernel.number = number;
  kernel.clock.assign(clock.begin(), clock.end());
  running_ = dispatch;
}

void MappedRaces::fence(bool acquires, bool releases) {
  Kernel& kernel = kernels_[running_];
  kernel.released = kernel.released || releases;
  if (!acquires) return;
  kernel.acquired.insert(kernel.acquired.end(), kernel.read.begin(), kernel.read.end());
  kernel.read.clear();
}

// Whatever may synchronize counts, whether it is the write that was read or not.
//= vk:memory-model-synchronizes-with
void MappedRaces::take_up(const Cell& cell, const MappedAccess& read) {
  Kernel& kernel = kernels_[read.dispatch];
  for (const MappedAccess& write : cell) {
    if (!write.atomic || !write.wide || !write.writes || !write.releases || write.dispatch == read.dispatch) continue;
    const auto has = [&](const std::vector<std::uint32_t>& all) {
      return std::find(all.begin(), all.end(), write.dispatch) != all.end();
    };
    if (!has(kernel.acquired) && !has(kernel.read)) kernel.read.push_back(write.dispatch);
  }
  if (read.acquires) fence(true, false);
}

// By what the later one comes after, and what the kernels among that have acquired, and so on.
bool MappedRaces::may_be_ordered(const MappedAccess& earlier, const MappedAccess& later,
                                 const machine::ClockValue* clock) const {
  std::vector<bool> counted(kernels_.size());
  std::vector<machine::ClockValue> known;
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t number = 0; number < kernels_.size(); ++number) {
      const Kernel& kernel = kernels_[number];
      if (counted[number] || kernel.clock.empty()) continue;
      if (known.empty()) known.assign(clock, clock + kernel.clock.size());
      if (number != later.dispatch && known[kernel.thread] < kernel.number) continue;
      counted[number] = more = true;
      for (const std::uint32_t other : kernel.acquired) {
        const Kernel& before = kernels_[other];
        machine::join(known.data(), before.clock.data(), static_cast<std::uint32_t>(known.size()));
        known[before.thread] = std::max(known[before.thread], before.number);
      }
    }
  }
  return !known.empty() && known[earlier.thread] >= earlier.number;
}

void MappedRaces::access(std::uint32_t object, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                         MappedAccess access, const machine::ClockValue* clock) {
  access.size_bytes = size_bytes;
  if (access.dispatch != kNoDispatch && access.writes) {
    if (access.releases) fence(false, true);
    access.releases = kernels_[access.dispatch].released;
  }
  for (std::uint32_t i = 0; i < size_bytes; ++i) {
    const std::uint64_t byte = offset_bytes + i;
    std::unique_ptr<Page>& page = objects_[object].pages[byte / kCellsOfPage];
    if (!page) page = std::make_unique<Page>();
    Cell& cell = (*page)[byte % kCellsOfPage];
    access.begins_before = i;
    if (access.atomic && access.wide && access.reads) take_up(cell, access);
    std::erase_if(cell, [&](const MappedAccess& earlier) {
      if (ordered(earlier, access, clock)) return covers(access, earlier);
      if ((earlier.writes || access.writes) && !mutually_ordered(earlier, access))
        find(race_of(object, byte, earlier, access), clock);
      return false;
    });
    cell.push_back(access);
  }
}

void MappedRaces::find(const MappedRace& race, const machine::ClockValue* clock) {
  const auto has = [&](const std::vector<MappedRace>& all) {
    return std::any_of(all.begin(), all.end(), [&](const MappedRace& one) {
      return one.object == race.object && one.first.place == race.first.place && one.second.place == race.second.place;
    });
  };
  if (has(found_)) return;
  if (!may_be_ordered(race.first, race.second, clock)) {
    found_.push_back(race);
  } else if (!has(not_judged_)) {
    not_judged_.push_back(race);
  }
}

}  // namespace heddle::mu::host
