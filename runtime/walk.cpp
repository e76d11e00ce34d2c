// Who goes on in emulated mode, where mostly an oracle decides: the usual ways, at the price of little more than
// the switch, which the kernel makes itself (heddle/detail/switch.h) so that nothing is on its stack but its own
// frame.

#include "runtime/scheduler.h"

#include <numeric>

namespace heddle::runtime {

void Walk::begin(std::uint32_t size, Choice& choice) {
  size_ = size;
  stride_ = 0;
  index_ = 0;
  left_out_.assign(size / 64 + 1, 0);
  if (size == 1) return;
  stride_ = 1 + choice.below(size - 1, ChoicePoint::Invocation);
  while (std::gcd(stride_, size) != 1) stride_ = stride_ % (size - 1) + 1;
  jump(choice);
}

namespace {

// Which invocation comes two and one turns later is known: its slot, and then the hot end of its stack,
// are asked for in time.
[[gnu::always_inline]] inline void prefetch_walk(const Group& g) {
  const auto* end = static_cast<const std::byte*>(g.begin[g.walk.index()].context);
  constexpr int kHotLines = 3;
  for (int line = 0; line < kHotLines; ++line) __builtin_prefetch(end + 64 * line);
  __builtin_prefetch(g.begin + g.walk.after(g.walk.index()));
}

}  // namespace

Slot* Worker::ready_in_walk(Group& g) {
  for (std::uint32_t k = 0; k < g.size; ++k) {
    const std::uint32_t index = g.walk.index();
    g.walk.step();
    if (g.walk.leaves_out(index)) continue;
    Slot* slot = g.begin + index;
    if (!g.is_ready(*slot)) continue;
    prefetch_walk(g);
    return slot;
  }
  return nullptr;
}

/// Whether nothing is going on that only `suspend_outside_ring` knows how to deal with.
bool Worker::can_hand_over() const {
  return HEDDLE_INLINE_SWITCH && !kSanitized && complete_.empty() && exceptions_->none() && !ring_.unwinding &&
         !dispatch_->failed.load(std::memory_order_relaxed);
}

/// From `self`, which has said what it waits for, to one that can go on.
Handover Worker::hand_over(Slot* self, Group& g, Slot* next) {
  if (next->state == SlotState::Unstarted)
    return {&self->context, make_way({Pick::Start, g.index_of(next), &g}).first};
  group_ = &g;
  current_ = next;
  if (next == self) return {};
  return {&self->context, next->context};
}

/// Any resident may be next: `turn_` says which. False if it is one that is not resident yet.
bool Worker::choose_group() {
  const auto residents = static_cast<std::uint32_t>(residents_.size());
  const std::uint32_t options = residents + (can_admit() ? 1 : 0);
  turn_ = 0;
  if (options > 1) {
    const std::uint32_t chosen = launch_->choice->below(options, ChoicePoint::Workgroup);
    if (chosen == residents) return false;
    turn_ = chosen;
  }
  if (residents != 0 && residents_[turn_]->waited) residents_[turn_]->walk.jump(*launch_->choice);
  return true;
}

Handover Worker::walk_to_barrier(const SourceLocation& where) {
  if (in_ring() || !can_hand_over()) {
    workgroup_barrier(where);
    return {};
  }
  Slot* self = current_;
  Group& g = *group_;
  switch (come_to_barrier(g, self, where)) {
    case AtBarrier::Elsewhere: suspend(self); return {};
    case AtBarrier::GoesOn: return {};
    case AtBarrier::Waits: break;
  }
  Slot* next = launch_->choice ? ready_in_walk(g) : ready_in(g, (g.index_of(self) + 1) % g.size);
  if (next) return hand_over(self, g, next);
  suspend_outside_ring(self);
  return {};
}

Handover Worker::preempt(const SourceLocation& where) {
  Slot* self = outside_ring();
  self->wait = WaitKind::Preempted;
  self->where = where;
  self->let_go();
  if (!launch_->choice || !can_hand_over()) {
    suspend_outside_ring(self, Turn::Anywhere);
    return {};
  }
  if (!choose_group()) return {&self->context, make_way({Pick::Admit, 0, nullptr}).first};
  Group& g = *residents_[turn_];
  if (Slot* next = g.waited ? ready_in_walk(g) : nullptr) return hand_over(self, g, next);
  Pick next = pick_in_turn(self);
  if (next.kind == Pick::Nothing) next = pick(self, Turn::Anywhere);
  if (ring_.unwinding) throw Unwind{};
  if (next.kind == Pick::Resume) return hand_over(self, *next.group, next.slot());
  return {&self->context, make_way(next).first};
}

Handover walk_to_barrier(const char* file, const char* function, std::uint32_t line) {
  return worker_of_thread->walk_to_barrier({file, function, line});
}

Handover preempt(const SourceLocation& where) { return worker_of_thread->preempt(where); }

}  // namespace heddle::runtime
