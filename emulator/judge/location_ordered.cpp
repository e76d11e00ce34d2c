#include <utility>
#include <vector>

#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

using Chain = std::array<EventSet, kScopes.size()>;

bool on_host(const Facts& facts, EventIndex e) {
  return facts.on_host.has(e);
}

EventSet happens_after(const Facts& facts, const EventSet& from) {
  EventSet to(facts.size());
  from.for_each([&](EventIndex e) { facts.happens_before.add_row_to(e, to); });
  return to;
}

EventSet of_kind(const Facts& facts, OperationKind kind) {
  EventSet set(facts.size());
  facts.domain_operations.for_each([&](EventIndex e) {
    if (facts.operation(e).kind == kind) set.add(e);
  });
  return set;
}

class LocationOrder {
 public:
  LocationOrder(Facts& facts, Location& location) : facts_(facts), location_(location), chains_(facts, location) {}

  void derive() {
    location_.location_ordered.reset(facts_.size());
    location_.accesses.for_each([&](EventIndex x) {
      add_same_reference(x);
      add_after_read(x);
      if (facts_.host().has_host_threads && on_host(facts_, x)) add_in_host_language(x);
    });
    (location_.accesses & facts_.writes).for_each([&](EventIndex x) {
      if (facts_.events[x].non_private) add_through_common_domain(x);
      if (!facts_.domain_operations.empty()) add_through_device_and_host(x);
    });
    add_tessellation_output_order(facts_, location_);
    add_shader_input_order(facts_, location_);
  }

 private:
  // An agent is ordered with itself through one reference: no availability or visibility operations are needed. Tags do
  // not reorder what is coherence of one location.
  //= mmra:coherence
  //= vk:memory-model-location-ordered
  void add_same_reference(EventIndex x) {
    const Operation& op = facts_.operation(x);
    EventSet after = facts_.happens_before.successors(x);
    if (facts_.tagged) facts_.program_order.add_row_to(x, after);
    after &= location_.accesses;
    after &= facts_.of_agent[static_cast<std::size_t>(op.agent)];
    after.for_each([&](EventIndex y) {
      if (y != x && facts_.operation(y).reference == op.reference) location_.location_ordered.add(x, y);
    });
  }

  // X is a read, and both are non-private and X happens-before Y, or X (transitively)
  // system-synchronizes with Y.
  //= vk:memory-model-location-ordered
  //= vk:memory-model-non-private
  void add_after_read(EventIndex x) {
    if (!facts_.events[x].reads) return;
    EventSet after(facts_.size());
    if (facts_.events[x].non_private) {
      facts_.happens_before.add_row_to(x, after);
      after &= facts_.non_private;
    }
    facts_.system_synchronizes.add_row_to(x, after);
    after &= location_.accesses;
    after.remove(x);
    location_.location_ordered.add_row(x, after);
  }

  // X is a write, both are non-private and use one reference, and both agents access a domain to
  // which an availability chain makes X available, and from which, if Y is a read, a visibility chain
  // makes it visible to Y.
  //= vk:memory-model-location-ordered
  void add_through_common_domain(EventIndex x) {
    const AgentId agent = facts_.events[x].agent;
    EventSet candidates = location_.accesses & facts_.non_private;
    candidates.remove(x);
    // Without another agent between, what the same agent does later is ordered anyway.
    if (candidates.empty() || !leads_elsewhere(x)) return;
    const Chain& available = chains_.availability(x);
    for (const Level level : facts_.levels) {
      if (available[level].empty()) continue;
      const EventSet after = happens_after(facts_, available[level]);
      if (after.empty()) continue;
      (candidates & facts_.instance(agent, level)).for_each([&](EventIndex y) {
        if (facts_.operation(y).reference != facts_.operation(x).reference) return;
        const EventFacts& later = facts_.events[y];
        const bool written_after = later.writes && after.has(y);
        const bool seen = later.reads && visibility_of(y)[level].intersects(after);
        if (written_after || seen) location_.location_ordered.add(x, y);
      });
    }
  }

