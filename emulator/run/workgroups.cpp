#include "emulator/run/workgroups.h"

#include <heddle/detail/check.h>

#include <numeric>
#include <stdexcept>

namespace heddle::run {

Workgroups::Workgroups(const explore::Program& program, const Setting& setting) : setting_(setting), program_(program) {
  std::uint32_t agent = 0;
  for (const trace::Dispatch& dispatch : setting.dispatches) {
    const auto size = static_cast<std::uint32_t>(dispatch.group_size());
    const std::uint64_t end = dispatch.first_agent + dispatch.invocations();
    if (dispatch.first_agent != agent || end > program.agents.size()) break;
    for (; agent < end; agent += size) {
      workgroup_of_.insert(workgroup_of_.end(), size, static_cast<std::uint32_t>(groups_.size()));
      groups_.push_back({static_cast<AgentId>(agent), size, size});
    }
  }
  if (agent != program.agents.size())
    throw std::invalid_argument("a run: the dispatches of the setting do not have all agents of the program, in order");
  if (!setting.dispatches.empty() && !program.system_synchronization.empty())
    throw std::invalid_argument(
        "a run: agents of dispatches begin with their workgroup, and not when another one ends");
  for (const explore::AgentDescription& description : program.agents) subgroups_.push_back(description.place.subgroup);
}

void Workgroups::restart() {
  for (Group& group : groups_) group.unfinished = group.count;
  current_ = 0;
  resident_ = 0;
  begin_dispatch();
}

void Workgroups::begin_dispatch() {
  const trace::Dispatch* const begun = dispatch();
  if (!begun) return;
  unended_ = begun->groups.x * begun->groups.y * begun->groups.z;
  left_.resize(unended_);
  std::iota(left_.begin(), left_.end(), unended_ == 0 ? 0 : workgroup_of_[begun->first_agent]);
}

std::optional<std::uint32_t> Workgroups::admit(Choice& choice) {
  const auto left = static_cast<std::uint32_t>(left_.size());
  const bool is_full = setting_.resident_workgroups != 0 && resident_ == setting_.resident_workgroups;
  if (left == 0 || is_full) return std::nullopt;
  // Where all of them begin at once their order means nothing.
  const bool begins_all = setting_.ascending_workgroups || setting_.resident_workgroups == 0 ||
                          left + resident_ <= setting_.resident_workgroups;
  const std::uint32_t which = begins_all ? 0 : choice.below(left, ChoicePoint::Workgroup);
  HEDDLE_CHECK(which < left, "an oracle chose a workgroup that is not among those it was asked of");
  const std::uint32_t chosen = left_[which];
  left_.erase(left_.begin() + which);
  ++resident_;
  return chosen;
}

bool Workgroups::finishes(AgentId agent) {
  if (--groups_[workgroup_of(agent)].unfinished != 0) return false;
  --resident_;
  --unended_;
  return true;
}

bool Workgroups::dispatch_ends() {
  if (unended_ != 0) return false;
  ++current_;
  begin_dispatch();
  return true;
}

memory::Cohort Workgroups::cohort(std::uint32_t workgroup) const {
  const Group& group = groups_[workgroup];
  const auto first = static_cast<std::size_t>(group.first);
  return {group.first, group.count, program_.agents[first].place, std::span(subgroups_).subspan(first, group.count)};
}

}  // namespace heddle::run
