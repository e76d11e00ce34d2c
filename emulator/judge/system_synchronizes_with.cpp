#include "emulator/judge/facts.h"

namespace heddle::judge {

// Transitively: every rule that asks for system-synchronization asks for the transitive relation, or
// closes it itself.
//= vk:memory-model-system-synchronizes-with
void derive_system_synchronizes_with(Facts& facts) {
  Relation& order = facts.system_synchronizes;
  order.reset(facts.size());
  const model::Execution& execution = *facts.execution;
  for (const auto& [a, b] : execution.system_synchronization)
    for (EventIndex x : facts.events_of[a])
      for (EventIndex y : facts.events_of[b]) order.add(x, y);
  for (const model::AgentPair& pair : execution.agent_system_synchronization) {
    const EventSet& after = facts.of_agent[static_cast<std::size_t>(pair.second)];
    facts.of_agent[static_cast<std::size_t>(pair.first)].for_each([&](EventIndex x) { order.add_row(x, after); });
  }
  add_shader_input_synchronization(facts);
  add_dependencies(facts);
  extend_by_host_language(facts);
  order.close();
}

}  // namespace heddle::judge
