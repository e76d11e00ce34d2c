// What a run does for its setting: workgroups that begin and end, and checks.

#include "emulator/run/runner.h"

#include <algorithm>

#include "emulator/run/checks.h"
#include "emulator/run/workgroups.h"

namespace heddle::run {

void Runner::tell_dispatch() {
  const trace::Dispatch* const dispatch = workgroups_->dispatch();
  if (!dispatch || !listener_) return;
  listener_->dispatched(*dispatch);
  const Objects& objects = setting_->objects;
  for (std::uint32_t i = 0; i < objects.allocations(); ++i) {
    const auto id = static_cast<AllocationId>(i);
    if (!objects[objects.of(id)].of_workgroup) listener_->named(objects.named(id));
  }
}

void Runner::admit_workgroups() {
  while (const auto workgroup = workgroups_->admit(choice_)) begin_workgroup(*workgroup);
}

void Runner::begin_workgroup(std::uint32_t workgroup) {
  const memory::Cohort cohort = workgroups_->cohort(workgroup);
  memory_.begin(cohort);
  const Objects& objects = setting_->objects;
  for (std::uint32_t i = 0; i < objects.count(); ++i) {
    const auto object = static_cast<ObjectId>(i);
    if (!objects[object].of_workgroup) continue;
    const AllocationId instance = objects.allocation(object, workgroup);
    add(instance);
    if (listener_) listener_->named(objects.named(instance));
  }
  checks_->begins(workgroup);
  // An agent that ends at once may end its workgroup, and let others begin.
  for (std::uint32_t i = 0; i < cohort.count; ++i) begin(static_cast<std::uint32_t>(cohort.agent(i)));
}

void Runner::leave_workgroup(std::uint32_t agent) {
  progress();
  const auto id = static_cast<AgentId>(agent);
  if (!workgroups_->finishes(id)) return;
  const std::uint32_t workgroup = workgroups_->workgroup_of(id);
  memory_.end(workgroups_->cohort(workgroup));
  checks_->ends(workgroup);
  const Objects& objects = setting_->objects;
  for (std::uint32_t i = 0; i < objects.count(); ++i) {
    const auto object = static_cast<ObjectId>(i);
    if (objects[object].of_workgroup) memory_.remove(objects.allocation(object, workgroup));
  }
  go_to_next_dispatch();
  admit_workgroups();
}

void Runner::go_to_next_dispatch() {
  // (A dispatch may have no workgroups.)
  while (workgroups_->dispatch() && workgroups_->dispatch_ends()) {
    if (!workgroups_->dispatch()) return;
    memory_.depend(memory::Dependency::Memory);
    tell_dispatch();
  }
}

bool Runner::is_allowed(const Operation& operation) {
  if (checks_->allows(operation)) return true;
  // No agent goes on.
  ready_.clear();
  is_over_ = true;
  return false;
}

void Runner::check_waits() {
  if (is_over_) return;
  std::vector<Stand> all;
  const auto waits = [&](const Running& one) { return one.standing == Standing::Arrived; };
  const auto first = std::find_if(agents_.begin(), agents_.end(), waits);
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    const Running& one = agents_[a];
    const auto id = static_cast<AgentId>(a);
    // At a barrier those of the workgroup wait for each other.
    if (first != agents_.end() && workgroups_ &&
        workgroups_->workgroup_of(id) != workgroups_->workgroup_of(static_cast<AgentId>(first - agents_.begin())))
      continue;
    const bool ended = one.standing == Standing::Ended;
    const bool finished = ended && ends_[a].state == explore::EndState::Finished;
    const bool spins = ended && ends_[a].state == explore::EndState::Spinning;
    all.push_back({id, finished, spins, one.last, waits(one)});
  }
  checks_->stands_still(all);
}

const std::vector<Finding>& Runner::findings() const {
  static const std::vector<Finding> kNothing;
  return checks_ ? checks_->findings() : kNothing;
}

}  // namespace heddle::run
