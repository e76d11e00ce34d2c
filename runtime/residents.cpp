// Workgroups that become resident, and that end. Nothing here is on the way of every invocation.

#include "runtime/scheduler.h"

#include <heddle/detail/check.h>

#include <algorithm>
#include <thread>

namespace heddle::runtime {

// A worker that has nothing to do while others have as many residents as there may be. It counts
// among those that see no progress, so that these can tell when no worker sees any.
bool Worker::await_admission() {
  if (!counted_stale_) {
    counted_stale_ = true;
    dispatch_->stale.fetch_add(1);
  }
  while (!admission_.can_admit()) {
    if (!admission_.groups_left()) return false;
    std::this_thread::yield();
  }
  counted_stale_ = false;
  dispatch_->stale.fetch_sub(1);
  return true;
}

void Worker::remove_resident(Group& g) {
  const auto at = std::find(residents_.begin(), residents_.end(), &g);
  HEDDLE_CHECK(at != residents_.end(), "a workgroup ended that was not resident");
  residents_.erase(at);
}

/// Ends the invocations before `index` that ran as plain calls.
void Worker::finish_before(Group& g, std::uint32_t index) {
  for (std::uint32_t i = g.next_unstarted; i < index; ++i) {
    Slot* slot = g.begin + i;
    if (slot->state != SlotState::Unstarted) continue;
    if (launch_->choice) slot->place = g.walk.place_of(i);
    finish(g, slot);
  }
}

void Worker::last_finished(Group& g) {
  if (g.driver_lost) {
    retire(g);
  } else {
    complete_.push_back(&g);
  }
}

Fiber* Worker::running_fiber() const {
  if (in_ring()) return turns_.index() == 0 ? group_->driver_fiber : turns_.fiber(turns_.index());
  if (current_) return current_->fiber;
  return group_ ? group_->driver_fiber : nullptr;
}

}  // namespace heddle::runtime
