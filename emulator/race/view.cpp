#include "emulator/race/view.h"

#include <algorithm>

namespace heddle::race {

Reach reach_of(Scope scope) {
  switch (scope) {
    case Scope::Invocation: return kOwn;
    case Scope::Subgroup: return kSubgroup;
    case Scope::Workgroup: return kWorkgroup;
    case Scope::ShaderCallKHR:
    case Scope::FragmentInterlock:
    case Scope::QueueFamily: return kQueueFamily;
    case Scope::Device: return kDevice;
    case Scope::CrossDevice: return kEverywhere;
  }
  return kEverywhere;
}

void Visible::join(const Visible& other) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    available[i].join(other.available[i]);
    own[i].join(other.own[i]);
  }
}

void ClassView::join(const ClassView& other, bool same_workgroup, bool same_subgroup) {
  before.join(other.before);
  for (std::size_t c = 0; c < kClasses; ++c)
    for (std::size_t i = 0; i < kReaches; ++i) available[c][i].join(other.available[c][i]);
  if (same_workgroup) {
    in_workgroup.join(other.in_workgroup);
    in_workgroup.join(other.seen);
  }
  if (same_subgroup) {
    in_subgroup.join(other.in_subgroup);
    in_subgroup.join(other.seen);
  }
}

void ClassView::summarize(GroupId group, std::size_t own_class) {
  read_then_write = before.everybody(group);
  // What is available to a wider domain than the workgroup's is so to the workgroup's.
  const Stamp made = available[own_class][kWorkgroup].everybody(group);
  write_then_write = std::min(read_then_write, made);
  write_then_read = std::min(read_then_write, seen.available[kWorkgroup].everybody(group));
}

void SystemView::join(const SystemView& other) {
  before.join(other.before);
  for (std::size_t i = 0; i < available.size(); ++i) {
    available[i].join(other.available[i]);
    seen[i].join(other.seen[i]);
  }
}

}  // namespace heddle::race
