#pragma once

/// \file
/// Finds the dispatch and the invocation that an agent stands for.

#include <heddle/operation.h>
#include <heddle/report.h>

#include <deque>
#include <vector>

#include "emulator/trace/dispatch.h"

namespace heddle::trace {
class Instructions;
}

namespace heddle::run {

/// The dispatches of a device, and where in them an agent is.
class Dispatched {
 public:
  /// `instructions` must outlive it.
  explicit Dispatched(const trace::Instructions& instructions) : instructions_(instructions) {}

  void begins(const trace::Dispatch& dispatch);
  /// What has been dispatched so far is never asked for again.
  void forget() {
    dispatches_.clear();
    positions_.clear();
  }
  /// The one that began last; there is one.
  const trace::Dispatch& last() const { return dispatches_.back(); }
  std::size_t count() const { return dispatches_.size(); }
  /// The number of the dispatch that the agent is in.
  std::uint64_t number_of(AgentId agent) const { return of(agent).number; }
  /// An access, without what was read and written.
  RacingAccess access(AgentId agent, const Operation& operation) const;

 private:
  const trace::Dispatch& of(AgentId agent) const;

  const trace::Instructions& instructions_;
  std::vector<trace::Dispatch> dispatches_;
  /// The positions of each, to which it refers.
  std::deque<std::vector<std::uint32_t>> positions_;
};

}  // namespace heddle::run
