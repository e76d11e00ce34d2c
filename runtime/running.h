#pragma once

/// \file
/// What a thread is in.

#include "runtime/dispatch.h"
#include "runtime/group.h"

namespace heddle::runtime {

/// The dispatch, the workgroup and the invocation that a worker runs just now.
struct Running {
  /// Null between dispatches.
  Dispatch* dispatch = nullptr;
  const Launch* launch = nullptr;
  Group* group = nullptr;
  /// Null on a stack that runs no invocation, or plain calls only.
  Slot* slot = nullptr;

  bool is_in_workgroup() const { return dispatch != nullptr && group != nullptr; }
  bool is_in_ring() const { return group && group->in_ring; }
  bool has_failed() const { return dispatch->failed.load(std::memory_order_acquire); }
  /// Whether this worker knows already that the dispatch has failed; what another one found may come later.
  bool is_known_to_have_failed() const { return dispatch->failed.load(std::memory_order_relaxed); }
};

}  // namespace heddle::runtime