  // Whether something that the agent does from `x` on happens-before what another one does.
  bool leads_elsewhere(EventIndex x) const {
    EventSet after(facts_.size());
    facts_.happens_before.add_row_to(x, after);
    facts_.program_order.for_each_successor(x, [&](EventIndex e) { facts_.happens_before.add_row_to(e, after); });
    after -= facts_.of_agent[static_cast<std::size_t>(facts_.events[x].agent)];
    return !after.empty();
  }

  const Chain& visibility_of(EventIndex read) {
    for (const auto& [y, chain] : visibility_of_)
      if (y == read) return chain;
    // Referred to while it grows.
    if (visibility_of_.empty()) visibility_of_.reserve(location_.accesses.count());
    return visibility_of_.emplace_back(read, Chains(facts_, location_).visibility(read)).second;
  }

  // Two accesses of the host are ordered by its language's happens-before alone.
  //= vk:memory-model-location-ordered
  void add_in_host_language(EventIndex x) {
    EventSet after = facts_.happens_before.successors(x);
    after &= location_.accesses;
    after &= facts_.on_host;
    after.remove(x);
    location_.location_ordered.add_row(x, after);
  }

  // The operations of a kind, among `events`, that include the access; and the access itself, if it is of the host and
  // its memory coherent: then it has such an operation where it stands.
  EventSet including(const EventSet& events, OperationKind host, OperationKind device, EventIndex access) const {
    EventSet result(facts_.size());
    const bool of_host = on_host(facts_, access);
    (events & of_kind(facts_, of_host ? host : device)).for_each([&](EventIndex e) {
      if (includes_access(facts_, e, access)) result.add(e);
    });
    return result;
  }
  bool includes_itself(EventIndex access) const {
    return on_host(facts_, access) && is_coherent_host_memory(facts_, location_);
  }

  // Through the device or host domain, whatever the references, and for private accesses too.
  //= vk:memory-model-location-ordered
  //= vk:memory-model-vulkan-availability-visibility
  void add_through_device_and_host(EventIndex x) {
    EventSet made = including(facts_.happens_before.successors(x), OperationKind::HostAvailability,
                              OperationKind::DeviceAvailability, x);
    if (includes_itself(x)) made.add(x);
    if (made.empty()) return;
    const bool x_on_host = on_host(facts_, x);
    for (const bool y_on_host : {false, true}) {
      EventSet in_domain = made;
      if (x_on_host != y_on_host) {
        in_domain = happens_after(facts_, made);
        in_domain &= of_kind(facts_, x_on_host ? OperationKind::HostToDeviceDomain : OperationKind::DeviceToHostDomain);
      }
      const EventSet after = happens_after(facts_, in_domain);
      location_.accesses.for_each([&](EventIndex y) {
        if (y == x || on_host(facts_, y) != y_on_host) return;
        const EventFacts& later = facts_.events[y];
        if ((later.writes && after.has(y)) || (later.reads && sees(x, made, after, y)))
          location_.location_ordered.add(x, y);
      });
    }
  }

  // Whether a visibility operation makes visible to the read `y` what is in its domain from `after` on.
  //= vk:memory-model-location-ordered
  bool sees(EventIndex x, const EventSet& made, const EventSet& after, EventIndex y) const {
    if (includes_itself(y) && after.has(y)) return true;
    EventSet seeing = including(after, OperationKind::HostVisibility, OperationKind::DeviceVisibility, y);
    if (!seeing.empty() && needs_transfer(facts_, x, y)) {
      const EventSet acquired = acquired_contents(facts_, made, x, y);
      seeing &= happens_after(facts_, acquired) | acquired;
    }
    return happens_after(facts_, seeing).has(y);
  }

  Facts& facts_;
  Location& location_;
  Chains chains_;
  // Filled in where it is asked for.
  std::vector<std::pair<EventIndex, Chain>> visibility_of_;
};

}  // namespace

//= vk:memory-model-location-ordered
void derive_location_order(Facts& facts) {
  facts.location_ordered.reset(facts.size());
  for (Location& location : facts.locations) {
    LocationOrder(facts, location).derive();
    facts.location_ordered |= location.location_ordered;
  }
}

}  // namespace heddle::judge
