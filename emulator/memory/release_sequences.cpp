#include "emulator/memory/release_sequences.h"

#include <algorithm>

namespace heddle::memory {
namespace {

// An atomic that many update carries the releases of all of them: beyond so many those of a workgroup, and then those
// of all, are one.
constexpr std::size_t kMostHeads = 16;

// Whether the versions come after all that the storage holds of releases: what they carry, these carried to them.
bool stand_for_forgotten(const Few<const Version*, Versions::kMost>& versions, const Granule& granule) {
  if (granule.base_releases == BaseReleases::Several) return false;
  // Which versions another record had that is gone is not known: any that is not narrow may follow them all.
  const bool of_this_record = granule.base_releases == BaseReleases::InOrder;
  return std::any_of(versions.begin(), versions.end(), [&](const Version* version) {
    return of_this_record ? mutually_ordered(granule.last_release, *version)
                          : version->forgotten || includes(version->scope, Scope::Device);
  });
}

void go_on_with(Written& made, const Version& before) {
  made.forgotten = made.forgotten || before.forgotten;
  for (const Head& head : before.heads) {
    const auto same = std::find_if(made.heads.begin(), made.heads.end(),
                                   [&](const Head& other) { return other.means_the_same(head); });
    if (same == made.heads.end()) {
      made.heads.push_back(head);
    } else if (same->number < head.number) {
      *same = head;
    }
  }
}

}  // namespace

// A read-modify-write goes on with the release sequences of the writes before it in scoped modification order, whatever
// it reads: that may be a plain write, which stands in no such order. The order is partial: of several that are not
// mutually ordered with each other each is the last one.
//= vk:memory-model-release-sequence
void ReleaseSequences::inherit(Written& made, const Granule& granule, const GranuleAccess& updating) const {
  Few<const Version*, Versions::kMost> last;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend(); ++version) {
    if (!mutually_ordered(*version, updating.bytes, updating.operation, updating.agent)) continue;
    if (std::any_of(last.begin(), last.end(), [&](const Version* later) { return mutually_ordered(*version, *later); }))
      continue;
    go_on_with(made, *version);
    last.add(&*version);
  }
  if (granules_.releases_forgotten(granule) && !stand_for_forgotten(last, granule)) [[unlikely]]
    made.forgotten = true;
  for (const Scope instance : {Scope::Workgroup, Scope::QueueFamily})
    if (made.heads.size() > kMostHeads) merge(made.heads, instance);
  if (made.heads.size() > kMostHeads) {
    made.heads.clear();
    made.forgotten = true;
  }
}

//= vk:memory-model-synchronizes-with
void ReleaseSequences::meet(const Granule& granule, const GranuleAccess& reading, MemorySemantics semantics,
                            const Found& found) {
  const bool stored = Visibility::for_each_met(granule, reading, found, [&](const Version& read) {
    if (read.heads.empty() && !read.forgotten) return;
    if (!mutually_ordered(read, reading.bytes, reading.operation, reading.agent)) return;
    if (read.forgotten) synchronization_.meet_forgotten(reading.agent, semantics);
    synchronization_.meet(reading.agent, reading.operation, semantics, read.heads);
  });
  if (stored && granules_.releases_forgotten(granule)) [[unlikely]]
    synchronization_.meet_forgotten(reading.agent, semantics);
}

void ReleaseSequences::carry(const Operation& write) {
  if (releases(write.semantics) || synchronization_.carries(write.agent, write.storage_class, write.scope))
    note_forgotten(write.locations.allocation);
}

void ReleaseSequences::note_forgotten(AllocationId allocation) {
  granules_.set_released(allocation, true);
  at_once_.add_released(allocation);
}

void ReleaseSequences::begin(AllocationId allocation) {
  granules_.set_released(allocation, false);
  at_once_.drop_released(allocation);
  // The allocations that share its bit.
  if (granules_.released(allocation, AtOnce::kReleasedBits)) at_once_.add_released(allocation);
}

void ReleaseSequences::restart() {
  if (at_once_.any_released()) granules_.forget_released();
  at_once_.drop_all_released();
}

}  // namespace heddle::memory
