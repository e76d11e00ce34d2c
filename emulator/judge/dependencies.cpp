#include <algorithm>

#include "emulator/judge/facts.h"
#include "emulator/model/access_scope.h"

namespace heddle::judge {
namespace {

std::size_t position(AgentId agent) {
  return static_cast<std::size_t>(agent);
}

bool contains(const std::vector<ReferenceId>& list, ReferenceId reference) {
  return std::find(list.begin(), list.end(), reference) != list.end();
}

// Each operation of the first scope comes before each of the dependency, these before each of the second scope, and
// before those of the dependencies with which it makes a chain. Its own come in the order listed.
//= vk:memory-model-system-synchronizes-with
//= vk:memory-model-vulkan-availability-visibility
//= sync:synchronization-dependencies-chains
void add_dependency(Facts& facts, const model::Dependency& dependency) {
  Relation& order = facts.system_synchronizes;
  const model::HostSide& host = facts.host();
  const EventSet& own = facts.of_agent[position(dependency.agent)];
  if (own.empty()) return;
  EventSet after(facts.size());
  for (const model::Command& command : host.commands) {
    const EventSet& events = facts.of_agent[position(command.agent)];
    if (comes_before(command, dependency)) events.for_each([&](EventIndex e) { order.add_row(e, own); });
    if (comes_after(dependency, command)) after |= events;
  }
  for (const model::Dependency& later : host.dependencies)
    if (&later != &dependency && makes_chain(dependency, later)) after |= facts.of_agent[position(later.agent)];
  own.for_each([&](EventIndex e) {
    order.add_row(e, after);
    order.add_row(e, facts.program_order.successors(e));
  });
}

}  // namespace

void fill_commands(Facts& facts) {
  const model::HostSide& host = facts.host();
  facts.command_of.assign(facts.execution->agents.size(), nullptr);
  facts.dependency_of.assign(facts.execution->agents.size(), nullptr);
  for (const model::Command& command : host.commands) facts.command_of[position(command.agent)] = &command;
  for (const model::Dependency& dependency : host.dependencies)
    facts.dependency_of[position(dependency.agent)] = &dependency;
}

void add_dependencies(Facts& facts) {
  for (const model::Dependency& dependency : facts.host().dependencies) add_dependency(facts, dependency);
}

// A call of the host has in its scope whatever happened before it on the host, a wait whatever happens after it.
//= vk:memory-model-system-synchronizes-with
void extend_by_host_language(Facts& facts) {
  if (facts.host_language_order.empty()) return;
  const Relation given = facts.system_synchronizes;
  const EventSet calls = facts.domain_operations & facts.on_host;
  calls.for_each([&](EventIndex call) {
    const EventSet ordered = facts.host_language_order.successors(call);
    const EventSet later = given.successors(call);
    for (EventIndex e = 0; e < facts.size(); ++e) {
      if (given.has(e, call)) facts.system_synchronizes.add_row(e, ordered);
      if (facts.host_language_order.has(e, call)) facts.system_synchronizes.add_row(e, later);
    }
  });
}

// The operations of a dependency are of its access scopes; without one, of all accesses. Flushes and invalidations
// are of ranges; without a range, of all memory.
//= vk:memory-model-vulkan-availability-visibility
//= sync:synchronization-dependencies-access-scopes
bool includes_access(const Facts& facts, EventIndex operation, EventIndex access) {
  const Operation& op = facts.operation(operation);
  const bool available = op.kind == OperationKind::DeviceAvailability;
  if (!available && op.kind != OperationKind::DeviceVisibility)
    return op.locations.size_bytes == 0 || op.locations.overlaps(facts.operation(access).locations);
  const model::Dependency* const dependency = facts.dependency_of[position(op.agent)];
  if (dependency == nullptr) return true;
  const model::HostSide& host = facts.host();
  if ((available ? dependency->available : dependency->visible).of_device) return true;
  const model::Command* const command = facts.command_of[position(facts.events[access].agent)];
  if (command == nullptr) return false;
  return available ? makes_available(host, *dependency, *command, facts.operation(access))
                   : makes_visible(host, *dependency, *command, facts.operation(access));
}

//= sync:synchronization-host-access-types
bool is_coherent_host_memory(const Facts& facts, const Location& location) {
  const std::vector<AllocationId>& coherent = facts.host().coherent;
  return std::find(coherent.begin(), coherent.end(), location.bytes.allocation) != coherent.end();
}

// What a write by one family has to pass on its way to a read by another: releases and acquires, by turns, of each
// family between.
bool needs_transfer(const Facts& facts, EventIndex write, EventIndex read) {
  const auto& exclusive = facts.host().exclusive;
  if (!contains(exclusive, facts.operation(write).reference) && !contains(exclusive, facts.operation(read).reference))
    return false;
  const model::Command* const from = facts.command_of[position(facts.events[write].agent)];
  const model::Command* const to = facts.command_of[position(facts.events[read].agent)];
  if (from == nullptr || to == nullptr) return false;
  return facts.execution->place(from->agent).queue_family != facts.execution->place(to->agent).queue_family;
}

namespace {

bool is_or_happens_before(const Facts& facts, EventIndex a, EventIndex b) {
  return a == b || facts.happens_before.has(a, b);
}

const model::OwnershipTransfer* transfer_of(const Facts& facts, EventIndex e) {
  const model::Dependency* const dependency = facts.dependency_of[position(facts.events[e].agent)];
  return dependency != nullptr && dependency->transfer ? &*dependency->transfer : nullptr;
}

// The acquires that a release in `contents` of its family leads to.
EventSet acquired_from(const Facts& facts, EventIndex release) {
  const model::OwnershipTransfer& out = *transfer_of(facts, release);
  EventSet result(facts.size());
  facts.happens_before.for_each_successor(release, [&](EventIndex e) {
    const model::OwnershipTransfer* const in = transfer_of(facts, e);
    if (in != nullptr && in->acquires && in->reference == out.reference && in->from == out.from && in->to == out.to)
      result.add(e);
  });
  return result;
}

}  // namespace

//= sync:synchronization-queue-transfers-acquire
//= sync:synchronization-queue-transfers-release
EventSet acquired_contents(const Facts& facts, const EventSet& available, EventIndex write, EventIndex read) {
  const auto family = [&](EventIndex e) { return facts.execution->place(facts.events[e].agent).queue_family; };
  const auto is_of_buffer = [&](const model::OwnershipTransfer& transfer) {
    return transfer.reference == facts.operation(write).reference ||
           transfer.reference == facts.operation(read).reference;
  };
  // By turns: who has the contents, and from which operation on.
  std::vector<std::pair<std::uint32_t, EventIndex>> having;
  available.for_each([&](EventIndex e) { having.emplace_back(family(write), e); });
  EventSet acquired(facts.size()), seen(facts.size());
  for (std::size_t i = 0; i < having.size(); ++i) {
    const auto [owner, since] = having[i];
    for (EventIndex release = 0; release < facts.size(); ++release) {
      const model::OwnershipTransfer* const out = transfer_of(facts, release);
      if (out == nullptr || out->acquires || out->from != owner || !is_of_buffer(*out)) continue;
      if (!is_or_happens_before(facts, since, release)) continue;
      acquired_from(facts, release).for_each([&](EventIndex e) {
        if (out->to == family(read)) acquired.add(e);
        if (seen.has(e)) return;
        seen.add(e);
        having.emplace_back(out->to, e);
      });
    }
  }
  return acquired;
}

}  // namespace heddle::judge
