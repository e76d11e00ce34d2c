#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

// Whether `other` is in the instance of the memory scope of `e` that `e` is in.
//= vk:memory-model-scope
bool in_instance_of(const Facts& facts, EventIndex other, EventIndex e) {
  const EventFacts& facts_of_e = facts.events[e];
  return facts.in_instance[static_cast<std::size_t>(facts_of_e.agent)][level_of(facts_of_e.scope)]
      .has(other);
}

//= vk:memory-model-atomic-operation
bool potentially_mutually_ordered(const Facts& facts, EventIndex a, EventIndex b) {
  const Operation& x = facts.operation(a);
  const Operation& y = facts.operation(b);
  if (!(x.locations == y.locations)) return false;
  if (x.reference != y.reference) return false;
  if (!facts.in_scope.has(a, b)) return false;
  // The halves of a read-modify-write are one operation.
  return facts.events[a].operation != facts.events[b].operation;
}

//= vk:memory-model-atomic-operation
bool mutually_ordered(const Facts& facts, EventIndex a, EventIndex b) {
  if (!potentially_mutually_ordered(facts, a, b)) return false;
  const bool a_on_host = facts.execution->place(facts.events[a].agent).is_host();
  const bool b_on_host = facts.execution->place(facts.events[b].agent).is_host();
  return a_on_host == b_on_host || facts.options.concurrent_host_device_atomics;
}

}  // namespace

//= vk:memory-model-atomic-operation
void derive_mutual_order(Facts& facts) {
  facts.in_scope.reset(facts.size());
  facts.mutually_ordered.reset(facts.size());
  const EventSet scoped = facts.atomics | facts.fences | facts.releases | facts.acquires;
  EventSet with_scope = scoped;
  for (EventIndex e = 0; e < facts.size(); ++e)
    if (facts.events[e].control_barrier) with_scope.add(e);
  with_scope.for_each([&](EventIndex a) {
    with_scope.for_each([&](EventIndex b) {
      if (in_instance_of(facts, a, b) && in_instance_of(facts, b, a)) facts.in_scope.add(a, b);
    });
  });
  facts.atomics.for_each([&](EventIndex a) {
    facts.atomics.for_each([&](EventIndex b) {
      if (mutually_ordered(facts, a, b)) facts.mutually_ordered.add(a, b);
    });
  });
}

}  // namespace heddle::judge
