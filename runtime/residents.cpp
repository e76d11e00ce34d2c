// Workgroups that become resident, and what they need: places, memory, slots. Nothing here is on the way of
// every invocation.

#include "runtime/scheduler.h"

#include <heddle/detail/check.h>

#include <algorithm>
#include <new>
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

Group* Worker::make_spare() {
  groups_.push_back(std::make_unique<Group>());
  return groups_.back().get();
}

void Worker::make_storage(Group& g) const {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = launch_->workgroup_memory_bytes;
  g.storage.reset(static_cast<std::byte*>(heap_take(std::max<std::size_t>(bytes, 1), kLine, true)));
  g.memory = g.storage.get();
  g.memory_bytes = g.memory ? bytes : 0;
  if (!g.memory) throw std::bad_alloc();
}

void Worker::make_slots(Group& g) const {
  g.slots.resize(g.size);
  g.details.resize(g.size);
  g.begin = g.slots.data();
}

[[gnu::hot]] void Worker::prepare_slots(Group& g) {
  if (g.slots.size() < g.size) [[unlikely]]
    make_slots(g);
  g.waited = true;
  g.end = g.begin + g.size;
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    slot->context = nullptr;
    slot->let_go();
    slot->state = SlotState::Unstarted;
    slot->wait = WaitKind::Nothing;
    slot->polled_in_round = 0;
  }
  g.barrier.phase = 0;
  forget_waits(g);
  if (launch_->choice) g.walk.begin(g.size, *launch_->choice);
}

void Worker::forget_arrivals(Group& g) {
  g.subgroup_arrived.clear();
  g.named.clear();
  g.at_rounds = 0;
}

/// No invocation has come to any barrier or subgroup operation yet.
void Worker::forget_waits(Group& g) {
  g.barrier.missing = g.size;
  if (!g.subgroup_arrived.empty() || !g.named.empty()) [[unlikely]]
    forget_arrivals(g);
  if (launch_->reconvergence != Reconvergence{} || g.routes.are_kept()) [[unlikely]]
    g.routes.begin(launch_->reconvergence, g.size);
  g.round = 1;
  g.cursor = 0;
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

std::uint64_t Worker::number(const Group& g) const {
  const uvec3& groups = launch_->grid.groups;
  return g.id.x + std::uint64_t{groups.x} * (g.id.y + std::uint64_t{groups.y} * g.id.z);
}

Fiber* Worker::running_fiber() const {
  if (in_ring()) return turns_.index() == 0 ? group_->driver_fiber : turns_.fiber(turns_.index());
  if (current_) return current_->fiber;
  return group_ ? group_->driver_fiber : nullptr;
}

}  // namespace heddle::runtime
