#include "runtime/scheduler.h"

namespace heddle::runtime {

void Worker::workgroup_barrier(const SourceLocation& where) {
  Group& g = *group_;
  if (g.in_ring && turns_.is_regular(where, where.line)) {
    turns_.leads_to(where, where.line);
    return take_turn(g);
  }
  Slot* self = outside_ring();
  if (come_to_barrier(g, self, where) != AtBarrier::GoesOn) suspend_outside_ring(self);
}

/// Whether `self` waits there until the last one has come, or, with all, goes on at once, or is at another
/// barrier than the others.
Worker::AtBarrier Worker::come_to_barrier(Group& g, Slot* self, const SourceLocation& where) {
  WorkgroupBarrier& barrier = g.barrier;
  if (barrier.missing == g.size) {
    barrier.where = where;
  } else if (!same_place(where, barrier.where)) {
    // Wait where no other will come: once all others wait, too, the divergence is reported.
    self->wait = WaitKind::WorkgroupBarrier;
    self->where = where;
    self->hold();
    return AtBarrier::Elsewhere;
  }
  if (--barrier.missing == 0) {
    meetings_.tell(g, 0, g.size);
    barrier.missing = g.size;
    if (g.routes.are_kept()) [[unlikely]]
      g.routes.all_meet();
    ++barrier.phase;
    ++local_progress_;
    if (!launch_->choice) return AtBarrier::GoesOn;
    g.walk.begin(g.size, *launch_->choice);
    // The invocation that came last has no right to go on first.
    self->let_go();
    return AtBarrier::Waits;
  }
  barrier.hold(*self);
  leave_out(g, self);
  return AtBarrier::Waits;
}

// --- what templates call --------------------------------------------------------------------

void workgroup_barrier(const char* file, const char* function, std::uint32_t line) {
  worker_of_thread->workgroup_barrier({file, function, line});
}

bool invocation_ended() {
  return worker_of_thread->invocation_ended();
}

void unwind() {
  worker_of_thread->unwind();
}

}  // namespace heddle::runtime
