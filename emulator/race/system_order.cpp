#include "emulator/race/system_order.h"

namespace heddle::race {

namespace {

// The clock of all that every agent of every workgroup did.
Clock all_of_everybody(const Places& places, std::uint32_t numbers_of_group) {
  Clock all;
  for (GroupId number = 0; number < places.groups() * numbers_of_group; ++number) all.add_everybody(number, kForEver);
  return all;
}

}  // namespace

Clock all_of_agent(const Places& places, std::uint32_t numbers_of_group, std::uint32_t agent) {
  Clock all;
  const GroupId first = places.group(agent) * numbers_of_group;
  for (GroupId number = first; number < first + numbers_of_group; ++number) all.add(number, agent, kForEver);
  return all;
}

//= vk:memory-model-system-synchronizes-with
ViewPointer view_behind_dependency(const Places& places, std::uint32_t numbers_of_group, const View& ended) {
  View made;
  SystemView system;
  system.agents = all_of_everybody(places, numbers_of_group);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    made.before[i] = system.before[i] = system.agents;
    made.facts[i] = beyond_workgroups(ended.facts[i]);
  }
  made.reached = system.agents;
  made.own = beyond_workgroups(ended.own);
  made.system = std::make_shared<const SystemView>(std::move(system));
  return std::make_shared<const View>(std::move(made));
}

//= vk:memory-model-system-synchronizes-with
void come_behind(View& made, SystemView& system, const Clock& all) {
  system.agents.join(all);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    system.before[i].join(all);
    made.before[i].join(system.before[i]);
  }
}

}  // namespace heddle::race
