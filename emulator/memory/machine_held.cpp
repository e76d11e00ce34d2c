// A machine as a player sees it: what its caches hold, and the moves that caches make by themselves.

#include <algorithm>

#include "emulator/memory/machine.h"

namespace heddle::memory {
namespace {

HeldWrite held(const Granule& granule, const Written& write, CacheLevel level) {
  const Locations bytes = granule.locations(write.bytes);
  const std::uint64_t shift = (bytes.offset_bytes - granule.offset_bytes) * 8;
  return {write.operation, bytes, write.value >> shift, write.agent, write.reference, write.atomic, level};
}

}  // namespace

std::vector<HeldWrite> Machine::held_writes() {
  std::vector<HeldWrite> all;
  for (const Waiting& waiting : outbox_) all.push_back(held(granules_[waiting.granule], waiting, CacheLevel::Agent));
  granules_.for_each([&](const Granule& granule) {
    for (const Version& version : granule.versions) all.push_back(held(granule, version, version.level));
  });
  return all;
}

HeldCopy Machine::held_copy(const Operation& read) {
  const std::uint32_t record = granules_.find(read.locations);
  const auto stored_by = [&] {
    const Locations& bytes = read.locations;
    return telling_.writer_of(bytes.allocation, bytes.offset_bytes);
  };
  if (record == kNone)
    return {load_value(granules_.bytes(read.locations), read.locations.size_bytes), stored_by(), false};
  const GranuleAccess reading(read, agent(read));
  const Granule& granule = granules_[record];
  const Stamp floor = visibility_.oldest(granules_[record], reading);
  Found found;
  visibility_.look(granule, reading, floor, found);
  const Version* const newest = visibility_.newest_reached(granule, reading, order_.last());
  return {(found.value & reading.bytes) >> reading.shift, found.version ? found.version->operation : stored_by(),
          newest && newest->stamp > floor};
}

bool Machine::can_serve(const Operation& read, trace::OperationIndex write) {
  const std::uint32_t record = granules_.find(read.locations);
  if (record == kNone) return false;
  const Granule& granule = granules_[record];
  if (write == model::kInitialValue) return granule.base == 0 && !granule.versions.empty();
  const GranuleAccess reading(read, agent(read));
  return std::any_of(granule.versions.begin(), granule.versions.end(), [&](const Version& version) {
    return version.operation == write && version.bytes == reading.bytes && reaches(version, reading);
  });
}

bool Machine::deliver(trace::OperationIndex write) {
  for (std::size_t i = 0; i < outbox_.size(); ++i) {
    if (outbox_[i].operation != write) continue;
    outbox_.place_in_turn(i, outbox_[i].least_level(), trace::MoveReason::Eviction);
    return true;
  }
  for (std::size_t i = 0; i < order_.narrow_count(); ++i) {
    const Version& version = order_.narrow_version(i);
    if (version.operation != write) continue;
    order_.widen(i, static_cast<CacheLevel>(static_cast<unsigned>(version.level) + 1), trace::MoveReason::Eviction);
    return true;
  }
  return false;
}

// An agent that may not go back behind the newest has fewer outcomes, never a wrong one.
//= vk:memory-model-location-ordered
bool Machine::invalidate(const Operation& read) {
  const std::uint32_t record = granules_.find(read.locations);
  if (record == kNone) return false;
  const GranuleAccess reading(read, agent(read));
  Granule& granule = granules_[record];
  const Version* const newest = visibility_.newest_reached(granule, reading, order_.last());
  if (!newest || newest->stamp <= visibility_.oldest(granules_[record], reading)) return false;
  granule.raise_floor(read.agent, read.reference, newest->stamp);
  return true;
}

}  // namespace heddle::memory
