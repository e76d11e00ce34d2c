#include <algorithm>

#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

// The pairs that are given, and those that agents without operations make between others. (Where each has operations,
// closing the order of these does it.)
std::vector<model::AgentPair> pairs_of_agents(const Facts& facts) {
  const std::vector<model::AgentPair>& given = facts.execution->agent_system_synchronization;
  const auto does_nothing = [&](const model::AgentPair& pair) {
    return facts.of_agent[static_cast<std::size_t>(pair.second)].empty();
  };
  if (std::none_of(given.begin(), given.end(), does_nothing)) return given;
  Relation order(static_cast<EventIndex>(facts.of_agent.size()));
  for (const auto& [a, b] : given) order.add(static_cast<EventIndex>(a), static_cast<EventIndex>(b));
  order.close();
  std::vector<model::AgentPair> all;
  order.for_each(
      [&](EventIndex a, EventIndex b) { all.emplace_back(static_cast<AgentId>(a), static_cast<AgentId>(b)); });
  return all;
}

}  // namespace

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
  for (const model::AgentPair& pair : pairs_of_agents(facts)) {
    const EventSet& after = facts.of_agent[static_cast<std::size_t>(pair.second)];
    facts.of_agent[static_cast<std::size_t>(pair.first)].for_each([&](EventIndex x) { order.add_row(x, after); });
  }
  add_shader_input_synchronization(facts);
  add_dependencies(facts);
  extend_by_host_language(facts);
  order.close();
}

}  // namespace heddle::judge
