#include "emulator/trace/dispatch.h"

#include <heddle/report.h>

namespace heddle::trace {

Coordinates coordinates_of(const Dispatch& dispatch, AgentId agent) {
  const uvec3 groups = dispatch.groups;
  const uvec3 local = dispatch.local;
  const auto group_size = static_cast<std::uint32_t>(dispatch.group_size());
  const std::uint32_t number = static_cast<std::uint32_t>(agent) - dispatch.first_agent;
  const std::uint32_t group = number / group_size;
  const std::uint32_t index = number % group_size;
  Coordinates c;
  c.workgroup = dispatch.base + uvec3{group % groups.x, group / groups.x % groups.y, group / groups.x / groups.y};
  c.local = {index % local.x, index / local.x % local.y, index / local.x / local.y};
  c.global = {c.workgroup.x * local.x + c.local.x, c.workgroup.y * local.y + c.local.y,
              c.workgroup.z * local.z + c.local.z};
  const std::uint32_t position = dispatch.positions.empty() ? index : dispatch.positions[index];
  c.subgroup = position / dispatch.subgroup_size;
  c.lane = position % dispatch.subgroup_size;
  return c;
}

}  // namespace heddle::trace
