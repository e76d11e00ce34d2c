#include "runtime/scheduler.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {

namespace {

bool same_place(const char* file, std::uint32_t line, const SourceLocation& where) {
  return line == where.line && (file == where.file || std::strcmp(file, where.file) == 0);
}

}  // namespace

void Worker::barrier_slowly(const char* file, const char* function, std::uint32_t line) {
  Slot* self = current_;
  Group& g = *group_;
  if (g.in_ring) leave_ring(g, self);
  WorkgroupBarrier& barrier = g.barrier;
  if (barrier.missing == g.size) {
    barrier.where = {file, function, line};
  } else if (!same_place(file, line, barrier.where)) {
    // Wait where nobody will come: once all others wait, too, the divergence is reported.
    self->wait = WaitKind::WorkgroupBarrier;
    self->where = {file, function, line};
    self->phase = &kNeverPhase;
    self->seen = kNeverPhase;
    return suspend(self);
  }
  if (--barrier.missing == 0) {
    barrier.missing = g.size;
    ++barrier.phase;
    ++local_progress_;
    if (!launch_->choice) return;
    // Whoever came last has no right to go on first.
    self->phase = &kReadyPhase;
    self->seen = 0;
    return suspend_outside_ring(self);
  }
  self->phase = &barrier.phase;
  self->seen = barrier.phase;
  suspend(self);
}

void Worker::named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups) {
  Slot* self = current_;
  Group& g = *group_;
  if (g.in_ring) leave_ring(g, self);
  if (g.named.size() <= ordinal) g.named.resize(ordinal + 1);
  NamedBarrier& barrier = g.named[ordinal];
  barrier.lanes.resize(g.grid->subgroups);
  self->wait = WaitKind::NamedBarrier;
  self->where = where;
  g.detail(self).ordinal = ordinal;
  g.detail(self).subgroups = subgroups;
  self->phase = &kNeverPhase;
  self->seen = kNeverPhase;
  // Those that name another count wait for ever, and the divergence is reported.
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
  const auto subgroup_of = [&](const Slot* slot) {
    return g.grid->position(g.index_of(slot)) / g.grid->subgroup_size;
  };
  // A subgroup of which only some lanes have come stays for the next time.
  const auto whole = [&](std::uint32_t subgroup) {
    return barrier.lanes[subgroup] == g.grid->lanes(subgroup);
  };
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    if (slot->wait == WaitKind::NamedBarrier && *slot->phase == slot->seen &&
        g.detail(slot).ordinal == ordinal && g.detail(slot).subgroups == barrier.subgroups &&
        whole(subgroup_of(slot))) {
      slot->seen = 0;
      slot->phase = &kReadyPhase;
      slot->wait = WaitKind::Nothing;
    }
  }
  for (std::uint32_t s = 0; s < g.grid->subgroups; ++s) {
    if (whole(s)) barrier.lanes[s] = 0;
  }
  barrier.complete = 0;
  ++local_progress_;
}

// --- what templates call --------------------------------------------------------------------

void begin_waiting(Workgroup& group, std::uint32_t index, bool at_barrier) {
  worker_of_thread->begin_waiting(static_cast<Group&>(group), index, at_barrier);
}

// What every invocation pays at a barrier, so nothing here is more than it must be.
void workgroup_barrier(const char* file, const char* function, std::uint32_t line) {
  Worker& w = *worker_of_thread;
  Slot* self = w.current_;
  Group& g = *w.group_;
  SourceLocation& turn = g.barrier.where;
  if (!g.in_ring || w.exceptions_->caught || w.exceptions_->uncaught) [[unlikely]] {
    return w.barrier_slowly(file, function, line);
  }
  if (self == g.begin) [[unlikely]] {
    turn = {file, function, line};
  } else if (line != turn.line || file != turn.file) [[unlikely]] {
    return w.barrier_slowly(file, function, line);
  }
  Slot* next = self + 1;
  if (next == g.end) [[unlikely]] {
    next = g.begin;
    g.first_turn = false;
    ++w.local_progress_;
  }
  w.current_ = next;
  swap_context(&self->context, next->context);
  if (w.unwinding_) [[unlikely]] throw Unwind{};
}

void named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups) {
  worker_of_thread->named_barrier(where, ordinal, subgroups);
}

}  // namespace heddle::runtime
