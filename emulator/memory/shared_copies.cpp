#include "emulator/memory/shared_copies.h"

#include <algorithm>

namespace heddle::memory {

Stamp SharedCopies::read(Granule& granule, const GranuleAccess& access, Stamp floor, Stamp newest) {
  Generation& now = generation_of(access.agent.place);
  const std::uint32_t generation = now.generation;
  const model::Place& place = access.agent.place;
  const auto found = std::find_if(granule.copies.begin(), granule.copies.end(), [&](const Copy& c) {
    return c.workgroup == place.workgroup && c.queue_family == place.queue_family;
  });
  if (found == granule.copies.end()) {
    add(granule, {place.queue_family, place.workgroup, generation, newest, access.operation.tags});
    ++now.copies;
    // What a workgroup has not read yet may still have been in its cache since before.
    if (access.operation.atomic || !draws_.chance(policy_.stale / 2)) return newest;
    granule.copies.back().stamp = floor;
    return floor;
  }
  const bool hit = found->generation == generation && found->stamp >= floor && found->stamp <= newest &&
                   access.agent.stale_reads < policy_.most_stale && !access.operation.atomic &&
                   draws_.chance(policy_.stale);
  if (found->generation != generation) ++now.copies;
  if (!hit) *found = {place.queue_family, place.workgroup, generation, newest, access.operation.tags};
  return found->stamp;
}

SharedCopies::Generation* SharedCopies::find(std::uint32_t queue_family, std::uint32_t workgroup) {
  for (Generation& known : generations_)
    if (known.workgroup == workgroup && known.queue_family == queue_family) return &known;
  return nullptr;
}

SharedCopies::Generation& SharedCopies::generation_of(const model::Place& place) {
  if (Generation* const known = find(place.queue_family, place.workgroup)) return *known;
  // A workgroup of that number may have been here before, and left copies.
  Generation fresh{place.queue_family, place.workgroup, 0, 0};
  granules_.for_each([&](const Granule& granule) {
    fresh.copies +=
        static_cast<std::uint32_t>(std::count_if(granule.copies.begin(), granule.copies.end(), [&](const Copy& copy) {
          return copy.workgroup == fresh.workgroup && copy.queue_family == fresh.queue_family && copy.generation == 0;
        }));
  });
  generations_.push_back(fresh);
  return generations_.back();
}

// The granule is forgotten, and its copies with it.
void SharedCopies::drop(Granule& granule) {
  for (const Copy& copy : granule.copies) {
    Generation* const of = find(copy.queue_family, copy.workgroup);
    if (of && of->generation == copy.generation) --of->copies;
  }
  granule.copies.clear();
}

// No agent comes back to the copies of a workgroup that has ended.
void SharedCopies::forget_generations() {
  std::erase_if(generations_, [&](const Generation& generation) {
    return !synchronization_.residents().is_here(generation.queue_family, generation.workgroup);
  });
}

// Before more room is made for copies, those go to which no agent comes back.
void SharedCopies::add(Granule& granule, const Copy& copy) {
  if (granule.copies.size() == granule.copies.capacity())
    std::erase_if(granule.copies, [&](const Copy& old) {
      return !synchronization_.residents().is_here(old.queue_family, old.workgroup);
    });
  granule.copies.push_back(copy);
}

std::size_t SharedCopies::remembered() const {
  std::size_t copies = generations_.size();
  for (std::size_t record = 0; record < granules_.size(); ++record) copies += granules_[record].copies.size();
  return copies;
}

// Copies stay where the operation's tags do not fit the reads that they serve.
void SharedCopies::give_up(const model::Place& place, const Operation& operation) {
  if (!policy_.shared_copies || cache_of(operation.scope) <= CacheLevel::Workgroup) return;
  Generation& now = generation_of(place);
  // Without tags all of them go.
  if (now.copies != 0 && synchronization_.has_tags()) return give_up_fitting(now, operation.tags);
  report_.given_up += now.copies;
  now.copies = 0;
  ++now.generation;
}

// Copies whose tags fit are given up; the other copies move on to the next generation.
void SharedCopies::give_up_fitting(Generation& now, TagSetId tags) {
  std::uint32_t stay = 0;
  granules_.for_each([&](Granule& granule) {
    for (Copy& copy : granule.copies) {
      if (copy.workgroup != now.workgroup || copy.queue_family != now.queue_family ||
          copy.generation != now.generation || fit(copy.tags, tags))
        continue;
      copy.generation = now.generation + 1;
      ++stay;
    }
  });
  report_.given_up += now.copies - stay;
  now.copies = stay;
  ++now.generation;
}

}  // namespace heddle::memory
