#include "emulator/memory/visibility.h"

#include <algorithm>

namespace heddle::memory {

namespace {

//= vk:memory-model-instruction-av-vis
CacheLevel own_visibility(const Operation& read) {
  if (read.atomic) return cache_of(read.scope);
  if (has(read.operands, MemoryOperands::MakePointerVisible)) return cache_of(read.visible_scope);
  return CacheLevel::Agent;
}

}  // namespace

// Whether an agent that met it did so location-ordered before the access, as far as they have bytes in common.
//= vk:memory-model-location-ordered
inline bool Visibility::is_before(const Observation& observation, const GranuleAccess& access) const {
  const Agent& agent = access.agent;
  const unsigned row = kHappened + class_of_pair(observation.class_index, access.ordered_by());
  return (observation.non_private && access.non_private() && agent.knows(row, observation.event)) ||
         agent.knowledge().knows(kSystem, observation.event);
}

// What this read comes after, and so does whatever comes after it, though the version that it met does not say so:
// somebody, or the agent itself, met it with some of these bytes, and it has none of them. (The agent's own accesses
// through other references, private ones, count as well: more order than the model demands.)
//= vk:memory-model-acyclicity
Stamp Visibility::passed_on(const Granule& granule, const GranuleAccess& reading, Stamp met) const {
  Stamp passed_on = met;
  for (const Observation& observation : granule.observations)
    if ((observation.bytes & reading.bytes) != 0 &&
        (observation.event.agent == reading.agent.id || is_before(observation, reading)))
      passed_on = std::max(passed_on, observation.stamp);
  return passed_on;
}

// Reads are ordered by happens-before alone, whatever is visible. What is not after `least` does not matter.
//= vk:memory-model-location-ordered
Stamp Visibility::floor_of(const Granule& granule, const Floor* known, const GranuleAccess& access, CacheLevel own,
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
  if (!chains_.knows_others(agent)) return floor;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend() && version->stamp > floor;
       ++version)
    if (chains_.is_visible(*version, access, own)) floor = version->stamp;
  return floor;
}

void Visibility::raise_floor_above(Granule& granule, const GranuleAccess& writing, Stamp floor) {
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend() && version->stamp > floor;
       ++version) {
    if (!chains_.is_available(*version, writing)) continue;
    granule.raise_floor(writing.agent.id, writing.operation.reference, version->stamp);
    return;
  }
}

// The latest up to a position that has any of the bytes; null if that is the storage.
const Version* Visibility::newest_reached(const Granule& granule, const GranuleAccess& access, Stamp position) const {
  for (unsigned i = granule.versions.size(); i-- != 0;) {
    const Version& version = granule.versions[i];
    if (version.stamp <= position && (version.bytes & access.bytes) != 0 && reaches(version, access)) return &version;
  }
  return nullptr;
}

// At the latest version where it looks. Mostly that has all of the bytes.
void Visibility::look_at(const Version* version, const Granule& granule, const GranuleAccess& access,
                         Found& found) const {
  if (!version) return look_at_storage(granule, found);
  found.value = version->value;
  found.stamp = version->stamp;
  found.version = version;
  found.whole = (version->bytes & access.bytes) == access.bytes;
  found.from_storage = false;
  found.never_written = 0;
  if (!found.whole) [[unlikely]]
    add_older(granule, access, found);
}

void Visibility::look_at_storage(const Granule& granule, Found& found) {
  found.value = granule.stored();
  found.stamp = granule.base;
  found.version = nullptr;
  found.whole = false;
  found.from_storage = true;
  found.never_written = granule.never_written;
}

void Visibility::look(const Granule& granule, const GranuleAccess& access, Stamp position, Found& found) const {
  look_at(newest_reached(granule, access, position), granule, access, found);
}

// The bytes that the version which was found has not.
void Visibility::add_older(const Granule& granule, const GranuleAccess& access, Found& found) const {
  ByteMask has = found.version->bytes;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend(); ++version) {
    if (version->stamp >= found.stamp || !reaches(*version, access)) continue;
    found.value |= version->value & ~has;
    has |= version->bytes;
  }
  found.value |= granule.stored() & ~has;
  found.never_written = granule.never_written & ~has;
}

