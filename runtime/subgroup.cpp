#include "runtime/scheduler.h"

#include <heddle/device_options.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "runtime/round_barrier.h"

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

/// Lets those go on who wait at one round barrier, and names them, if all others wait or have finished.
bool resolve_round(Group& g, std::vector<std::uint32_t>& meeting) {
  if (g.at_rounds == 0 || !std::all_of(g.begin, g.end, blocked)) return false;
  const Slot* first = nullptr;
  for (const Slot* slot = g.begin; slot != g.end; ++slot)
    if (at_round(g, *slot) && (!first || stands_before(slot->where, first->where))) first = slot;
  if (!first) return false;
  const SourceLocation where = first->where;
  meeting.clear();
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    if (!at_round(g, *slot) || !same_place(slot->where, where)) continue;
    meeting.push_back(g.index_of(slot));
    slot->let_go();
    slot->wait = WaitKind::Nothing;
    --g.at_rounds;
  }
  // Who has ended came by before.
  for (const Slot* slot = g.begin; slot != g.end; ++slot)
    if (slot->state == SlotState::Finished) meeting.push_back(g.index_of(slot));
  return true;
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

void Worker::subgroup_operation(SourceLocation where, SubgroupFunction function, void* payload) {
  Group& g = *group_;
  // A round barrier has no function.
  if (function && g.in_ring && compute_in_turn(g, where, function, payload)) return;
  Slot* self = outside_ring();
  self->wait = function ? WaitKind::Subgroup : WaitKind::Round;
  self->where = where;
  self->hold();
  SlotDetail& detail = g.detail(self);
  detail.function = function;
  detail.payload = payload;
  const std::uint32_t subgroup = g.grid->position(g.index_of(self)) / g.grid->subgroup_size;
  // The usual case: the last lane of a subgroup all of which is here.
  if (!function) {
    ++g.at_rounds;
  } else if (++g.lanes_arrived(subgroup) == g.grid->lanes(subgroup)) {
    resolve_subgroup(g, subgroup);
  }
  if (launch_->choice) return suspend_outside_ring(self);
  suspend(self);
}

bool Worker::resolve_subgroups(Group& g) {
  bool any = false;
  for (std::uint32_t s = 0; s < g.subgroup_arrived.size(); ++s) {
    if (g.subgroup_arrived[s] != 0 && resolve_subgroup(g, s)) any = true;
  }
  if (any || !resolve_round(g, meeting_)) return any;
  ++local_progress_;
  if (launch_->observer) launch_->observer->invocations_meet(g, meeting_);
  return true;
}

bool Worker::resolve_subgroup(Group& g, std::uint32_t subgroup) {
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
  ++local_progress_;
  if (launch_->observer) launch_->observer->invocations_meet(g, meeting_);
  function(payloads.data(), active, lanes);
  return true;
}

void round_barrier(const SourceLocation& where) {
  worker_of_thread->subgroup_operation(where, nullptr, nullptr);
}

void subgroup_operation(SourceLocation where, SubgroupFunction function, void* payload) {
  worker_of_thread->subgroup_operation(where, function, payload);
}

}  // namespace heddle::runtime
