#include "emulator/queues/host_calls.h"

#include <algorithm>

namespace heddle::queues {

NodeId HostCalls::last(std::uint32_t thread, std::uint32_t operations) const {
  const std::vector<Made>& made = calls_[thread];
  const auto behind = std::upper_bound(made.begin(), made.end(), operations,
                                       [](std::uint32_t number, const Made& one) { return number < one.number; });
  if (behind == made.begin()) return kNoNode;
  const Made& found = *(behind - 1);
  return found.node == kNoNode ? order_.host_of(thread) : found.node;
}

void HostCalls::begin(const runtime::HostThreads::Call& call) {
  if (calls_.size() < call.clock.size()) calls_.resize(call.clock.size());
  std::vector<NodeId> after;
  for (std::uint32_t thread = 0; thread < call.clock.size(); ++thread)
    if (const NodeId node = last(thread, call.clock[thread]); node != kNoNode) after.push_back(node);
  std::vector<Made>& own = calls_[call.thread];
  if (!own.empty()) own.back().node = order_.host_of(call.thread);
  order_.host_is(call.thread, std::move(after));
  own.push_back({call.clock[call.thread], kNoNode});
}

}  // namespace heddle::queues
