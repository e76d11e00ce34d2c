// What acquires and releases, and what moves writes from domain to domain.

#include <heddle/detail/check.h>

#include <algorithm>

#include "emulator/domains/domain_memory.h"
#include "emulator/model/access_scope.h"

namespace heddle::domains {

// --- Synchronization of agents by their own operations ---

// Host and device have no atomics that are mutually ordered with each other's.
//= vk:memory-model-scope
bool DomainMemory::in_scopes(const Head& head, AgentId reader, Scope scope) const {
  if (head.agent == reader) return true;
  const model::Place& from = agents_[static_cast<std::size_t>(head.agent)].place;
  const model::Place& to = agents_[static_cast<std::size_t>(reader)].place;
  return from.is_host() == to.is_host() && model::same_instance(from, to, head.scope) &&
         model::same_instance(to, from, scope);
}

//= vk:memory-model-synchronizes-with
void DomainMemory::acquire(Agent& reader, const Operation& reading, const Write& from) {
  for (const Head& head : from.heads) {
    reader.seen.push_back(head);
    if (acquires(reading.semantics) && in_scopes(head, reading.agent, reading.scope))
      reader.knowledge.learn(*head.knowledge);
  }
}

//= vk:memory-model-synchronizes-with
void DomainMemory::acquire_seen(Agent& agent, const Operation& fence) {
  for (const Head& head : agent.seen)
    if (in_scopes(head, fence.agent, fence.scope)) agent.knowledge.learn(*head.knowledge);
}

// By the write itself, by the fence before it; of the host's also by an earlier store of its thread to the same bytes,
// whose release sequence it continues.
//= vk:memory-model-release-sequence
std::vector<Head> DomainMemory::heads_of(Agent& writer, const Operation& operation) {
  std::vector<Head> heads;
  if (releases(operation.semantics))
    heads.push_back({operation.agent, operation.scope, std::make_shared<const Knowledge>(writer.knowledge)});
  if (writer.fence) heads.push_back(*writer.fence);
  if (!writer.place.is_host()) return heads;
  for (const std::uint32_t number : granules_[granule_of(operation.locations)].order)
    for (const Head& head : writes_[number].heads)
      if (head.agent == operation.agent) heads.push_back(head);
  return heads;
}

// MakeAvailable comes before all that its operation releases.
//= vk:memory-model-availability-visibility-semantics
void DomainMemory::release(Agent& releaser, const Operation& operation) {
  if (!releases(operation.semantics) || !has(operation.semantics, MemorySemantics::MakeAvailable)) return;
  releaser.knowledge.in_shaders.for_each([&](std::uint32_t number) {
    if (writes_[number].by_host) return;
    releaser.knowledge.offered.add(number);
    move(number, false, trace::MoveReason::Availability);
  });
}

// An interlock orders, and makes nothing available.
//= vk:memory-model-synchronizes-with
void DomainMemory::lock(const Operation& operation) {
  Agent& who = agent(operation.agent);
  if (operation.kind == OperationKind::EndInvocationInterlock) {
    who.unlocked = who.knowledge;
    return;
  }
  for (const auto& [first, second] : interlock_)
    if (second == operation.agent && agent(first).unlocked) who.knowledge.learn(*agent(first).unlocked);
}

void DomainMemory::arrive(const Operation& operation) {
  tick();
  Agent& arriving = agent(operation.agent);
  sources_.clear();
  release(arriving, operation);
  Arrival arrival{operation.agent, tell(operation, 0, 0), {}};
  if (arriving.fence) arrival.heads.push_back(*arriving.fence);
  if (releases(operation.semantics) || orders_outputs(arriving))
    arrival.heads.push_back({operation.agent, operation.scope, std::make_shared<const Knowledge>(arriving.knowledge)});
  meetings_[operation.barrier_instance].push_back(std::move(arrival));
}

// Whatever the scopes of the arrivals: more order than the memory model asks for.
//= vk:memory-model-synchronizes-with
void DomainMemory::leave(const Operation& operation, std::span<const AgentId> synchronizing) {
  Agent& leaving = agent(operation.agent);
  std::vector<trace::OperationIndex> chosen;
  trace::OperationIndex own = 0;
  for (const Arrival& arrival : meetings_[operation.barrier_instance]) {
    if (arrival.agent == operation.agent) own = arrival.index;
    const bool synchronizes = synchronizing.empty() || std::find(synchronizing.begin(), synchronizing.end(),
                                                                 arrival.agent) != synchronizing.end();
    if (!synchronizes) continue;
    if (!synchronizing.empty()) chosen.push_back(arrival.index);
    for (const Head& head : arrival.heads) {
      leaving.seen.push_back(head);
      if (acquires(operation.semantics) || orders_outputs(leaving)) leaving.knowledge.learn(*head.knowledge);
    }
  }
  if (acquires(operation.semantics) && has(operation.semantics, MemorySemantics::MakeVisible))
    leaving.made_visible |= leaving.knowledge.offered;
  if (releases(operation.semantics))
    leaving.fence = Head{operation.agent, operation.scope, std::make_shared<const Knowledge>(leaving.knowledge)};
  if (listener_) listener_->passes(own, chosen);
}

// --- Operations of the API, and fences ---

//= vk:memory-model-vulkan-availability-visibility
//= sync:memory-device-hostaccess
void DomainMemory::barrier(const Operation& operation) {
  tick();
  sources_.clear();
  Agent& who = agent(operation.agent);
  Knowledge& known = who.knowledge;
  switch (operation.kind) {
    case OperationKind::MemoryBarrier:
      if (acquires(operation.semantics)) acquire_seen(who, operation);
      release(who, operation);
      if (releases(operation.semantics))
        who.fence = Head{operation.agent, operation.scope, std::make_shared<const Knowledge>(known)};
      if (acquires(operation.semantics) && has(operation.semantics, MemorySemantics::MakeVisible))
        who.made_visible |= known.offered;
      break;
    case OperationKind::DeviceAvailability:
      make_available_on_device(operation);
      break;
    case OperationKind::DeviceVisibility:
      show_from_device(operation);
      break;
    case OperationKind::HostAvailability:
      known.happened.for_each([&](std::uint32_t number) {
        const Write& write = writes_[number];
        if (write.by_host && is_in(operation.locations, write.operation.locations)) known.in_host.add(number);
      });
      break;
    case OperationKind::HostVisibility:
      known.shown.add(static_cast<std::uint32_t>(shown_.size()));
      shown_.push_back({std::nullopt, true, operation.locations, known.in_host, {}});
      break;
    case OperationKind::HostToDeviceDomain:
      known.in_host.for_each([&](std::uint32_t number) { move(number, false, trace::MoveReason::Availability); });
      known.in_device |= known.in_host;
      break;
    case OperationKind::DeviceToHostDomain:
      known.in_device.for_each([&](std::uint32_t number) { move(number, true, trace::MoveReason::Availability); });
      known.in_host |= known.in_device;
      break;
    case OperationKind::BeginInvocationInterlock:
    case OperationKind::EndInvocationInterlock:
      lock(operation);
      break;
    case OperationKind::Free:
      break;
    default:
      HEDDLE_CHECK(false, "a memory with domains was given an operation that is of no domain");
  }
  tell(operation, 0, 0);
  if (who.place.is_host() && side_) calls_[told_ - 1] = known;
}

// The writes that happened before it and are in its scope; without a dependency, all of the device.
//= sync:synchronization-dependencies-access-scopes
void DomainMemory::make_available_on_device(const Operation& operation) {
  Knowledge& known = agent(operation.agent).knowledge;
  const model::HostSide& side = model::host_side(side_);
  const model::Dependency* const dependency = model::dependency_of(side, operation.agent);
  known.happened.for_each([&](std::uint32_t number) {
    const Write& write = writes_[number];
    if (write.by_host) return;
    if (dependency != nullptr && !dependency->available.of_device) {
      const model::Command* const command = model::command_of(side, write.operation.agent);
      if (command == nullptr || !makes_available(side, *dependency, *command, write.operation)) return;
    }
    known.in_device.add(number);
    move(number, false, trace::MoveReason::Availability);
  });
  if (dependency != nullptr && dependency->transfer && !dependency->transfer->acquires) hand_on(*dependency, known);
}

void DomainMemory::show_from_device(const Operation& operation) {
  Knowledge& known = agent(operation.agent).knowledge;
  const model::Dependency* const dependency = model::dependency_of(model::host_side(side_), operation.agent);
  if (dependency != nullptr && dependency->transfer && dependency->transfer->acquires) take_over(*dependency, known);
  known.shown.add(static_cast<std::uint32_t>(shown_.size()));
  Shown& shown = shown_.emplace_back();
  if (dependency != nullptr) shown.dependency = *dependency;
  shown.writes = known.in_device;
  shown.owned = known.owned;
}

// A release passes on what its family wrote, or got itself, and what is in the device domain.
//= sync:synchronization-queue-transfers-release
void DomainMemory::hand_on(const model::Dependency& dependency, Knowledge& known) {
  Handed handed{*dependency.transfer, {}};
  known.in_device.for_each([&](std::uint32_t number) {
    const Write& write = writes_[number];
    const bool wrote = !write.by_host && agent(write.operation.agent).place.queue_family == handed.transfer.from;
    if (wrote || known.owned[handed.transfer.from].has(number)) handed.writes.add(number);
  });
  known.handed.add(static_cast<std::uint32_t>(handed_.size()));
  handed_.push_back(std::move(handed));
}

// An acquire takes what the releases passed on that happened before it, of the same buffer between the same families.
//= sync:synchronization-queue-transfers-acquire
void DomainMemory::take_over(const model::Dependency& dependency, Knowledge& known) {
  const model::OwnershipTransfer& taken = *dependency.transfer;
  known.handed.for_each([&](std::uint32_t one) {
    const Handed& handed = handed_[one];
    if (handed.transfer.reference == taken.reference && handed.transfer.from == taken.from &&
        handed.transfer.to == taken.to)
      known.owned[taken.to] |= handed.writes;
  });
}

// --- Moves ---

void DomainMemory::move(std::uint32_t number, bool to_host, trace::MoveReason reason) {
  Write& write = writes_[number];
  bool& there = to_host ? write.reaches_host : write.reaches_device;
  if (there) return;
  // From the device's caches to its domain, from there to the host; and the other way round.
  if (to_host && !write.reaches_device) move(number, false, reason);
  there = true;
  if (!listener_) return;
  using trace::CacheLevel;
  const CacheLevel to = to_host ? CacheLevel::Host : CacheLevel::Device;
  const CacheLevel from = to_host ? CacheLevel::Device : write.by_host ? CacheLevel::Host : CacheLevel::Agent;
  listener_->moved(write.index, write.operation.locations, write.operation.agent, from, to, reason);
}

// Caches write back on their own, by chance, and in the end whatever happens.
void DomainMemory::tick() {
  ++now_;
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t number = 0; number < writes_.size(); ++number) {
    if (writes_[number].is_everywhere()) continue;
    if (now_ - writes_[number].issued > policy_.longest_wait) {
      move(number, false, trace::MoveReason::Flush);
      move(number, true, trace::MoveReason::Flush);
    } else {
      waiting.push_back(number);
    }
  }
  if (waiting.empty() || policy_.eviction_interval == 0 || draws_.below(policy_.eviction_interval) != 0) return;
  const std::uint32_t one = waiting[draws_.below(static_cast<std::uint32_t>(waiting.size()))];
  move(one, writes_[one].reaches_device, trace::MoveReason::Eviction);
}

}  // namespace heddle::domains
