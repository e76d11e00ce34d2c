#pragma once

/// \file
/// Calls of several host threads in the order of the API.

#include <utility>
#include <vector>

#include "emulator/queues/order.h"
#include "runtime/host_threads.h"

namespace heddle::queues {

/// Makes each call of a host thread a node of the order, behind the calls of other threads that happen before it.
class HostCalls {
 public:
  explicit HostCalls(Order& order) : order_(order) {}
  /// From now on the host is the thread that makes this call.
  void begin(const runtime::HostThreads::Call& call);

 private:
  struct Made {
    /// Its number among the operations of its thread.
    std::uint32_t number = 0;
    /// What the thread did until its next call; kNoNode of its last one.
    NodeId node = kNoNode;
  };
  /// What the last call of the thread among so many operations came to; kNoNode for none.
  NodeId last(std::uint32_t thread, std::uint32_t operations) const;

  Order& order_;
  /// By thread.
  std::vector<std::vector<Made>> calls_;
};

}  // namespace heddle::queues