// With copies that a workgroup shares, the copy is what it is; else any that the model allows may have
// been kept.
Stamp Visibility::choose_position(Granule& granule, const GranuleAccess& access, Stamp floor, Stamp newest) {
  if (policy_.shared_copies) [[unlikely]]
    return copies_.read(granule, access, floor, newest);
  if (newest == floor || access.agent.stale_reads >= policy_.most_stale || !draws_.chance(policy_.stale)) return newest;
  return policy_.oldest ? floor : choose_stale(granule, access, floor);
}

[[gnu::hot]] Stamp Visibility::choose_stale(const Granule& granule, const GranuleAccess& access, Stamp floor) {
  std::array<Stamp, Versions::kMost + 1> positions;
  std::uint32_t count = 0;
  positions[count++] = floor;
  for (const Version& version : granule.versions)
    if (version.stamp > floor && (version.bytes & access.bytes) != 0 && reaches(version, access))
      positions[count++] = version.stamp;
  return positions[draws_.below(count)];
}

// What is on its way to everybody, or has arrived there, as this one finds it.
void Visibility::find_version(Granule& granule, const GranuleAccess& reading, bool fresh, Stamp floor, Found& found) {
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
bool Visibility::raise_missed(Granule& granule, const GranuleAccess& reading, ByteMask bytes, Stamp position) {
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
const Version* Visibility::newest_for(const Granule& granule, const GranuleAccess& access) const {
  const auto reached = [&](const Version& version) { return reaches(version, access); };
  if (granule.narrow != 0 && !std::all_of(granule.versions.begin(), granule.versions.end(), reached)) return nullptr;
  const Version* const newest = newest_reached(granule, access, order_.last());
  return newest && (newest->bytes & access.bytes) == access.bytes ? newest : nullptr;
}

trace::Value Visibility::read(Granule& granule, std::uint32_t record, const GranuleAccess& reading, bool fresh,
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
    add_sources(granule, record, reading, found, waiting);
  if (waiting) {
    outbox_.read_own(record, reading, found.value);
    found.whole = found.from_storage = false;
    found.version = nullptr;
    found.newest = found.position;
    found.never_written = 0;
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

// --- Telling ---

// `own`: it read what its agent has waiting, which then has all of the bytes.
void Visibility::add_sources(const Granule& granule, std::uint32_t record, const GranuleAccess& reading,
                             const Found& found, bool own) {
  const Locations& locations = reading.operation.locations;
  if (own) return telling_.set_source(locations, outbox_.own_write(record, reading)->operation);
  if (found.from_storage) return telling_.set_stored_sources(locations);
  if (found.whole) return telling_.set_source(locations, found.version->operation);
  telling_.clear_sources();
  for (std::uint32_t i = 0; i < kGranuleBytes; ++i) {
    const ByteMask bit = ByteMask{0xff} << (i * 8);
    if ((reading.bytes & bit) == 0) continue;
    trace::OperationIndex writer = telling_.writer_of(granule.allocation, granule.offset_bytes + i);
    for (const Version& version : granule.versions)
      if (version.stamp <= found.position && (version.bytes & bit) != 0 && reaches(version, reading))
        writer = version.operation;
    telling_.add_source(granule.allocation, granule.offset_bytes + i, writer);
  }
}

void Visibility::tell_stale(const Granule& granule, const Found& found) {
  const Version& missed = granule.version_at(found.newest);
  telling_.stale(missed.operation, policy_.shared_copies ? CacheLevel::Workgroup : CacheLevel::Agent);
}

// --- For a player by hand ---

Stamp Visibility::oldest(Granule& granule, const GranuleAccess& reading) const {
  Floor* const known = granule.floors.find(reading.agent.id, reading.operation.reference);
  return std::max(granule.base, floor_of(granule, known, reading, CacheLevel::Agent, 0));
}

// As if the agent looked where that write stands in the order, and had a newer one in reach.
void Visibility::find_served(const Granule& granule, const GranuleAccess& reading, Found& found) {
  const trace::OperationIndex write = *served_;
  served_.reset();
  const Version* version = nullptr;
  for (const Version& one : granule.versions)
    if (one.operation == write) version = &one;
  look_at(version, granule, reading, found);
  found.position = found.stamp;
  const Version* const newest = newest_reached(granule, reading, order_.last());
  found.newest = newest ? std::max(newest->stamp, found.position) : found.position;
}

}  // namespace heddle::memory
