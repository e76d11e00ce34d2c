// What a machine's reads see: the versions that reach the reader, from the oldest that it may be shown
// to the newest.

#include <algorithm>

#include "emulator/memory/machine.h"

namespace heddle::memory {

namespace {

//= vk:memory-model-instruction-av-vis
CacheLevel own_visibility(const Operation& read) {
  if (read.atomic) return level_of(read.scope);
  if (has(read.operands, MemoryOperands::MakePointerVisible)) return level_of(read.visible_scope);
  return CacheLevel::Agent;
}

constexpr CacheLevel wider(CacheLevel level) {
  return static_cast<CacheLevel>(static_cast<unsigned>(level) + 1);
}

}  // namespace

// Available to a level, then visible from it: by the read itself, by a visibility operation of its
// agent, or by a chain that ends in one.
//= vk:memory-model-location-ordered
bool Machine::visible_to(const Version& version, const GranuleAccess& reading, CacheLevel own) const {
  const Agent& agent = reading.agent;
  const Knowledge& knowledge = agent.knowledge();
  if (version.is_on_device([&](const Event& event) { return knowledge.knows(kDeviceVisible, event); })) return true;
  if (!version.non_private || !reading.non_private() || version.reference != reading.operation.reference) return false;
  const unsigned k = class_of_pair(version.class_index, reading.class_index());
  const unsigned ordered_by = class_of_pair(version.class_index, reading.ordered_by());
  return version.available([&](const Availability& available) {
    const Event& event = available.event;
    // The levels from which on the reader shares the instance: those that it has come to, if any.
    const CacheLevel shared =
        event.agent == agent.id ? CacheLevel::Agent : narrowest_shared(available.place, agent.place);
    if (available.level < shared) return false;
    const bool bulk = available.by_any_class || lanes_gone_;
    const unsigned happened = kHappened + (bulk ? reading.ordered_by() : ordered_by);
    if (own != CacheLevel::Agent && own >= shared && agent.knows(happened, event)) return true;
    const Row visible = bulk ? kVisibleBulk : kVisible;
    const Row chained = bulk ? kChainedBulk : kChained;
    const unsigned of_class = bulk ? reading.class_index() : k;
    for (CacheLevel level = std::max(shared, CacheLevel::Subgroup); level <= CacheLevel::Shader; level = wider(level)) {
      if (knowledge.knows(row_of(visible, level, of_class), event)) return true;
      // The read's own visibility operation goes on with chains that have come to its agent.
      if (own != CacheLevel::Agent && knowledge.knows(row_of(chained, level, of_class), event)) return true;
    }
    return false;
  });
}

// Whether an agent that met it did so location-ordered before the access, as far as they have bytes in common.
//= vk:memory-model-location-ordered
inline bool Machine::is_before(const Observation& observation, const GranuleAccess& access) const {
  const Agent& agent = access.agent;
  const unsigned row = kHappened + class_of_pair(observation.class_index, access.ordered_by());
  return (observation.non_private && access.non_private() && agent.knows(row, observation.event)) ||
         agent.knowledge().knows(kSystem, observation.event);
}

// What this read comes after, and so does whatever comes after it, though the version that it met does not say so:
// somebody, or the agent itself, met it with some of these bytes, and it has none of them. (The agent's own accesses
// through other references, private ones, count as well: more order than the model demands.)
//= vk:memory-model-acyclicity
Stamp Machine::passed_on(const Granule& granule, const GranuleAccess& reading, Stamp met) const {
  Stamp passed_on = met;
  for (const Observation& observation : granule.observations)
    if ((observation.bytes & reading.bytes) != 0 &&
        (observation.event.agent == reading.agent.id || is_before(observation, reading)))
      passed_on = std::max(passed_on, observation.stamp);
  return passed_on;
}

// Reads are ordered by happens-before alone, whatever is visible. What is not after `least` does not matter.
//= vk:memory-model-location-ordered
Stamp Machine::floor_of(const Granule& granule, const Floor* known, const GranuleAccess& access, CacheLevel own,
                        Stamp least) const {
  Stamp floor = std::max(granule.floor, least);
  const Agent& agent = access.agent;
  if (known) floor = std::max(floor, known->stamp);
  if (granule.observed > floor) {
    for (const Observation& observation : granule.observations) {
      if (observation.stamp <= floor) continue;
      if (is_before(observation, access)) floor = observation.stamp;
    }
  }
  if (!knows_others(agent)) return floor;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend() && version->stamp > floor;
       ++version)
    if (visible_to(*version, access, own)) floor = version->stamp;
  return floor;
}

