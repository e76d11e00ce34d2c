#include <algorithm>

#include "emulator/explore/explorer.h"

/// \file
/// What has to come before an agent starts, and before it makes a call.

namespace heddle::explore {

bool Explorer::have_come(const std::vector<Point>& points) const {
  return std::all_of(points.begin(), points.end(), [&](Point point) {
    if (point >= agents_.size()) return calls_[point - agents_.size()] != model::kInitialValue;
    return agents_[point].status == Status::Ended && step(point).kind == StepKind::Finished;
  });
}

// Whether the next step of an agent need not wait for another agent's end, or for a call.
bool Explorer::may_step(std::size_t agent) const {
  if (agents_[agent].status != Status::Ready) return false;
  const Point call = step(agent).kind == StepKind::Operation ? step(agent).call : kNoPoint;
  if (call != kNoPoint && !have_come(program_.calls[call - agents_.size()].after)) return false;
  return agents_[agent].node != TraceTree::kRoot || have_come(program_.agents[agent].after);
}

// What the operation that came last waited for system-synchronizes with it.
//= vk:memory-model-system-synchronizes-with
void Explorer::note_synchronization(std::size_t agent) {
  const auto last = static_cast<model::OperationIndex>(execution_.operations.size() - 1);
  auto& pairs = execution_.system_synchronization;
  for (const Point point : program_.agents[agent].after)
    if (point >= agents_.size()) pairs.emplace_back(calls_[point - agents_.size()], last);
  const Point call = step(agent).call;
  if (call == kNoPoint) return;
  for (const Point point : program_.calls[call - agents_.size()].after) {
    if (point >= agents_.size()) {
      pairs.emplace_back(calls_[point - agents_.size()], last);
      continue;
    }
    for (model::OperationIndex earlier = 0; earlier < last; ++earlier)
      if (static_cast<std::size_t>(execution_.operations[earlier].agent) == point) pairs.emplace_back(earlier, last);
  }
}

}  // namespace heddle::explore
