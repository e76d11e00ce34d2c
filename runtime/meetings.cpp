#include "runtime/meetings.h"

#include <heddle/device_options.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "runtime/round_barrier.h"
#include "runtime/scheduler.h"

namespace heddle::runtime {

namespace {

/// Whether the lane can do nothing of its own accord: it will not come to another operation before
/// its subgroup or its workgroup has gone on.
bool blocked(const Slot& slot) {
  return !slot.can_go_on() && !slot.is_put_off();
}

bool at_round(const Group& g, const Slot& slot) {
  return slot.state == SlotState::Started && slot.wait == WaitKind::Round && !g.at_barrier(slot);
}

bool at_operation(const Group& g, const Slot& slot) {
  return slot.state == SlotState::Started && slot.wait == WaitKind::Subgroup && !g.at_barrier(slot);
}

/// Leaves of those who wait those who are together. All lanes of `subgroup` are at rest.
void part(Group& g, std::uint32_t subgroup, Routes::Meeting meeting, const Launch& launch) {
  const std::vector<std::uint32_t> waiting = meeting.waiting;
  meeting.is_elsewhere = [&](std::uint32_t index) {
    const Slot& slot = g.begin[index];
    if (g.grid->position(index) / g.grid->subgroup_size == subgroup)
      return std::find(waiting.begin(), waiting.end(), index) == waiting.end();
    // What another subgroup may still come to is not known.
    const bool counts = launch.reconvergence != Reconvergence::Subgroup;
    return counts && (slot.state == SlotState::Finished || g.at_barrier(slot));
  };
  g.routes.part(meeting, *launch.choice);
}

}  // namespace

void Meetings::tell_observer(Group& g, std::uint32_t first, std::uint32_t count) {
  meeting_.resize(count);
  std::iota(meeting_.begin(), meeting_.end(), first);
  launch_->observer->invocations_meet(g, meeting_);
}

Meetings::AtBarrier Meetings::come_to_workgroup_barrier(Group& g, Slot& self, const SourceLocation& where) {
  WorkgroupBarrier& barrier = g.barrier;
  if (barrier.missing == g.size) {
    barrier.where = where;
  } else if (!same_place(where, barrier.where)) {
    // Wait where no other will come: once all others wait, too, the divergence is reported.
    self.wait = WaitKind::WorkgroupBarrier;
    self.where = where;
    self.hold();
    return AtBarrier::Elsewhere;
  }
  if (--barrier.missing == 0) {
    tell(g, 0, g.size);
    barrier.missing = g.size;
    if (g.routes.are_kept()) [[unlikely]]
      g.routes.all_meet();
    ++barrier.phase;
    if (launch_->choice) g.walk.begin(g.size, *launch_->choice);
    self.let_go();
    return AtBarrier::Opens;
  }
  barrier.hold(self);
  if (launch_->choice) g.leave_out(self);
  return AtBarrier::Waits;
}

bool Meetings::come_to_named_barrier(Group& g, Slot& self, const SourceLocation& where, std::uint32_t ordinal,
                                     std::uint32_t subgroups) {
  if (g.named.size() <= ordinal) g.named.resize(ordinal + 1);
  NamedBarrier& barrier = g.named[ordinal];
  barrier.lanes.resize(g.grid->subgroups);
  self.wait = WaitKind::NamedBarrier;
  self.where = where;
  g.detail(&self).ordinal = ordinal;
  g.detail(&self).subgroups = subgroups;
  self.hold();
  // Subgroups that name another count wait for ever, and the divergence is reported.
  if (barrier.subgroups == 0) barrier.subgroups = subgroups;
  if (barrier.subgroups != subgroups) return false;
  const std::uint32_t subgroup = g.grid->position(g.index_of(&self)) / g.grid->subgroup_size;
  if (++barrier.lanes[subgroup] == g.grid->lanes(subgroup)) ++barrier.complete;
  if (barrier.complete != subgroups) return false;
  complete_named_barrier(g, ordinal);
  return true;
}

void Meetings::complete_named_barrier(Group& g, std::uint32_t ordinal) {
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
}

bool Meetings::come_to_operation(Group& g, Slot& self, const SourceLocation& where, SubgroupFunction function,
                                 void* payload) {
  self.wait = function ? WaitKind::Subgroup : WaitKind::Round;
  self.where = where;
  self.hold();
  SlotDetail& detail = g.detail(&self);
  detail.function = function;
  detail.payload = payload;
  const std::uint32_t subgroup = g.grid->position(g.index_of(&self)) / g.grid->subgroup_size;
  if (!function) {
    ++g.at_rounds;
    return false;
  }
  // The usual case: the last lane of a subgroup all of which is here.
  return ++g.lanes_arrived(subgroup) == g.grid->lanes(subgroup) && resolve_subgroup(g, subgroup);
}

bool Meetings::resolve(Group& g) {
  bool any = false;
  for (std::uint32_t s = 0; s < g.subgroup_arrived.size(); ++s) {
    if (g.subgroup_arrived[s] != 0 && resolve_subgroup(g, s)) any = true;
  }
  return any || resolve_round(g);
}

/// Lets those go on who wait at one round barrier, and names them, if all others wait or have finished.
bool Meetings::resolve_round(Group& g) {
  if (g.at_rounds == 0 || !std::all_of(g.begin, g.end, blocked)) return false;
  const Slot* first = nullptr;
  for (const Slot* slot = g.begin; slot != g.end; ++slot)
    if (at_round(g, *slot) && (!first || stands_before(slot->where, first->where))) first = slot;
  if (!first) return false;
  const SourceLocation where = first->where;
  meeting_.clear();
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    if (!at_round(g, *slot) || !same_place(slot->where, where)) continue;
    meeting_.push_back(g.index_of(slot));
    slot->let_go();
    slot->wait = WaitKind::Nothing;
    --g.at_rounds;
  }
  // Who has ended came by before.
  for (const Slot* slot = g.begin; slot != g.end; ++slot)
    if (slot->state == SlotState::Finished) meeting_.push_back(g.index_of(slot));
  if (launch_->observer) launch_->observer->invocations_meet(g, meeting_);
  return true;
}

