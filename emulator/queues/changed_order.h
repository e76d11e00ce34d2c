#pragma once

/// \file
/// Tries a change of what orders two accesses.

#include "emulator/queues/order.h"

namespace heddle::queues {

/// A copy of an order, of which something is changed for two accesses. Each change is one that a proposal to the user
/// names; `holds` is whether nothing is missing with it.
class ChangedOrder {
 public:
  ChangedOrder(const Order& order, const Access& earlier, const Access& later)
      : order_(order), x_(earlier), y_(later) {}

  bool holds() const { return order_.find_missing(x_, y_) == Missing::Nothing; }

  /// More accesses in the masks of a barrier.
  ChangedOrder& add_accesses(NodeId node, model::Accesses source, model::Accesses destination);
  /// The stage of the first access in the source mask, or that of the second in the destination mask.
  ChangedOrder& add_stage(NodeId node, bool to_source);
  /// The signal of a semaphore, and a wait for it, have the stages of the accesses.
  ChangedOrder& add_stages(NodeId signal, NodeId wait);
  /// A barrier of all memory.
  ChangedOrder& name_all_memory(NodeId node);
  /// Between the two commands.
  ChangedOrder& record_barrier();
  /// Directly behind the first command.
  ChangedOrder& record_barrier_behind();
  /// Directly before the second command.
  ChangedOrder& record_barrier_before();
  /// From the queue of the first command to that of the second.
  ChangedOrder& signal_semaphore();
  /// For the first fence or semaphore behind the first command, or for a new fence, in front of the second access.
  ChangedOrder& wait_for_fence();
  /// The first access is in front of the submission of the second.
  ChangedOrder& submit_behind();
  /// Behind the first access.
  ChangedOrder& flush();
  /// In front of the second access.
  ChangedOrder& invalidate();
  /// A release directly behind the first command, an acquire directly before the second.
  ChangedOrder& transfer_ownership();

 private:
  Node barrier() const;
  Node of_bytes(NodeKind kind, const Access& access) const;

  Order order_;
  const Access x_;
  const Access y_;
};

}  // namespace heddle::queues
