// A memory with domains as a player sees it: what its caches hold, and the moves that they make by themselves.

#include <algorithm>

#include "emulator/domains/domain_memory.h"

namespace heddle::domains {

// Other threads of the host see a write of theirs at once, whose order governs there; that does not bring it to the
// host domain.
std::vector<memory::HeldWrite> DomainMemory::held_writes() {
  std::vector<memory::HeldWrite> all;
  const auto is_in_host_cache = [this](const Write& write, std::uint32_t number) {
    return write.by_host && !write.reaches_device && !is_coherent(write.operation.locations.allocation) &&
           std::none_of(agents_.begin(), agents_.end(),
                        [number](const Agent& one) { return one.knowledge.in_host.has(number); });
  };
  for (const Granule& granule : granules_) {
    for (const std::uint32_t number : granule.order) {
      const Write& write = writes_[number];
      memory::HeldWrite held{write.index,
                             write.operation.locations,
                             write.value,
                             write.operation.agent,
                             write.operation.reference,
                             write.operation.atomic,
                             trace::CacheLevel::Agent};
      held.in_device = write.reaches_device;
      held.in_host = write.reaches_host && !is_in_host_cache(write, number);
      if (write.is_everywhere()) held.level = trace::CacheLevel::Host;
      all.push_back(held);
    }
  }
  return all;
}

memory::HeldCopy DomainMemory::held_copy(const Operation& read) {
  const Granule& granule = granules_[granule_of(read.locations)];
  const Position floor = floor_of(granule, read);
  const Position newest = newest_for(granule, read, floor);
  Position oldest = floor;
  if (is_on_host(read.agent) && !is_coherent(granule.allocation) && !granule.in_host_cache.empty())
    oldest = std::max(floor, granule.behind(granule.in_host_cache.front()));
  const trace::Value value = look(granule, read, oldest, floor);
  return {value, sources_.front().write, oldest < newest};
}

bool DomainMemory::deliver(trace::OperationIndex index) {
  for (std::uint32_t number = 0; number < writes_.size(); ++number) {
    if (writes_[number].index != index || writes_[number].is_everywhere()) continue;
    move(number, writes_[number].reaches_device, trace::MoveReason::Eviction);
    return true;
  }
  return false;
}

bool DomainMemory::invalidate(const Operation& read) {
  Granule& granule = granules_[granule_of(read.locations)];
  const Position floor = floor_of(granule, read);
  const Position newest = newest_for(granule, read, floor);
  if (newest == floor) return false;
  // As if it had been read.
  agent(read.agent).own[read.reference].add(granule.order[newest - 1]);
  return true;
}

bool DomainMemory::can_serve(const Operation& read, trace::OperationIndex write) {
  const Granule& granule = granules_[granule_of(read.locations)];
  if (write == model::kInitialValue) return !granule.order.empty();
  return std::any_of(granule.order.begin(), granule.order.end(), [&](std::uint32_t number) {
    return writes_[number].index == write && writes_[number].operation.locations == read.locations &&
           reaches(writes_[number], read);
  });
}

}  // namespace heddle::domains
