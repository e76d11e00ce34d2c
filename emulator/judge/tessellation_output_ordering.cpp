#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

// An instance of a control barrier, with no particular memory scope or semantics, stands between.
//= vk:memory-model-tessellation-output-ordering
bool tessellation_output_ordered(const Facts& facts, EventIndex x, EventIndex y) {
  const AgentId agent = facts.events[x].agent;
  bool ordered = false;
  facts.program_order.for_each_successor(x, [&](EventIndex c) {
    if (ordered || !facts.events[c].control_barrier) return;
    const Operation& barrier = facts.operation(c);
    if (!includes(barrier.execution_scope, Scope::Workgroup)) return;
    if (!facts.instance(agent, level_of(barrier.execution_scope)).has(y)) return;
    facts.meets_at_barrier.for_each_successor(
        c, [&](EventIndex other) { ordered = ordered || facts.program_order.has(other, y); });
  });
  return ordered;
}

}  // namespace

bool accesses_tessellation_output(const Facts& facts, EventIndex e) {
  const Operation& op = facts.operation(e);
  return op.is_access() && op.storage_class == StorageClass::Output &&
         facts.execution->place(op.agent).stage == model::Stage::TessellationControl;
}

//= vk:memory-model-tessellation-output-ordering
void add_tessellation_output_order(const Facts& facts, Location& location) {
  if (facts.tessellation_outputs.empty()) return;
  const EventSet outputs = location.accesses & facts.tessellation_outputs;
  outputs.for_each([&](EventIndex x) {
    outputs.for_each([&](EventIndex y) {
      if (x != y && tessellation_output_ordered(facts, x, y)) location.location_ordered.add(x, y);
    });
  });
}

}  // namespace heddle::judge
