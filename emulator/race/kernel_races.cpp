#include "emulator/race/kernel_races.h"

#include <algorithm>

#include "emulator/race/kernel_access.h"

namespace heddle::race {

// Two accesses that share several words race once: whether the race in these bytes goes on with one in the word before.
bool KernelRaces::goes_on(const Record& older, const WordAccess& now, std::uint64_t begin, std::uint64_t end) {
  // What was found in front of the first byte of this access is none of it: only a later word goes on with something.
  if (begin == now.operation->locations.offset_bytes) return false;
  for (Found& found : found_) {
    if (found.site != older.site || found.agent != older.agent || found.stamp != older.stamp ||
        found.end_bytes != begin || end - found.begin_bytes > sites_[older.site].operation.locations.size_bytes)
      continue;
    found.end_bytes = end;
    return true;
  }
  return false;
}

KernelRace* KernelRaces::find(const Record& older, const WordAccess& now) {
  const std::uint64_t begin = now.word * kWordBytes + std::max(older.first, now.record.first);
  const std::uint64_t end = now.word * kWordBytes + std::min(older.last, now.record.last);
  if (goes_on(older, now, begin, end)) return nullptr;
  // First, so that no pair is noted of which there is no room to tell.
  Found& found = found_.emplace_back(Found{older.agent, older.stamp, older.site, kNowhere, begin, end});
  const auto [at, fresh] = note_pair(older.site, now.site, now.operation->locations.allocation);
  found.race = at;
  if (!fresh) return nullptr;
  KernelRace& race = races_[at];
  race.first_agent = static_cast<AgentId>(older.agent);
  race.second_agent = now.operation->agent;
  race.first = older.site;
  race.second = now.site;
  race.operation = now.index;
  return &race;
}

// The place in races_ of a pair of instructions that race in the allocation, and whether it is a new one, of a race
// that has not come yet. Each workgroup has Workgroup memory of its own: it is one bug all the same.
std::pair<std::size_t, bool> KernelRaces::note_pair(SiteId first, SiteId second, AllocationId allocation) {
  const bool shared = sites_[second].operation.storage_class == StorageClass::Workgroup;
  const std::tuple pair(first, second, shared ? AllocationId{~0u} : allocation);
  const auto known = known_.find(pair);
  if (known != known_.end()) return {known->second, false};
  races_.emplace_back();
  known_.emplace(pair, races_.size() - 1);
  return {races_.size() - 1, true};
}

void KernelRaces::add(const KernelRace& race) {
  const auto [at, fresh] = note_pair(race.first, race.second, race.bytes.allocation);
  if (!fresh) {
    // What it finds itself it counts itself.
    if (!races_[at].by_tags) return;
    ++races_[at].count;
    if (on_race_again_) on_race_again_(at, race.first_agent);
    return;
  }
  races_[at] = race;
  races_[at].count = 1;
  if (on_race_) on_race_(races_[at]);
}

void KernelRaces::tell(const Found& found, AllocationId allocation) {
  if (found.race == kNowhere) return;
  KernelRace& race = races_[found.race];
  if (race.count++ != 0) {
    if (on_race_again_) on_race_again_(found.race, static_cast<AgentId>(found.agent));
    return;
  }
  race.bytes = {allocation, found.begin_bytes, static_cast<std::uint32_t>(found.end_bytes - found.begin_bytes)};
  if (on_race_) on_race_(race);
}

void KernelRaces::report_found(AllocationId allocation) {
  take_each(found_, [&](const Found& found) { tell(found, allocation); });
}

void KernelRaces::forget(AllocationId allocation) {
  std::erase_if(known_, [&](const auto& race) { return std::get<AllocationId>(race.first) == allocation; });
}

void KernelRaces::clear() {
  races_.clear();
  known_.clear();
}

}  // namespace heddle::race