/// Lets those go on who wait at the first subgroup operation that lanes of the subgroup wait at, if all others of its
/// lanes are at rest.
bool Meetings::resolve_subgroup(Group& g, std::uint32_t subgroup) {
  const std::uint32_t lanes = g.grid->lanes(subgroup);
  const auto slot_of = [&](std::uint32_t lane) {
    return g.begin + g.grid->index(subgroup * g.grid->subgroup_size + lane);
  };
  const Slot* first = nullptr;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const Slot& slot = *slot_of(lane);
    if (!blocked(slot)) return false;
    if (at_operation(g, slot) && (!first || stands_before(slot.where, first->where))) {
      first = &slot;
    }
  }
  if (!first) return false;
  const SourceLocation where = first->where;
  const SubgroupFunction function = g.detail(first).function;
  meeting_.clear();
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const Slot& slot = *slot_of(lane);
    if (at_operation(g, slot) && g.detail(&slot).function == function && same_place(slot.where, where))
      meeting_.push_back(g.index_of(&slot));
  }
  if (g.routes.are_kept()) [[unlikely]]
    part(g, subgroup, {where, function, meeting_, {}}, *launch_);
  std::array<void*, kMaxSubgroupSize> payloads{};
  LaneMask active;
  for (const std::uint32_t index : meeting_) {
    Slot& slot = g.begin[index];
    const std::uint32_t lane = g.grid->position(index) % g.grid->subgroup_size;
    payloads[lane] = g.detail(&slot).payload;
    active.set(lane);
    slot.let_go();
    slot.wait = WaitKind::Nothing;
  }
  g.subgroup_arrived[subgroup] -= static_cast<std::uint32_t>(meeting_.size());
  if (launch_->observer) launch_->observer->invocations_meet(g, meeting_);
  function(payloads.data(), active, lanes);
  return true;
}

void Worker::named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups) {
  Slot* self = outside_ring();
  if (meetings_.come_to_named_barrier(*now_.group, *self, where, ordinal, subgroups)) patience_.note_progress();
  if (now_.launch->choice) return suspend_outside_ring(self);
  suspend(self);
}

void Worker::subgroup_operation(SourceLocation where, SubgroupFunction function, void* payload) {
  // A round barrier has no function.
  if (function && now_.is_in_ring() && rings_.compute_in_turn(*now_.group, where, function, payload)) {
    if (is_unwinding()) unwind();
    return;
  }
  Slot* self = outside_ring();
  if (meetings_.come_to_operation(*now_.group, *self, where, function, payload)) patience_.note_progress();
  if (now_.launch->choice) return suspend_outside_ring(self);
  suspend(self);
}

// --- what templates call --------------------------------------------------------------------

void named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups) {
  worker_of_thread->named_barrier(where, ordinal, subgroups);
}

void round_barrier(const SourceLocation& where) {
  worker_of_thread->subgroup_operation(where, nullptr, nullptr);
}

void subgroup_operation(SourceLocation where, SubgroupFunction function, void* payload) {
  worker_of_thread->subgroup_operation(where, function, payload);
}

}  // namespace heddle::runtime