// A write comes after all that is available and happened before it, visible or not. What is not after
// `known` does not matter: 0 then.
//= vk:memory-model-location-ordered
Stamp Machine::available_floor(const Granule& granule, const GranuleAccess& writing, Stamp known) const {
  const Agent& agent = writing.agent;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend() && version->stamp > known;
       ++version) {
    if (version->is_on_device([&](const Event& event) { return agent.knows(kHappened + kAnyClass, event); }))
      return version->stamp;
    if (!version->non_private || !writing.non_private() || version->reference != writing.operation.reference) continue;
    const unsigned k = class_of_pair(version->class_index, writing.ordered_by());
    const auto is_known = [&](const Availability& available) {
      return agent.knows(kHappened + (available.by_any_class ? writing.ordered_by() : k), available.event) &&
             (available.event.agent == agent.id || share(available.place, agent.place, available.level));
    };
    if (version->available(is_known)) return version->stamp;
  }
  return 0;
}

void Machine::raise_floor_above(Granule& granule, const GranuleAccess& writing, Stamp floor) {
  const Stamp available = available_floor(granule, writing, floor);
  if (available != 0) granule.raise_floor(writing.agent.id, writing.operation.reference, available);
}

// The latest up to a position that has any of the bytes; null if that is the storage.
const Version* Machine::newest_reached(const Granule& granule, const GranuleAccess& access, Stamp position) const {
  for (unsigned i = granule.versions.size(); i-- != 0;) {
    const Version& version = granule.versions[i];
    if (version.stamp <= position && (version.bytes & access.bytes) != 0 && reaches(version, access)) return &version;
  }
  return nullptr;
}

// At the latest version where it looks. Mostly that has all of the bytes.
void Machine::look_at(const Version* version, const Granule& granule, const GranuleAccess& access, Found& found) const {
  if (!version) return look_at_storage(granule, found);
  found.value = version->value;
  found.stamp = version->stamp;
  found.version = version;
  found.whole = (version->bytes & access.bytes) == access.bytes;
  found.from_storage = false;
  if (!found.whole) [[unlikely]]
    add_older(granule, access, found);
}

void Machine::look_at_storage(const Granule& granule, Found& found) {
  found.value = granule.stored();
  found.stamp = granule.base;
  found.version = nullptr;
  found.whole = false;
  found.from_storage = true;
}

void Machine::look(const Granule& granule, const GranuleAccess& access, Stamp position, Found& found) const {
  look_at(newest_reached(granule, access, position), granule, access, found);
}

// The bytes that the version which was found has not.
void Machine::add_older(const Granule& granule, const GranuleAccess& access, Found& found) const {
  ByteMask has = found.version->bytes;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend(); ++version) {
    if (version->stamp >= found.stamp || !reaches(*version, access)) continue;
    found.value |= version->value & ~has;
    has |= version->bytes;
  }
  found.value |= granule.stored() & ~has;
}

// With copies that a workgroup shares, the copy is what it is; else any that the model allows may have
// been kept.
Stamp Machine::choose_position(Granule& granule, const GranuleAccess& access, Stamp floor, Stamp newest) {
  if (policy_.shared_copies) [[unlikely]]
    return shared_copy(granule, access, floor, newest);
  if (newest == floor || access.agent.stale_reads >= policy_.most_stale || !draws_.chance(policy_.stale)) return newest;
  return policy_.oldest ? floor : choose_stale(granule, access, floor);
}

[[gnu::hot]] Stamp Machine::choose_stale(const Granule& granule, const GranuleAccess& access, Stamp floor) {
  std::array<Stamp, Versions::kMost + 1> positions;
  std::uint32_t count = 0;
  positions[count++] = floor;
  for (const Version& version : granule.versions)
    if (version.stamp > floor && (version.bytes & access.bytes) != 0 && reaches(version, access))
      positions[count++] = version.stamp;
  return positions[draws_.below(count)];
}

