#include "emulator/litmus/vulkan/host_agent.h"

namespace heddle::litmus {

explore::Step HostAgent::next(explore::Value last_read) {
  if (at_ > 0 && planned_.operations[at_ - 1].reads()) value_ = last_read;
  explore::Step step;
  step.later = &later_[at_];
  // A thread's last result is where it divided by zero.
  step.results = {value_, 0};
  if (at_ == planned_.operations.size()) return step;
  step.kind = explore::StepKind::Operation;
  step.operation = planned_.operations[at_++];
  step.written = value_;
  return step;
}

std::vector<explore::Later> later_of(const PlannedAgent& planned) {
  std::vector<explore::Later> later(planned.operations.size() + 1);
  for (std::size_t at = planned.operations.size(); at-- > 0;) {
    later[at] = later[at + 1];
    const Operation& operation = planned.operations[at];
    if (operation.is_access())
      later[at].accesses.push_back(
          {operation.locations, operation.reference, operation.writes(), operation.is_non_private(), operation.tags});
  }
  return later;
}

}  // namespace heddle::litmus
