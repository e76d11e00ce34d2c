#include "emulator/judge/facts.h"

namespace heddle::judge {

//= vk:shader-call-order
void derive_shader_call_order(Facts& facts) {
  Relation& order = facts.shader_call_order;
  order.reset(facts.size());
  if (facts.execution->shader_calls.empty()) return;

  // Program order, of invocations that are shader-call-related to another.
  EventSet related(facts.size());
  for (const model::ShaderCallEdge& edge : facts.execution->shader_calls) {
    const EventIndex call = facts.read_event(edge.call);
    related |= facts.of_agent[static_cast<std::size_t>(facts.events[call].agent)];
    related |= facts.of_agent[static_cast<std::size_t>(edge.created)];
  }
  related.for_each([&](EventIndex e) { order.add_row(e, facts.program_order, e); });

  for (const model::ShaderCallEdge& edge : facts.execution->shader_calls) {
    const EventIndex call = facts.read_event(edge.call);
    const EventSet& created = facts.of_agent[static_cast<std::size_t>(edge.created)];
    // Shader call entry.
    order.add_row(call, created);
    // Shader call exit: what the caller does next comes after all that the created invocation does.
    const EventSet after = facts.program_order.successors(call);
    created.for_each([&](EventIndex e) { order.add_row(e, after); });
  }
  order.close();
}

}  // namespace heddle::judge
