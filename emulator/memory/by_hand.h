#pragma once

/// \file
/// A memory as a player by hand sees it.

#include <vector>

#include "emulator/memory/held.h"

namespace heddle::memory {

/// What the caches of a memory hold, and the moves that they make by themselves. To be asked between two operations.
class ByHand {
 public:
  virtual ~ByHand() = default;

  /// What waits in the order in which it came, then what was placed, granule by granule, oldest first.
  virtual std::vector<HeldWrite> held_writes() = 0;
  /// What the agent of `read`, which need not be executed, may be shown of those bytes, apart from writes of its own
  /// that wait. They lie in one granule.
  virtual HeldCopy held_copy(const Operation& read) = 0;
  /// Moves the write one level on, as an eviction does; false if it does not wait, and everybody can reach it.
  virtual bool deliver(trace::OperationIndex write) = 0;
  /// The agent gives up its copy of those bytes: its next read takes the newest that it can reach. False if it has
  /// nothing older.
  virtual bool invalidate(const Operation& read) = 0;

  /// Whether `serve` can have a read of those bytes answered with what that write left (model::kInitialValue: with what
  /// was there to begin with): it is remembered, has a place in the order, and reaches the agent.
  virtual bool can_serve(const Operation& read, trace::OperationIndex write) = 0;
  /// The next read or update is answered with what that write left, be it older than what the memory would keep. An
  /// exception from its promise: the caller sees to it that the execution stays consistent.
  virtual void serve(trace::OperationIndex write) = 0;
};

}  // namespace heddle::memory
