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

bool in_instance_of(const Facts& facts, EventIndex a, EventIndex b) {
  const EventFacts& owner = facts.events[b];
  return facts.instance(owner.agent, owner.level).has(a);
}

// Each of two operations has to be in the instance of the other's memory scope.
//= vk:memory-model-scope
void derive_in_scope(Facts& facts, EventIndex first) {
  facts.in_scope.resize(facts.size());
  for (EventIndex e = first; e < facts.size(); ++e) {
    if (!facts.scoped.has(e)) continue;
    facts.scoped.for_each([&](EventIndex other) {
      if (other > e || !in_instance_of(facts, e, other) || !in_instance_of(facts, other, e)) return;
      facts.in_scope.add(e, other);
      facts.in_scope.add(other, e);
    });
  }
}

}  // namespace

//= vk:memory-model-atomic-operation
void derive_mutual_order(Facts& facts, EventIndex first) {
  derive_in_scope(facts, first);
  facts.mutually_ordered.resize(facts.size());
  for (EventIndex b = first; b < facts.size(); ++b) {
    if (!facts.events[b].atomic) continue;
    facts.atomics.for_each([&](EventIndex a) {
      if (a >= b || !mutually_ordered(facts, a, b)) return;
      facts.mutually_ordered.add(a, b);
      facts.mutually_ordered.add(b, a);
    });
  }
}

}  // namespace heddle::judge
