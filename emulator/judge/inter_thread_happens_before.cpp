#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

// The sets of storage classes that matter: the masks in use and what they have in common. A path
// needs its set to be a part of certain masks, and profits from every class that the set has more, so
// the best set for a path is the intersection of those masks. Orders keep their memory.
void find_sets_that_matter(Facts& facts) {
  std::vector<ClassOrder>& sets = facts.class_orders;
  std::size_t found = 0;
  const auto add = [&](MemorySemantics classes) {
    if (classes == MemorySemantics::None) return;
    for (std::size_t i = 0; i < found; ++i)
      if (sets[i].classes == classes) return;
    if (found == sets.size()) sets.emplace_back();
    sets[found++].classes = classes;
  };
  for (const EventFacts& e : facts.events) add(e.mask);
  for (std::size_t i = 0; i < found; ++i)
    for (std::size_t j = 0; j < i; ++j) add(sets[i].classes & sets[j].classes);
  // Without any synchronizing operation, system-synchronization and the host's order are left: of any
  // set, since they constrain all storage classes.
  if (found == 0) add(kStorageClassBits);
  sets.resize(found);
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
    const bool accesses = e.storage != MemorySemantics::None && (e.storage & set.classes) != MemorySemantics::None;
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
    EventSet to = facts.program_order_that_counts().successors(a);
    order.add_row(a, to &= releases);
  });
  // A is an acquire with all of SC, B an operation on SC, A is program-ordered before B.
  acquires.for_each([&](EventIndex a) {
    EventSet to = facts.program_order_that_counts().successors(a);
    order.add_row(a, to &= constrained);
  });
  // Both on the host, in the order of the host language.
  if (!facts.host_language_order.empty()) order |= facts.host_language_order;
  for (const auto& [a, b] : facts.execution->host_order)
    for (EventIndex x : facts.events_of[a])
      for (EventIndex y : facts.events_of[b]) order.add(x, y);
  order.close();
}

// Whether the order of a set of storage classes has more than what program order has.
bool orders_agents(const Facts& facts, MemorySemantics classes) {
  if (!facts.system_synchronizes.empty() || !facts.execution->host_order.empty()) return true;
  if (!facts.host_language_order.empty()) return true;
  bool orders = false;
  facts.synchronizes.for_each([&](EventIndex a, EventIndex b) {
    orders = orders || (has(facts.events[a].mask, classes) && has(facts.events[b].mask, classes));
  });
  return orders;
}

}  // namespace

//= vk:memory-model-inter-thread-happens-before
void derive_inter_thread_happens_before(Facts& facts) {
  find_sets_that_matter(facts);
  facts.inter_thread_happens_before.reset(facts.size());
  const bool of_agents_alone = facts.synchronizes.empty() && facts.system_synchronizes.empty() &&
                               facts.execution->host_order.empty() && facts.host_language_order.empty();
  for (ClassOrder& set : facts.class_orders) {
    // What is left is part of program order. Of two operations whose tags are not compatible it is not: a third one
    // between them may order them.
    const bool adds_nothing = !facts.tagged && (of_agents_alone || !orders_agents(facts, set.classes));
    if (facts.only_happens_before && adds_nothing) {
      set.order.reset(facts.size());
      continue;
    }
    derive_order_of(facts, set);
    facts.inter_thread_happens_before |= set.order;
  }
}

}  // namespace heddle::judge
