#include "emulator/race/domain_order.h"

#include <algorithm>

#include "emulator/model/access_scope.h"

namespace heddle::race {
namespace {

template <typename Id>
bool contains(const std::vector<Id>& list, Id id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

//= sync:synchronization-host-access-types
bool DomainOrder::is_coherent(const Locations& bytes) const {
  return contains(events_.host_side().coherent, bytes.allocation);
}

//= vk:memory-model-location-ordered
bool DomainOrder::ordered_by_host_language(EventIndex x, EventIndex y) const {
  return events_.host_side().has_host_threads && events_.is_on_host(x) && events_.is_on_host(y) &&
         events_.happens_before(x, y);
}

// A dependency has scopes, a flush and an invalidation a range; what has none is of everything.
//= vk:memory-model-vulkan-availability-visibility
//= sync:synchronization-dependencies-access-scopes
bool DomainOrder::is_of(EventIndex operation, EventIndex access) const {
  const Event& op = events_[operation];
  const Event& of = events_[access];
  const bool makes = op.kind == OperationKind::DeviceAvailability;
  if (!makes && op.kind != OperationKind::DeviceVisibility)
    return op.bytes.size_bytes == 0 || op.bytes.overlaps(of.bytes);
  const model::HostSide& side = events_.host_side();
  const model::Dependency* const dependency = model::dependency_of(side, op.agent);
  if (dependency == nullptr || (makes ? dependency->available : dependency->visible).of_device) return true;
  const model::Command* const command = model::command_of(side, of.agent);
  if (command == nullptr) return false;
  Operation asked;
  asked.reference = of.reference;
  return makes ? makes_available(side, *dependency, *command, asked)
               : makes_visible(side, *dependency, *command, asked);
}

EventSet DomainOrder::behind(const EventSet& from, OperationKind kind,
                             const std::vector<EventIndex>& operations) const {
  EventSet result;
  for (const EventIndex op : operations)
    if (events_[op].kind == kind && any_before(from, op)) result.add(op);
  return result;
}

bool DomainOrder::any_before(const EventSet& from, EventIndex e) const {
  bool before = false;
  from.for_each([&](EventIndex one) { before = before || events_.happens_before(one, e); });
  return before;
}

// Available in the writer's own domain, then moved to the other one if that is the second access's, and shown to that
// if it reads. What the host does to coherent memory is available and visible where it stands.
//= vk:memory-model-location-ordered
//= vk:memory-model-vulkan-availability-visibility
bool DomainOrder::ordered(EventIndex x, EventIndex y, const std::vector<EventIndex>& operations) const {
  const bool from_host = events_.is_on_host(x);
  const bool to_host = events_.is_on_host(y);
  EventSet made;
  for (const EventIndex op : operations) {
    const OperationKind kind = from_host ? OperationKind::HostAvailability : OperationKind::DeviceAvailability;
    if (events_[op].kind == kind && events_.happens_before(x, op) && is_of(op, x)) made.add(op);
  }
  if (from_host && is_coherent(events_[x].bytes)) made.add(x);
  if (made.empty()) return false;
  EventSet there = made;
  if (from_host != to_host)
    there = behind(made, from_host ? OperationKind::HostToDeviceDomain : OperationKind::DeviceToHostDomain, operations);
  if (events_[y].writes && any_before(there, y)) return true;
  return events_[y].reads && is_seen(x, y, made, there, operations);
}

//= vk:memory-model-location-ordered
bool DomainOrder::is_seen(EventIndex x, EventIndex y, const EventSet& made, const EventSet& there,
                          const std::vector<EventIndex>& operations) const {
  const bool to_host = events_.is_on_host(y);
  if (to_host && is_coherent(events_[y].bytes) && any_before(there, y)) return true;
  const EventSet showing =
      behind(there, to_host ? OperationKind::HostVisibility : OperationKind::DeviceVisibility, operations);
  const bool moves = changes_family(x, y);
  EventSet acquires;
  if (moves) acquires = acquires_of_family(x, y, made, operations);
  bool seen = false;
  showing.for_each([&](EventIndex op) {
    if (seen || !is_of(op, y) || !events_.happens_before(op, y)) return;
    bool owned = !moves;
    acquires.for_each([&](EventIndex acquire) { owned = owned || is_or_before(acquire, op); });
    seen = owned;
  });
  return seen;
}

bool DomainOrder::changes_family(EventIndex x, EventIndex y) const {
  const model::HostSide& side = events_.host_side();
  if (!contains(side.exclusive, events_[x].reference) && !contains(side.exclusive, events_[y].reference)) return false;
  return model::command_of(side, events_[x].agent) != nullptr && model::command_of(side, events_[y].agent) != nullptr &&
         family(x) != family(y);
}

const model::OwnershipTransfer* DomainOrder::transfer(EventIndex e) const {
  const model::Dependency* const dependency = model::dependency_of(events_.host_side(), events_[e].agent);
  return dependency != nullptr && dependency->transfer ? &*dependency->transfer : nullptr;
}

// The acquires by which the family of `y` got what the family of `x` had when it was made available, through as many
// families as there are between.
//= sync:synchronization-queue-transfers-acquire
//= sync:synchronization-queue-transfers-release
EventSet DomainOrder::acquires_of_family(EventIndex x, EventIndex y, const EventSet& made,
                                         const std::vector<EventIndex>& operations) const {
  Families having;
  having[family(x)] = made;
  bool more = true;
  while (more) {
    more = false;
    for (const EventIndex out : operations) {
      const model::OwnershipTransfer* const release = transfer(out);
      if (release == nullptr || release->acquires || having.count(release->from) == 0) continue;
      if (release->reference != events_[x].reference && release->reference != events_[y].reference) continue;
      bool has_it = false;
      having[release->from].for_each([&](EventIndex since) { has_it = has_it || is_or_before(since, out); });
      if (!has_it) continue;
      for (const EventIndex in : operations) {
        const model::OwnershipTransfer* const acquire = transfer(in);
        if (acquire == nullptr || !acquire->acquires || !events_.happens_before(out, in)) continue;
        if (acquire->reference != release->reference || acquire->from != release->from || acquire->to != release->to)
          continue;
        more = more || !having[acquire->to].has(in);
        having[acquire->to].add(in);
      }
    }
  }
  EventSet acquired;
  having[family(y)].for_each([&](EventIndex e) {
    const model::OwnershipTransfer* const acquire = transfer(e);
    if (acquire != nullptr && acquire->acquires) acquired.add(e);
  });
  return acquired;
}

}  // namespace heddle::race
