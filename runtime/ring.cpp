// A workgroup as a ring: the fast way to run kernels whose invocations all come to the same
// barriers.
//
// The invocations take turns in the order of their numbers. In a turn each of them runs from where
// it waits to the next barrier, and there hands over to the next; when the last one has come to the
// barrier, all have, and the first one goes on with the next turn. So nobody counts who has come,
// and nobody looks for somebody who can go on. The first turn starts the invocations, the last one
// ends them; between workgroups the fibers wait in the slots, so that starting an invocation is
// the same switch as going on after a barrier.
//
// What a fiber of the ring does is in Worker::fiber_loop. As soon as an invocation does anything else (ends while others are at a barrier, comes to another
// barrier, polls, throws ...) the ring is given up: each slot is told where its invocation stands,
// and the scheduler goes on with the workgroup.

#include "runtime/scheduler.h"

namespace heddle::runtime {

void Worker::begin_ring(Group& g) {
  g.waited = true;
  if (ring_size_ != g.size) {
    give_ring_back();
    ring_size_ = g.size;
    ring_.resize(g.size + 1);  // one more, for those who look ahead
    for (std::uint32_t i = 1; i < g.size; ++i) {
      Fiber* fiber = take_fiber();
      ring_[i].fiber = fiber;
      ring_[i].context = fiber->parked;
    }
  }
  g.begin = ring_.data();
  g.end = g.begin + g.size;
  g.begin->fiber = g.driver_fiber;
  g.ring.active = true;
  g.ring.begin = g.begin;
  g.ring.last = g.end - 1;
  g.ring.turn = {};
  g.first_turn = true;
  // What new fibers, and those that wait between workgroups, do when they are switched to.
  job_ = {Pick::Ring, &g, nullptr};
  current_ = g.begin;
}

/// The first invocation, which runs on the workgroup's own stack, has ended: the last turn.
void Worker::end_ring(Group& g) {
  if (g.first_turn || unwinding_) return leave_ring(g, g.begin);
  g.ring.turn = {};
  current_ = g.begin + 1;
  swap_context(&g.driver, current_->context);
  g.driver = nullptr;
  if (g.ring.active) g.finished = g.size;
}

/// The slow form of a turn; kernels do the same inline (heddle/detail/invocation.h).
void Worker::take_turn(Group& g, Slot* self, const SourceLocation& where) {
  if (self == g.begin) g.ring.turn = where;
  Slot* next = self + 1;
  if (next == g.end) {
    next = g.begin;
    g.first_turn = false;
    ++local_progress_;
  }
  current_ = next;
  swap_context(&self->context, next->context);
  if (unwinding_) throw Unwind{};
}

void Worker::leave_ring(Group& g, Slot* irregular) {
  g.ring.active = false;
  g.barrier.where = g.ring.turn;
  g.slots.swap(ring_);
  ring_size_ = 0;
  g.details.resize(g.size);
  forget_waits(g);
  const bool ending = g.ring.turn.line == 0 && !g.first_turn;
  const auto set_free = [&](Slot* slot) {
    if (slot != g.begin) {
      slot->fiber->parked = slot->context;
      park(slot->fiber);
    }
    slot->fiber = nullptr;
    slot->context = nullptr;
  };
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    slot->wait = WaitKind::Nothing;
    slot->polled_in_round = 0;
    slot->let_go();
    slot->state = SlotState::Started;
    slot->where = {};
    if (slot < irregular && ending) {
      set_free(slot);
      slot->state = SlotState::Finished;
      slot->hold();
      ++g.finished;
    } else if (slot < irregular) {
      slot->phase = &g.barrier.phase;
      slot->seen = g.barrier.phase;
      --g.barrier.missing;
    } else if (slot > irregular && g.first_turn) {
      set_free(slot);
      slot->state = SlotState::Unstarted;
    }
  }
}

/// Takes the fibers out of the ring.
void Worker::give_ring_back() {
  for (std::uint32_t i = 1; i < ring_size_; ++i) {
    ring_[i].fiber->parked = ring_[i].context;
    park(ring_[i].fiber);
  }
  ring_size_ = 0;
}

}  // namespace heddle::runtime
