#include "emulator/memory/granule.h"

namespace heddle::memory {

void Granule::forget_floors() {
  floor = std::max(floor, floors.highest());
  floors.clear();
}

void Granule::observe(const Event& event, unsigned class_index, bool non_private, Stamp stamp, ByteMask bytes) {
  if (stamp <= base) return;
  observed = std::max(observed, stamp);
  for (Observation& known : observations) {
    if (known.event.agent == event.agent && known.event.slot == event.slot && known.event.epoch == event.epoch &&
        known.event.tags == event.tags && known.class_index == class_index && known.non_private == non_private) {
      known.stamp = std::max(known.stamp, stamp);
      known.bytes |= bytes;
      return;
    }
  }
  if (observations.full()) [[unlikely]] {
    for (const Observation& known : observations) floor = std::max(floor, known.stamp);
    observations.clear();
  }
  observations.add({event, stamp, bytes, class_index, non_private});
}

void Granule::note_release(const Version& version) {
  base_released = true;
  const BaseReleases before = base_releases;
  const bool goes_on =
      before == BaseReleases::None || (before == BaseReleases::InOrder && mutually_ordered(last_release, version));
  base_releases = goes_on ? BaseReleases::InOrder : BaseReleases::Several;
  last_release = InScope(version);
}

void Granule::remove_oldest_version() {
  versions.remove_oldest();
  observations.remove_if([&](const Observation& o) { return o.stamp <= base; });
  floors.remove_up_to(base);
}

}  // namespace heddle::memory
