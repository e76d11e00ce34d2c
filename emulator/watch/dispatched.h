#pragma once

/// \file
/// Finds the dispatch and the invocation that an agent stands for.

#include <heddle/operation.h>
#include <heddle/report.h>

#include <vector>

#include "runtime/launch.h"

namespace heddle::watch {

/// The dispatches of a device, and where in them an agent is.
class Dispatched {
 public:
  /// Agents from `first` on are invocations of dispatch `number`.
  void begins(std::uint64_t number, std::uint32_t first, const runtime::Grid& grid);
  /// What has been dispatched so far is never asked for again.
  void forget() { dispatches_.clear(); }
  std::size_t count() const { return dispatches_.size(); }
  /// The number of the dispatch that the agent is in.
  std::uint64_t number_of(AgentId agent) const { return of(agent).number; }
  /// An access, without what was read and written.
  RacingAccess access(AgentId agent, const Operation& operation) const;

 private:
  struct Dispatch {
    std::uint64_t number = 0;
    std::uint32_t first_agent = 0;
    runtime::Grid grid;
    std::vector<std::uint32_t> positions;
  };
  const Dispatch& of(AgentId agent) const;

  std::vector<Dispatch> dispatches_;
};

}  // namespace heddle::watch
