#include "emulator/memory/write_order.h"

#include <algorithm>

namespace heddle::memory {

[[gnu::hot]] void WriteOrder::place(Granule& granule, std::uint32_t record, Version& version, Agent* agent,
                                    CacheLevel level, trace::MoveReason reason) {
  if (granule.versions.size() == Versions::kMost) [[unlikely]]
    fold_oldest(granule);
  granule.versions.add(version);
  version.stamp = ++stamp_;
  version.level = level;
  version.own_level = level;
  if (agent) note_placed(*agent, version);
  granule.raise_floor(version.agent, version.reference, version.stamp);
  if (level < CacheLevel::Shader) {
    ++granule.narrow;
    narrow_.add({record, version.stamp, time()});
  }
  if (telling_.hears_moves()) [[unlikely]]
    telling_.moved(version.operation, granule.locations(version.bytes), version.agent, CacheLevel::Agent, level,
                   reason);
  if (telling_.is_on() && version.atomic) [[unlikely]]
    telling_.placed(version.operation);
  if (narrow_.size() > WaitingList::kMost) [[unlikely]]
    widen(0, CacheLevel::Shader, trace::MoveReason::Flush);
}

void WriteOrder::note_placed(Agent& agent, const Written& made) {
  if (made.born < agent.youngest_placed) {
    ++report_.overtaken;
  } else {
    agent.youngest_placed = made.born;
  }
}

// Raises narrow versions, and those that only some know to be available.
void WriteOrder::raise(Granule& granule, Version& version, CacheLevel level, trace::MoveReason reason) {
  if (level <= version.level) return;
  if (telling_.hears_moves()) [[unlikely]]
    telling_.moved(version.operation, granule.locations(version.bytes), version.agent, version.level, level, reason);
  version.level = level;
  if (reason != trace::MoveReason::Availability) version.own_level = std::max(version.own_level, level);
  if (level < CacheLevel::Shader) return;
  --granule.narrow;
  narrow_.remove_if([&](const Narrow& n) { return n.stamp == version.stamp; });
}

void WriteOrder::widen(std::size_t i, CacheLevel level, trace::MoveReason reason) {
  Granule& granule = granules_[narrow_[i].record];
  raise(granule, granule.version_at(narrow_[i].stamp), level, reason);
}

void WriteOrder::remove(AllocationId allocation) {
  narrow_.remove_if([&](const Narrow& n) { return granules_[n.record].allocation == allocation; });
}

void WriteOrder::store(Granule& granule, const Written& write) {
  granule.store(write.over(granule.stored()));
  granule.never_written &= ~write.bytes;
  if (telling_.notes_writers()) [[unlikely]]
    telling_.stored(granule.locations(write.bytes), write.operation);
}

void WriteOrder::fold(Granule& granule, Version& version) {
  raise(granule, version, CacheLevel::Shader, trace::MoveReason::Flush);
  store(granule, version);
  if (version.released()) granule.note_release(version);
  granule.base = version.stamp;
  granule.floor = std::max(granule.floor, granule.base);
}

void WriteOrder::fold_all(Granule& granule) {
  trace::Value value = granule.stored();
  for (unsigned i = 0; i < granule.versions.size(); ++i) {
    value = granule.versions[i].over(value);
    granule.never_written &= ~granule.versions[i].bytes;
  }
  granule.store(value);
  if (telling_.notes_writers()) [[unlikely]]
    note_writers(granule);
  if (granule.versions.released()) {
    granule.base_released = true;
    granule.base_releases = BaseReleases::Several;
  }
  granule.versions.clear();
}

void WriteOrder::fold_oldest(Granule& granule) {
  fold(granule, granule.versions.front());
  granule.remove_oldest_version();
}

void WriteOrder::fold_wide(Granule& granule) {
  while (granule.versions.size() != 0 && granule.versions.front().level >= CacheLevel::Shader) fold_oldest(granule);
}

void WriteOrder::note_writers(const Granule& granule) {
  for (const Version& version : granule.versions) telling_.stored(granule.locations(version.bytes), version.operation);
}

}  // namespace heddle::memory
