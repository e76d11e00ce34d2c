#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

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

// Each of two operations has to be in the instance of the other's memory scope.
//= vk:memory-model-scope
void derive_in_scope(Facts& facts) {
  EventSet scoped = facts.atomics | facts.fences | facts.releases | facts.acquires;
  for (EventIndex e = 0; e < facts.size(); ++e)
    if (facts.events[e].control_barrier) scoped.add(e);
  Relation in_instance_of(facts.size());
  scoped.for_each([&](EventIndex e) {
    const EventFacts& event = facts.events[e];
    in_instance_of.add_row(
        e, facts.in_instance[static_cast<std::size_t>(event.agent)][level_of(event.scope)]);
    in_instance_of.keep_row(e, scoped);
  });
  facts.in_scope.reset(facts.size());
  in_instance_of.for_each([&](EventIndex a, EventIndex b) {
    if (in_instance_of.has(b, a)) facts.in_scope.add(a, b);
  });
}

}  // namespace

//= vk:memory-model-atomic-operation
void derive_mutual_order(Facts& facts) {
  derive_in_scope(facts);
  facts.mutually_ordered.reset(facts.size());
  for (const Location& location : facts.locations) {
    const EventSet atomics = location.accesses & facts.atomics;
    atomics.for_each([&](EventIndex a) {
      atomics.for_each([&](EventIndex b) {
        if (a < b && mutually_ordered(facts, a, b)) {
          facts.mutually_ordered.add(a, b);
          facts.mutually_ordered.add(b, a);
        }
      });
    });
  }
}

}  // namespace heddle::judge
