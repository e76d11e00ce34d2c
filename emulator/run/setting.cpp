#include "emulator/run/setting.h"

namespace heddle::run {
namespace {

std::uint32_t workgroups_of(const trace::Dispatch& dispatch) {
  return dispatch.groups.x * dispatch.groups.y * dispatch.groups.z;
}

std::uint32_t subgroup_of(const trace::Dispatch& dispatch, std::uint32_t index) {
  return (dispatch.positions.empty() ? index : dispatch.positions[index]) / dispatch.subgroup_size;
}

}  // namespace

void add_dispatch(explore::Program& program, Setting& setting, trace::Dispatch dispatch, const MakeAgent& make,
                  std::uint32_t queue_family) {
  std::uint32_t workgroup = 0;
  for (const trace::Dispatch& earlier : setting.dispatches) workgroup += workgroups_of(earlier);
  dispatch.number = setting.dispatches.size();
  dispatch.first_agent = static_cast<std::uint32_t>(program.agents.size());
  const auto group_size = static_cast<std::uint32_t>(dispatch.group_size());
  for (std::uint32_t group = 0; group < workgroups_of(dispatch); ++group, ++workgroup) {
    for (std::uint32_t index = 0; index < group_size; ++index) {
      const auto agent = static_cast<AgentId>(program.agents.size());
      const Invocation invocation{agent, workgroup, index, trace::coordinates_of(dispatch, agent)};
      model::Place place;
      place.queue_family = queue_family;
      place.workgroup = workgroup;
      place.subgroup = subgroup_of(dispatch, index);
      program.agents.push_back({place, [make, invocation] { return make(invocation); }});
    }
  }
  setting.dispatches.push_back(dispatch);
}

std::optional<Coordinates> coordinates_of(const Setting& setting, AgentId agent) {
  for (const trace::Dispatch& dispatch : setting.dispatches)
    if (static_cast<std::uint32_t>(agent) - dispatch.first_agent < dispatch.invocations())
      return trace::coordinates_of(dispatch, agent);
  return std::nullopt;
}

std::vector<AgentId> participants(const trace::Dispatch& dispatch, const Invocation& invocation, Scope execution) {
  const auto group_size = static_cast<std::uint32_t>(dispatch.group_size());
  const bool in_group = execution == Scope::Workgroup || execution == Scope::Subgroup;
  const std::uint32_t own = static_cast<std::uint32_t>(invocation.agent);
  const std::uint32_t first = in_group ? own - invocation.index : dispatch.first_agent;
  const std::uint32_t count = in_group ? group_size : static_cast<std::uint32_t>(dispatch.invocations());
  std::vector<AgentId> all;
  for (std::uint32_t agent = first; agent < first + count; ++agent) {
    const bool takes_part =
        execution != Scope::Subgroup || subgroup_of(dispatch, agent - first) == subgroup_of(dispatch, invocation.index);
    if (takes_part) all.push_back(static_cast<AgentId>(agent));
  }
  return all;
}

}  // namespace heddle::run
