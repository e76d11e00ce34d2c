#include "emulator/watch/dispatched.h"

#include "emulator/advice/operation_text.h"
#include "runtime/code_line.h"

namespace heddle::watch {

void Dispatched::begins(const trace::Dispatch& dispatch) {
  dispatches_.push_back(dispatch);
  dispatches_.back().positions = positions_.emplace_back(dispatch.positions.begin(), dispatch.positions.end());
}

const trace::Dispatch& Dispatched::of(AgentId agent) const {
  for (auto dispatch = dispatches_.rbegin(); dispatch != dispatches_.rend(); ++dispatch)
    if (dispatch->first_agent <= static_cast<std::uint32_t>(agent)) return *dispatch;
  return dispatches_.front();
}

RacingAccess Dispatched::access(AgentId agent, const Operation& operation) const {
  const trace::Dispatch& dispatch = of(agent);
  const uvec3 groups = dispatch.groups;
  const uvec3 local = dispatch.local;
  const auto group_size = static_cast<std::uint32_t>(dispatch.group_size());
  const std::uint32_t number = static_cast<std::uint32_t>(agent) - dispatch.first_agent;
  const std::uint32_t group = number / group_size;
  const std::uint32_t index = number % group_size;
  RacingAccess made{advice::describe(operation), runtime::source_of(operation.where), {}, dispatch.number, "", ""};
  Coordinates& c = made.invocation;
  c.workgroup = {group % groups.x, group / groups.x % groups.y, group / groups.x / groups.y};
  c.local = {index % local.x, index / local.x % local.y, index / local.x / local.y};
  c.global = {c.workgroup.x * local.x + c.local.x, c.workgroup.y * local.y + c.local.y,
              c.workgroup.z * local.z + c.local.z};
  const std::uint32_t position = dispatch.positions.empty() ? index : dispatch.positions[index];
  c.subgroup = position / dispatch.subgroup_size;
  c.lane = position % dispatch.subgroup_size;
  return made;
}

}  // namespace heddle::watch
