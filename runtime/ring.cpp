// A workgroup as a ring: the fast way to run kernels whose invocations all come to the same
// barriers.
//
// The invocations take turns in the order of their numbers. In a turn each of them runs from where
// it waits to the next barrier, and there hands over to the next; when the last one has come to the
// barrier, all have, and the first one goes on with the next turn. So nobody counts who has come,
// and nobody looks for somebody who can go on. The first turn starts the invocations, the last one
// ends them; between workgroups the fibers wait in the ring, inside of the function that runs the
// kernel (detail::run_native_turns in heddle/host.h), so that starting an invocation is the same switch as
// going on after a barrier, and nothing is called or returned from.
//
// As soon as an invocation does anything else (ends while others are at a barrier, comes to another
// barrier, polls, throws ...) the ring is given up: slots are made that say where each invocation
// stands, and the scheduler goes on with the workgroup.

#include "runtime/scheduler.h"

namespace heddle::runtime {

void Worker::begin_ring(Group& g) {
  g.waited = true;
  g.in_ring = true;
  g.first_turn = true;
  if (ring_size_ != g.size) {
    give_ring_back();
    ring_size_ = g.size;
    ring_contexts_.assign(g.size + kAhead, nullptr);
    ring_fibers_.assign(g.size, nullptr);
    for (std::uint32_t i = 1; i < g.size; ++i) {
      ring_fibers_[i] = take_fiber();
      ring_contexts_[i] = ring_fibers_[i]->parked;
    }
  }
  ring_.begin = ring_.current = ring_contexts_.data();
  ring_.last = ring_.begin + g.size - 1;
  ring_.line = kNowhere;
  // What new fibers, and those that wait between workgroups, do when they are switched to.
  ring_.next = &g;
  job_ = {Pick::Ring, &g, nullptr};
}

/// The first invocation, which runs on the workgroup's own stack, has ended: the last turn.
void Worker::end_ring(Group& g) {
  if (g.first_turn || ring_.unwinding) return leave_ring(g);
  ring_.line = kTheEnd;
  ring_.current = ring_.begin + 1;
  swap_context(&g.driver, *ring_.current);
  g.driver = nullptr;
  if (!g.in_ring) return;
  forget_ring(g);
  g.finished = g.size;
  g.kept_step = true;
}

/// The slow form of a turn; kernels do the same inline (heddle/detail/switch.h).
void Worker::take_turn(Group& g, const SourceLocation& where) {
  Context* const self = ring_.current;
  ring_.file = where.file;
  ring_.function = where.function;
  ring_.line = where.line;
  if (self == ring_.last) {
    ring_.current = ring_.begin;
    g.first_turn = false;
    ++local_progress_;
  } else {
    ring_.current = self + 1;
  }
  swap_context(self, *ring_.current);
  if (ring_.unwinding) throw Unwind{};
}

/// The slow form of the last turn.
bool Worker::invocation_ended() {
  if (!in_ring() || ring_.line != kTheEnd) return false;
  Context* const self = ring_.current;
  if (self == ring_.last) {
    swap_context(self, group_->driver);
  } else {
    ring_.current = self + 1;
    swap_context(self, *ring_.current);
  }
  return true;
}

void Worker::forget_ring(Group& g) {
  g.in_ring = false;
  ring_.line = kNowhere;
  ring_.next = nullptr;
}

/// The running invocation is out of step.
void Worker::leave_ring(Group& g) {
  const std::uint32_t irregular = turn_index();
  const std::uint32_t line = ring_.line;
  const bool ending = line == kTheEnd;
  forget_ring(g);
  if (g.slots.size() < g.size) g.slots.resize(g.size);
  if (g.details.size() < g.size) g.details.resize(g.size);
  g.begin = g.slots.data();
  g.end = g.begin + g.size;
  g.barrier.where = {ring_.file, ring_.function, line};
  forget_waits(g);
  for (std::uint32_t i = 0; i < g.size; ++i) {
    Slot* slot = g.begin + i;
    *slot = {};
    slot->let_go();
    slot->state = SlotState::Started;
    slot->context = ring_contexts_[i];
    slot->fiber = i == 0 ? g.driver_fiber : ring_fibers_[i];
    const bool done = i < irregular && ending;
    const bool unstarted = i > irregular && g.first_turn;
    if (done || unstarted) {
      if (i != 0) park_from_ring(i);
      slot->fiber = nullptr;
      slot->context = nullptr;
    }
    if (done) {
      slot->state = SlotState::Finished;
      slot->hold();
      ++g.finished;
    } else if (unstarted) {
      slot->state = SlotState::Unstarted;
    } else if (i < irregular) {
      slot->phase = &g.barrier.phase;
      slot->seen = g.barrier.phase;
      --g.barrier.missing;
    }
  }
  ring_size_ = 0;
  current_ = g.begin + irregular;
}

Slot* Worker::outside_ring() {
  if (in_ring()) leave_ring(*group_);
  return current_;
}

/// The fiber is at nothing, but may be inside a kernel's code, which may be gone before it is
/// wanted again: it returns from there.
void Worker::park_from_ring(std::uint32_t index) {
  const Pick job = job_;
  job_ = {Pick::Park, nullptr, nullptr};
  fresh_ = ring_fibers_[index];
  swap_context(&asker_, ring_contexts_[index]);
  job_ = job;
}

void Worker::give_ring_back() {
  for (std::uint32_t i = 1; i < ring_size_; ++i) park_from_ring(i);
  ring_size_ = 0;
}

}  // namespace heddle::runtime
