#include "runtime/scheduler.h"

namespace heddle::runtime {

void Worker::workgroup_barrier(const SourceLocation& where) {
  Group& g = *now_.group;
  if (g.in_ring && rings_.wait_in_turn(g, where)) {
    if (is_unwinding()) unwind();
    return;
  }
  Slot* self = outside_ring();
  const Meetings::AtBarrier at = meetings_.come_to_workgroup_barrier(g, *self, where);
  if (at == Meetings::AtBarrier::Opens) patience_.note_progress();
  // Where an oracle decides, the invocation that came last has no right to go on first.
  if (at != Meetings::AtBarrier::Opens || now_.launch->choice) suspend_outside_ring(self);
}

// --- what templates call --------------------------------------------------------------------

void workgroup_barrier(const char* file, const char* function, std::uint32_t line) {
  worker_of_thread->workgroup_barrier({file, function, line});
}

bool invocation_ended() {
  return worker_of_thread->rings_.invocation_ended();
}

void unwind() {
  worker_of_thread->unwind();
}

}  // namespace heddle::runtime
