#include "runtime/scheduler.h"

#include <algorithm>
#include <cstring>
#include <numeric>

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
    tell_meeting(g, 0, g.size);
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

/// Tells the observer, if there is one, that invocations with numbers from `first` on meet.
void Worker::tell_meeting(Group& g, std::uint32_t first, std::uint32_t count) {
  if (!launch_->observer) return;
  meeting_.resize(count);
  std::iota(meeting_.begin(), meeting_.end(), first);
  launch_->observer->invocations_meet(g, meeting_);
}

void Worker::named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups) {
  Slot* self = outside_ring();
  Group& g = *group_;
  if (g.named.size() <= ordinal) g.named.resize(ordinal + 1);
  NamedBarrier& barrier = g.named[ordinal];
  barrier.lanes.resize(g.grid->subgroups);
  self->wait = WaitKind::NamedBarrier;
  self->where = where;
  g.detail(self).ordinal = ordinal;
  g.detail(self).subgroups = subgroups;
  self->hold();
  // Subgroups that name another count wait for ever, and the divergence is reported.
  if (barrier.subgroups == 0) barrier.subgroups = subgroups;
  if (barrier.subgroups == subgroups) {
    const std::uint32_t subgroup = g.grid->position(g.index_of(self)) / g.grid->subgroup_size;
    if (++barrier.lanes[subgroup] == g.grid->lanes(subgroup)) ++barrier.complete;
    if (barrier.complete == subgroups) complete_named_barrier(g, ordinal);
  }
  if (launch_->choice) return suspend_outside_ring(self);
  suspend(self);
}

void Worker::complete_named_barrier(Group& g, std::uint32_t ordinal) {
  NamedBarrier& barrier = g.named[ordinal];
  const auto subgroup_of = [&](const Slot* slot) { return g.grid->position(g.index_of(slot)) / g.grid->subgroup_size; };
  // A subgroup of which only some lanes have come stays for the next time.
  const auto whole = [&](std::uint32_t subgroup) { return barrier.lanes[subgroup] == g.grid->lanes(subgroup); };
  meeting_.clear();
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    if (slot->wait == WaitKind::NamedBarrier && !slot->can_go_on() && g.detail(slot).ordinal == ordinal &&
        g.detail(slot).subgroups == barrier.subgroups && whole(subgroup_of(slot))) {
      slot->let_go();
      slot->wait = WaitKind::Nothing;
      meeting_.push_back(g.index_of(slot));
    }
  }
  if (launch_->observer) launch_->observer->invocations_meet(g, meeting_);
  for (std::uint32_t s = 0; s < g.grid->subgroups; ++s) {
    if (whole(s)) barrier.lanes[s] = 0;
  }
  barrier.complete = 0;
  ++local_progress_;
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

void named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups) {
  worker_of_thread->named_barrier(where, ordinal, subgroups);
}

}  // namespace heddle::runtime
