// Who goes on in emulated mode, where mostly an oracle decides: the usual ways, at the price of little more than
// the switch, which the kernel makes itself (heddle/detail/switch.h) so that nothing is on its stack but its own
// frame.

#include "runtime/scheduler.h"

#include <utility>

namespace heddle::runtime {

namespace {

/// The inverse of `a` modulo `n`; 0 if there is none.
std::uint32_t inverse(std::uint32_t a, std::uint32_t n) {
  std::int64_t coefficient = 1;
  std::int64_t last_coefficient = 0;
  std::uint32_t rest = a;
  std::uint32_t last_rest = n;
  while (rest != 0) {
    const std::uint32_t quotient = last_rest / rest;
    last_rest = std::exchange(rest, last_rest - quotient * rest);
    last_coefficient = std::exchange(coefficient, last_coefficient - quotient * coefficient);
  }
  if (last_rest != 1) return 0;
  return static_cast<std::uint32_t>(last_coefficient < 0 ? last_coefficient + n : last_coefficient);
}

}  // namespace

void Walk::begin_in_order_of(Choice& choice) {
  stride_ = 1 + choice.below(size_ - 1, ChoicePoint::Invocation);
  while ((inverse_ = inverse(stride_, size_)) == 0) stride_ = stride_ % (size_ - 1) + 1;
  first_ = choice.below(size_, ChoicePoint::Invocation);
  begin_at_first();
}

void Walk::look_at_all_of_another_size() {
  left_.resize(size_ / 64 + 1);
  look_at_all();
}

std::uint32_t Walk::first_from(std::uint32_t place) const {
  std::size_t word = place / 64;
  std::uint64_t bits = left_[word] & ~std::uint64_t{0} << place % 64;
  while (bits == 0) {
    if (++word == left_.size()) return size_;
    bits = left_[word];
  }
  return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
}

/// Whether nothing is going on that only `suspend_outside_ring` knows how to deal with.
bool Worker::can_hand_over() const {
  return HEDDLE_INLINE_SWITCH && !kSanitized && !residents_.has_complete() && exceptions_->none() && !is_unwinding() &&
         !now_.is_known_to_have_failed();
}

/// From `self`, which has said what it waits for, to one that can go on.
[[gnu::always_inline]] inline Handover Worker::hand_over(Slot* self, Group& g, Slot* next) {
  if (next->state == SlotState::Unstarted) return start(self, g, next);
  now_.group = &g;
  now_.slot = next;
  if (next == self) return {};
  return {&self->context, next->context};
}

Handover Worker::start(Slot* self, Group& g, Slot* next) {
  if (!stacks_.fibers().has_parked() && !make_fiber()) {
    suspend_outside_ring(self);
    return {};
  }
  return {&self->context, stacks_.take_for({Pick::Start, g.index_of(next), &g})->parked};
}

// What is rarely called is called last, so that nothing needs to be kept for afterwards. (A member function that is
// inlined here would not do: its calls would come before the copy of what they return.)
Handover walk_to_barrier(const char* file, const char* function, std::uint32_t line) {
  Worker& worker = *worker_of_thread;
  Group& g = *worker.now_.group;
  WorkgroupBarrier& barrier = g.barrier;
  // One comes first, and one last.
  const bool usual = worker.can_walk() && barrier.missing != g.size && barrier.missing != 1 &&
                     barrier.where.line == line && barrier.where.file == file;
  if (!usual) [[unlikely]]
    return worker.wait_at_barrier(file, function, line);
  Slot* self = worker.now_.slot;
  --barrier.missing;
  barrier.hold(*self);
  g.walk.leave_out(self->place);
  Slot* next = g.next_in_walk();
  if (!next) [[unlikely]]
    return worker.hand_over_behind(self);
  if (next->state == SlotState::Unstarted) return worker.start(self, g, next);
  worker.now_.slot = next;
  return {&self->context, next->context};
}

/// Hands over to the invocation that the walk leads to.
Handover Worker::hand_over_behind(Slot* self) {
  Group& g = *now_.group;
  if (Slot* next = g.ready_behind()) return hand_over(self, g, next);
  suspend_outside_ring(self);
  return {};
}

Handover Worker::wait_at_barrier(const char* file, const char* function, std::uint32_t line) {
  const SourceLocation where{file, function, line};
  if (now_.is_in_ring() || !can_hand_over()) {
    workgroup_barrier(where);
    return {};
  }
  Slot* self = now_.slot;
  Group& g = *now_.group;
  const Meetings::AtBarrier at = meetings_.come_to_workgroup_barrier(g, *self, where);
  if (at == Meetings::AtBarrier::Elsewhere) {
    suspend(self);
    return {};
  }
  if (at == Meetings::AtBarrier::Opens) {
    patience_.note_progress();
    if (!now_.launch->choice) return {};
  }
  if (now_.launch->choice) return hand_over_behind(self);
  if (Slot* next = g.ready_from((g.index_of(self) + 1) % g.size)) return hand_over(self, g, next);
  suspend_outside_ring(self);
  return {};
}

[[gnu::always_inline]] inline Handover Worker::preempt(const char* file, const char* function, std::uint32_t line) {
  Slot* self = outside_ring();
  self->wait = WaitKind::Preempted;
  self->where = {file, function, line};
  self->let_go();
  Group& left = *now_.group;
  if (left.routes.are_kept()) [[unlikely]]
    left.routes.comes_by(left.index_of(self), self->where);
  if (adversary_.is_there()) [[unlikely]]
    adversary_.turn_ends(residents_.all(), left, *self, false);
  rounds_.note_interruption(residents_.all());
  if (!can_walk()) [[unlikely]] {
    suspend_outside_ring(self, Turn::Anywhere);
    return {};
  }
  if (!residents_.choose(*now_.launch->choice, admission_))
    return {&self->context, stacks_.make_way({Pick::Admit, 0, nullptr}).first};
  Group& g = residents_.in_turn();
  if (Slot* next = g.waited ? g.ready_in_walk() : nullptr) return hand_over(self, g, next);
  return hand_over_elsewhere(self);
}

/// Hands over where no invocation of the chosen workgroup is ready.
Handover Worker::hand_over_elsewhere(Slot* self) {
  Pick next = pick_in_turn(self);
  if (next.kind == Pick::Nothing) next = pick(self, Turn::Anywhere);
  if (is_unwinding()) unwind();
  if (next.kind == Pick::Resume) return hand_over(self, *next.group, next.slot());
  return {&self->context, stacks_.make_way(next).first};
}

[[gnu::hot]] Handover preempt(const char* file, const char* function, std::uint32_t line) {
  return worker_of_thread->preempt(file, function, line);
}

}  // namespace heddle::runtime