Stamp Machine::shared_copy(Granule& granule, const GranuleAccess& access, Stamp floor, Stamp newest) {
  Generation& now = generation_of(access.agent.place);
  const std::uint32_t generation = now.generation;
  const model::Place& place = access.agent.place;
  const auto found = std::find_if(granule.copies.begin(), granule.copies.end(), [&](const Copy& c) {
    return c.workgroup == place.workgroup && c.queue_family == place.queue_family;
  });
  if (found == granule.copies.end()) {
    add_copy(granule, {place.queue_family, place.workgroup, generation, newest, access.operation.tags});
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

Machine::Generation* Machine::find_generation(std::uint32_t queue_family, std::uint32_t workgroup) {
  for (Generation& known : generations_)
    if (known.workgroup == workgroup && known.queue_family == queue_family) return &known;
  return nullptr;
}

Machine::Generation& Machine::generation_of(const model::Place& place) {
  if (Generation* const known = find_generation(place.queue_family, place.workgroup)) return *known;
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
void Machine::drop_copies(Granule& granule) {
  for (const Copy& copy : granule.copies) {
    Generation* const of = find_generation(copy.queue_family, copy.workgroup);
    if (of && of->generation == copy.generation) --of->copies;
  }
  granule.copies.clear();
}

// No agent comes back to the copies of a workgroup that has ended.
void Machine::forget_generations() {
  std::erase_if(generations_, [&](const Generation& generation) {
    return !synchronization_.is_here(generation.queue_family, generation.workgroup);
  });
}

// Before more room is made for copies, those go to which no agent comes back.
void Machine::add_copy(Granule& granule, const Copy& copy) {
  if (granule.copies.size() == granule.copies.capacity())
    std::erase_if(granule.copies,
                  [&](const Copy& old) { return !synchronization_.is_here(old.queue_family, old.workgroup); });
  granule.copies.push_back(copy);
}

std::size_t Machine::remembered_copies() const {
  std::size_t copies = generations_.size();
  for (std::size_t record = 0; record < granules_.size(); ++record) copies += granules_[record].copies.size();
  return copies;
}

// What is on its way to everybody, or has arrived there, as this one finds it.
void Machine::find_version(Granule& granule, const GranuleAccess& reading, bool fresh, Stamp floor, Found& found) {
  const Version* latest = newest_reached(granule, reading, order_.last());
  const Stamp newest = latest ? std::max(latest->stamp, floor) : floor;
  if (granule.narrow != 0 && raise_missed(granule, reading, ~ByteMask{0}, floor) && newest == floor)
    latest = newest_reached(granule, reading, floor);
  const Stamp position = fresh ? newest : choose_position(granule, reading, floor, newest);
  if (position != newest) latest = newest_reached(granule, reading, position);
  look_at(latest, granule, reading, found);
  if (!found.whole && !found.from_storage && raise_missed(granule, reading, reading.bytes, found.stamp)) [[unlikely]]
    look(granule, reading, position, found);
  found.position = position;
  found.newest = newest;
}

// What did not reach an agent that reads, but is not after something that does. Whether there was any.
bool Machine::raise_missed(Granule& granule, const GranuleAccess& reading, ByteMask bytes, Stamp position) {
  bool any = false;
  for (Version& version : granule.versions) {
    if (version.stamp > position || (version.bytes & bytes) == 0 || reaches(version, reading)) continue;
    order_.raise(granule, version, CacheLevel::Shader, trace::MoveReason::Eviction);
    any = true;
  }
  return any;
}

// What has all bytes of an access that takes the newest there are, where every version reaches the agent that
// accesses; null elsewhere.
const Version* Machine::newest_for(const Granule& granule, const GranuleAccess& access) const {
  const auto reached = [&](const Version& version) { return reaches(version, access); };
  if (granule.narrow != 0 && !std::all_of(granule.versions.begin(), granule.versions.end(), reached)) return nullptr;
  const Version* const newest = newest_reached(granule, access, order_.last());
  return newest && (newest->bytes & access.bytes) == access.bytes ? newest : nullptr;
}

trace::Value Machine::read_granule(Granule& granule, std::uint32_t record, const GranuleAccess& reading, bool fresh,
                                   Found& found) {
  const bool waiting = granule.waiting != 0 && outbox_.serves(record, reading, outbox_.show_known(record, reading));
  const CacheLevel own = own_visibility(reading.operation);
  // Where everything is in the storage, everybody finds it there, and no agent can go back.
  const bool all_stored = granule.versions.empty() && !policy_.shared_copies;
  Floor* known = nullptr;
  Stamp floor = granule.base;
  if (all_stored) {
    look_at_storage(granule, found);
    found.position = found.newest = granule.base;
  } else if (known = granule.floors.find(reading.agent.id, reading.operation.reference); served_) [[unlikely]] {
    find_served(granule, reading, found);
  } else {
    if (const Version* const newest = fresh ? newest_for(granule, reading) : nullptr) {
      floor = floor_of(granule, known, reading, own, newest->stamp);
      found = {newest->value, floor, floor, newest->stamp, newest, true, false};
    } else {
      floor = floor_of(granule, known, reading, own, 0);
      find_version(granule, reading, fresh, floor, found);
    }
  }
  if (telling_.is_on() && telling_.asks_for_sources(reading.operation)) [[unlikely]]
    add_sources(record, reading, found, waiting);
  if (waiting) {
    outbox_.read_own(record, reading, found.value);
    found.whole = found.from_storage = false;
    found.version = nullptr;
    found.newest = found.position;
  } else if (!all_stored) {
    const bool met_all = found.stamp >= floor;
    const Stamp met = met_all ? found.stamp : passed_on(granule, reading, found.stamp);
    granule.observe(synchronization_.event(reading.agent), reading.ordered_by(), reading.non_private(), met,
                    reading.bytes);
    granule.raise_floor(known, reading.agent.id, reading.operation.reference,
                        met_all || own == CacheLevel::Agent ? met : floor);
  }
  const bool stale = found.position < found.newest;
  // What could not have been stale says nothing: a loop that looks at this as well would be kept from the newest value
  // for ever.
  if (stale) {
    ++report_.stale;
    ++reading.agent.stale_reads;
  } else if (floor < found.newest) {
    reading.agent.stale_reads = 0;
  }
  return (found.value & reading.bytes) >> reading.shift;
}

}  // namespace heddle::memory
