// What races: a pair of instructions once, an example, and the first link that is missing.

#include <algorithm>

#include "emulator/race/kernel_detector.h"

namespace heddle::race {

// Two accesses that share several words race once.
void KernelDetector::find(const Record& x, const Now& now, const RecordList& list) {
  const Locations& bytes = now.operation->locations;
  const std::uint64_t begin = now.word * kWordBytes + std::max(x.first, now.record.first);
  const std::uint64_t end = now.word * kWordBytes + std::min(x.last, now.record.last);
  // What was found in front of the first byte of this access is none of it: only a later word goes on with something.
  const bool may_go_on = begin != bytes.offset_bytes;
  for (std::size_t i = 0; may_go_on && i < found_.size(); ++i) {
    Found& found = found_[i];
    if (found.site != x.site || found.agent != x.agent || found.stamp != x.stamp || found.end_bytes != begin ||
        end - found.begin_bytes > sites_[x.site].operation.locations.size_bytes)
      continue;
    found.end_bytes = end;
    return;
  }
  const auto [at, fresh] = note_pair(x.site, now.record.site, bytes.allocation);
  if (fresh) {
    const MissingStep step = missing(x, now, list);
    races_.push_back({static_cast<AgentId>(x.agent),
                      now.operation->agent,
                      x.site,
                      now.record.site,
                      now.index,
                      {},
                      0,
                      step,
                      explain(x, now, step)});
  }
  found_.push_back({x.agent, x.stamp, x.site, at, begin, end});
}

// The place in races_ of a pair of instructions that race in the allocation, and whether it is a new one. Each
// workgroup has Workgroup memory of its own: it is one bug all the same.
std::pair<std::size_t, bool> KernelDetector::note_pair(SiteId first, SiteId second, AllocationId allocation) {
  const bool shared = sites_[second].operation.storage_class == StorageClass::Workgroup;
  const auto [at, fresh] =
      known_.emplace(std::tuple(first, second, shared ? AllocationId{~0u} : allocation), races_.size());
  return {at->second, fresh};
}

void KernelDetector::add(const KernelRace& race) {
  const auto [at, fresh] = note_pair(race.first, race.second, race.bytes.allocation);
  if (!fresh) {
    // What it finds itself it counts itself.
    if (!races_[at].by_tags) return;
    ++races_[at].count;
    if (on_race_again_) on_race_again_(at, race.first_agent);
    return;
  }
  races_.push_back(race);
  races_.back().count = 1;
  if (on_race_) on_race_(races_.back());
}

void KernelDetector::report_found(AllocationId allocation) {
  for (const Found& found : found_) {
    KernelRace& race = races_[found.race];
    if (race.count++ != 0) {
      if (on_race_again_) on_race_again_(found.race, static_cast<AgentId>(found.agent));
      continue;
    }
    race.bytes = {allocation, found.begin_bytes, static_cast<std::uint32_t>(found.end_bytes - found.begin_bytes)};
    if (on_race_) on_race_(race);
  }
  found_.clear();
}

// The first missing link.
//= vk:memory-model-location-ordered
MissingStep KernelDetector::missing(const Record& x, const Now& now, const RecordList& list) {
  const Site& old = sites_[x.site];
  const Site& y = *now.instruction;
  const bool same_reference = x.reference == now.record.reference;
  if (x.agent == now.record.agent) return MissingStep::OwnReferences;
  if (old.atomic && y.atomic && same_reference) return MissingStep::NotMutual;
  if (!old.non_private || !y.non_private) return MissingStep::Private;
  if (!same_reference) return MissingStep::References;
  const ViewPointer view = order_.view(now.record.agent);
  look_at_others(list, now);
  KernelAccess later = access_of(now.record, now);
  later.view = view.get();
  const auto at = static_cast<std::size_t>(&x - list.records.data());
  return location_order_.missing(others_[at], later, others_);
}

std::string KernelDetector::explain(const Record& x, const Now& now, MissingStep missing) const {
  const std::uint32_t agent = now.record.agent;
  switch (missing) {
    case MissingStep::OwnReferences:
      return "one invocation makes both accesses, but through two references to the same memory: program "
             "order counts only for accesses through one reference";
    case MissingStep::NotMutual:
      return "both are atomic, but not for each other: their scopes do not include both invocations, or "
             "they have other bytes";
    case MissingStep::Private: {
      const bool first = !sites_[x.site].non_private;
      const char* which = first && !now.instruction->non_private ? "both accesses are private"
                          : first                                ? "the first access is private"
                                                                 : "the second access is private";
      const std::string why = std::string(which) + ": only non-private ones are ordered between invocations";
      const bool may_be_synchronized = order_.view(agent)->reached.has(order_.group(x.agent), x.agent, x.stamp);
      return may_be_synchronized ? why : not_synchronized(x.agent, agent) + "; besides, " + why;
    }
    case MissingStep::References:
      return "they use different references to the same memory, which only a dependency between "
             "dispatches orders";
    case MissingStep::Synchronization:
      return not_synchronized(x.agent, agent);
    case MissingStep::Scope:
      return "a release and an acquire meet, but the scopes do not include both invocations";
    case MissingStep::StorageClass:
      return "they are synchronized, but the storage class of this memory is missing in the "
             "semantics on the way";
    case MissingStep::Availability:
      return "they are synchronized, but the write was never made available: MakeAvailable is missing";
    case MissingStep::WiderAvailability:
      return "they are synchronized, but the write was made available at a scope that does not "
             "include both invocations";
    case MissingStep::Visibility:
      return "they are synchronized and the write is available, but it was never made visible: "
             "MakeVisible is missing";
  }
  return {};
}

std::string KernelDetector::not_synchronized(std::uint32_t first, std::uint32_t second) const {
  return order_.places().same_instance(first, second, kWorkgroup)
             ? "no synchronization: no barrier of the workgroup, and no release and acquire, is between them"
             : "no synchronization: nothing between the two workgroups releases and acquires";
}

}  // namespace heddle::race
