#include "runtime/scheduler.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {

namespace {

bool same_place(const char* file, std::uint32_t line, const SourceLocation& where) {
  return line == where.line && (file == where.file || std::strcmp(file, where.file) == 0);
}

}  // namespace

void Worker::workgroup_barrier(const char* file, const char* function, std::uint32_t line) {
  Slot* self = current_;
  Group& g = *group_;
  WorkgroupBarrier& barrier = g.barrier;
  if (barrier.missing == g.size) {
    barrier.where = {file, function, line};
  } else if (!same_place(file, line, barrier.where)) [[unlikely]] {
    // Wait where nobody will come: once all others wait, too, the divergence is reported.
    self->wait = WaitKind::WorkgroupBarrier;
    self->where = {file, function, line};
    self->phase = &self->seen;
    return suspend(self);
  }
  if (--barrier.missing == 0) {
    barrier.missing = g.size;
    ++barrier.phase;
    ++local_progress_;
    return;
  }
  if (self->wait != WaitKind::WorkgroupBarrier) [[unlikely]] {
    self->wait = WaitKind::WorkgroupBarrier;
    self->where = {};
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
      if (slot->wait == WaitKind::NamedBarrier && slot->state == SlotState::Suspended &&
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
  Worker::of_thread().begin_waiting(static_cast<Group&>(group), index);
}

void workgroup_barrier(const char* file, const char* function, std::uint32_t line) {
  Worker::of_thread().workgroup_barrier(file, function, line);
}

void named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups) {
  Worker::of_thread().named_barrier(where, ordinal, subgroups);
}

}  // namespace heddle::runtime
