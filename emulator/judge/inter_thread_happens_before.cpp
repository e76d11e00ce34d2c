#include <algorithm>

#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

bool contains(const std::vector<ClassOrder>& orders, MemorySemantics classes) {
  return std::any_of(orders.begin(), orders.end(),
                     [&](const ClassOrder& order) { return order.classes == classes; });
}

// The sets of storage classes that matter: the masks in use and what they have in common. A path
// needs its set to be a part of certain masks, and profits from every class that the set has more, so
// the best set for a path is the intersection of those masks.
std::vector<ClassOrder> sets_that_matter(const Facts& facts) {
  std::vector<ClassOrder> sets;
  for (const EventFacts& e : facts.events)
    if (e.mask != MemorySemantics::None && !contains(sets, e.mask)) sets.push_back({e.mask, {}});
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const MemorySemantics both = sets[i].classes & sets[j].classes;
      if (both != MemorySemantics::None && !contains(sets, both)) sets.push_back({both, {}});
    }
  }
  return sets;
}

//= vk:memory-model-inter-thread-happens-before
void derive_order_of(const Facts& facts, ClassOrder& set) {
  const std::size_t n = facts.size();
  // Availability, visibility and domain operations of the API are treated like accesses, and have all
  // storage classes.
  //= vk:memory-model-availability-visibility
  EventSet constrained = facts.domain_operations;
  EventSet releases(n), acquires(n), synchronizing(n);
  for (EventIndex i = 0; i < n; ++i) {
    const EventFacts& e = facts.events[i];
    const bool has_all = e.mask != MemorySemantics::None && has(e.mask, set.classes);
    const bool accesses =
        e.storage != MemorySemantics::None && (e.storage & set.classes) != MemorySemantics::None;
    if (has_all || accesses) constrained.add(i);
    if (has_all) synchronizing.add(i);
    if (has_all && e.release) releases.add(i);
    if (has_all && e.acquire) acquires.add(i);
  }

  Relation& order = set.order;
  // A system-synchronizes-with B.
  order = facts.system_synchronizes;
  // A synchronizes-with B, and both have all of SC in their semantics.
  synchronizing.for_each([&](EventIndex a) {
    EventSet to = facts.synchronizes.successors(a);
    order.add_row(a, to &= synchronizing);
  });
  // A is an operation on SC, B a release with all of SC, A is program-ordered before B.
  constrained.for_each([&](EventIndex a) {
    EventSet to = facts.program_order.successors(a);
    order.add_row(a, to &= releases);
  });
  // A is an acquire with all of SC, B an operation on SC, A is program-ordered before B.
  acquires.for_each([&](EventIndex a) {
    EventSet to = facts.program_order.successors(a);
    order.add_row(a, to &= constrained);
  });
  // Both on the host, in the order of the host language.
  for (const auto& [a, b] : facts.execution->host_order)
    for (EventIndex x : facts.events_of[a])
      for (EventIndex y : facts.events_of[b]) order.add(x, y);
  order.close();
}

}  // namespace

//= vk:memory-model-inter-thread-happens-before
void derive_inter_thread_happens_before(Facts& facts) {
  facts.class_orders = sets_that_matter(facts);
  // Without any synchronizing operation, system-synchronization and the host's order are left: of any
  // set, since they constrain all storage classes.
  if (facts.class_orders.empty()) facts.class_orders.push_back({kStorageClassBits, {}});
  facts.inter_thread_happens_before.reset(facts.size());
  for (ClassOrder& set : facts.class_orders) {
    derive_order_of(facts, set);
    facts.inter_thread_happens_before |= set.order;
  }
}

}  // namespace heddle::judge
