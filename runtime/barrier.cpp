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
  if (g.named.size() <= ordinal) g.named.resize(ordinal + 1);
  NamedBarrier& barrier = g.named[ordinal];
  barrier.lanes.resize(g.grid->subgroups);
  const std::uint32_t subgroup = g.grid->position(g.index_of(self)) / g.grid->subgroup_size;
  if (++barrier.lanes[subgroup] == g.grid->lanes(subgroup)) ++barrier.complete;
  if (barrier.complete == subgroups) {
    std::fill(barrier.lanes.begin(), barrier.lanes.end(), 0);
    barrier.complete = 0;
    ++local_progress_;
    for (Slot* slot = g.begin; slot != g.end; ++slot) {
      if (slot->wait == WaitKind::NamedBarrier && *slot->phase == slot->seen &&
          g.detail(slot).ordinal == ordinal) {
        slot->seen = 0;
        slot->phase = &kReadyPhase;
      }
    }
    return;
  }
  self->wait = WaitKind::NamedBarrier;
  self->where = where;
  g.detail(self).ordinal = ordinal;
  g.detail(self).subgroups = subgroups;
  self->phase = &kNeverPhase;
  self->seen = kNeverPhase;
  suspend(self);
}

// --- what templates call --------------------------------------------------------------------

void begin_waiting(Workgroup& group, std::uint32_t index) {
  worker_of_thread->begin_waiting(static_cast<Group&>(group), index);
}

// What every invocation pays at a barrier, so nothing here is more than it must be: the usual case
// leads from each invocation to the next one of the ring, and the last one just goes on.
void workgroup_barrier(const char* file, const char* function, std::uint32_t line) {
  Worker& w = *worker_of_thread;
  Slot* self = w.current_;
  Group& g = *w.group_;
  WorkgroupBarrier& barrier = g.barrier;
  Slot* next = self + 1;
  if (next == g.end) [[unlikely]] next = g.begin;
  if (line != barrier.where.line || file != barrier.where.file || barrier.missing == 1 ||
      !w.ring_ || *next->phase == next->seen || w.exceptions_->caught ||
      w.exceptions_->uncaught) [[unlikely]] {
    return w.barrier_slowly(file, function, line);
  }
  if (!next->context) [[unlikely]] {
    if (next->state != SlotState::Unstarted || w.parked_.empty()) {
      return w.barrier_slowly(file, function, line);
    }
    --barrier.missing;
    self->phase = &barrier.phase;
    self->seen = barrier.phase;
    w.job_ = {Worker::Pick::Start, &g, next};
    w.fresh_ = w.take_fiber();
    swap_context(&self->context, w.fresh_->parked);
    if (w.unwinding_) [[unlikely]] throw Unwind{};
    return;
  }
  --barrier.missing;
  self->phase = &barrier.phase;
  self->seen = barrier.phase;
  w.current_ = next;
  // The hot ends of 256 stacks do not fit into L1: ask for the one after the next.
  __builtin_prefetch(next[1].context);
  __builtin_prefetch(static_cast<std::byte*>(next[1].context) + 64);
  swap_context(&self->context, next->context);
  if (w.unwinding_) [[unlikely]] throw Unwind{};
}

void named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups) {
  worker_of_thread->named_barrier(where, ordinal, subgroups);
}

}  // namespace heddle::runtime
