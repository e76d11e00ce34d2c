#include "emulator/watch/dispatched.h"

#include "emulator/advice/operation_text.h"
#include "runtime/code_line.h"

namespace heddle::watch {

void Dispatched::begins(std::uint64_t number, std::uint32_t first, const runtime::Grid& grid) {
  Dispatch& dispatch = dispatches_.emplace_back();
  dispatch.number = number;
  dispatch.first_agent = first;
  dispatch.grid = grid;
  dispatch.grid.position_of = dispatch.grid.index_at = nullptr;
  if (grid.position_of) dispatch.positions.assign(grid.position_of, grid.position_of + grid.group_size);
}

const Dispatched::Dispatch& Dispatched::of(AgentId agent) const {
  for (auto dispatch = dispatches_.rbegin(); dispatch != dispatches_.rend(); ++dispatch)
    if (dispatch->first_agent <= static_cast<std::uint32_t>(agent)) return *dispatch;
  return dispatches_.front();
}

RacingAccess Dispatched::access(AgentId agent, const Operation& operation) const {
  const Dispatch& dispatch = of(agent);
  const runtime::Grid& grid = dispatch.grid;
  const std::uint32_t number = static_cast<std::uint32_t>(agent) - dispatch.first_agent;
  const std::uint32_t group = number / grid.group_size;
  const std::uint32_t index = number % grid.group_size;
  RacingAccess made{advice::describe(operation), runtime::source_of(operation.where), {}, dispatch.number, "", ""};
  Coordinates& c = made.invocation;
  c.workgroup = {group % grid.groups.x, group / grid.groups.x % grid.groups.y, group / grid.groups.x / grid.groups.y};
  c.local = {index % grid.local.x, index / grid.local.x % grid.local.y, index / grid.local.x / grid.local.y};
  c.global = {c.workgroup.x * grid.local.x + c.local.x, c.workgroup.y * grid.local.y + c.local.y,
              c.workgroup.z * grid.local.z + c.local.z};
  const std::uint32_t position = dispatch.positions.empty() ? index : dispatch.positions[index];
  c.subgroup = position / grid.subgroup_size;
  c.lane = position % grid.subgroup_size;
  return made;
}

}  // namespace heddle::watch
