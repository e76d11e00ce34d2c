// A workgroup as a ring: the fast way to run kernels whose invocations all come to the same
// barriers.
//
// The invocations take turns in the order of their numbers, there and back again. In a turn each of
// them runs from where it waits to the next barrier, and there hands over to the next; when the last
// one has come to the barrier, all have, and it begins the next turn, which goes the other way: what
// ran last is still in the cache. So nobody counts who has come, and nobody looks for somebody who
// can go on. Every other worker goes its first two turns the same way, so that two workers go
// opposite ways from then on: where invocations write the same memory in the order of their numbers
// (the bins of a histogram), they meet once instead of taking line after line from each other. The
// first turn starts the invocations, the last one ends them; between workgroups the fibers wait in the ring, inside of the function that runs the
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
    ring_contexts_.assign(g.size + 2 * kAhead, nullptr);
    ring_.begin = ring_contexts_.data() + kAhead;
    ring_fibers_.assign(g.size, nullptr);
    ring_payloads_.assign(g.size, nullptr);
    for (std::uint32_t i = 1; i < g.size; ++i) {
      ring_fibers_[i] = take_fiber();
      ring_.begin[i] = ring_fibers_[i]->parked;
    }
  }
  ring_.current = ring_.first = ring_.begin;
  ring_.last = ring_.begin + g.size - 1;
  ring_.step = 1;
  ring_.line = kNowhere;
  ring_.payloads = ring_payloads_.data();
  // What new fibers, and those that wait between workgroups, do when they are switched to.
  ring_.next = &g;
  job_ = {Pick::Ring, 0, &g};
}

/// The running invocation is the first one to end: so will the others, in the last turn.
void Worker::begin_last_turn() { ring_.line = groups_left() ? kTheEnd : kHome; }

bool Worker::in_last_turn() const { return ring_.line == kTheEnd || ring_.line == kHome; }

/// Whether the kernel may end for all, as it did for the running invocation.
bool Worker::may_begin_last_turn(const Group& g) const {
  return ring_.current == ring_.first && !g.first_turn && !ring_.unwinding;
}

/// The invocation that runs on the workgroup's own stack, the first one by number, has ended.
void Worker::end_ring(Group& g) {
  if (may_begin_last_turn(g)) {
    begin_last_turn();
    ring_.current += ring_.step;
    switch_to(&g.driver, *ring_.current);
    g.driver = nullptr;
    if (!g.in_ring) return;
  } else if (!in_last_turn()) {
    return leave_ring(g);
  }
  if (ring_.line == kHome) ring_size_ = 0;
  forget_ring(g);
  g.finished = g.size;
  g.kept_step = true;
}

/// Whether the running invocation is where the turn leads to. The first one says where that is.
bool Worker::is_regular(const SourceLocation& where, std::uint32_t line) const {
  return exceptions_->none() &&
         (ring_.current == ring_.first ||
          (line == ring_.line && same_place(where, {ring_.file, nullptr, where.line})));
}

void Worker::turn_leads_to(const SourceLocation& where, std::uint32_t line) {
  ring_.file = where.file;
  ring_.function = where.function;
  ring_.line = line;
}

/// Whether the turn after this one goes the other way.
bool Worker::turns_around(const Group& g) const { return !g.first_turn || turns_around_at_once_; }

/// The slow form of a turn; kernels do the same inline (heddle/detail/switch.h).
void Worker::take_turn(Group& g) {
  Context* const self = ring_.current;
  if (self != ring_.last) {
    ring_.current = self + ring_.step;
  } else {
    const bool around = turns_around(g);
    g.first_turn = false;
    ++local_progress_;
    if ((ring_.line & kSubgroupTurn) == 0) tell_meeting(g, 0, g.size);
    if (around) {
      std::swap(ring_.first, ring_.last);
      ring_.step = -ring_.step;
      return;
    }
    ring_.current = ring_.first;
  }
  switch_to(self, *ring_.current);
  if (ring_.unwinding) throw Unwind{};
}

/// The last lane of the subgroup in a turn that goes by `step`.
Context* Worker::last_lane(const Group& g, std::uint32_t subgroup, std::ptrdiff_t step) const {
  Context* const first = ring_.begin + subgroup * g.grid->subgroup_size;
  return step > 0 ? first + g.grid->lanes(subgroup) - 1 : first;
}

/// The same of whoever computes after the last lane of `subgroup`, in this turn or in the next.
Context* Worker::next_last_lane(const Group& g, std::uint32_t subgroup) const {
  if (ring_.current != ring_.last) {
    return last_lane(g, ring_.step > 0 ? subgroup + 1 : subgroup - 1, ring_.step);
  }
  return turns_around(g) ? last_lane(g, subgroup, -ring_.step) : last_lane(g, 0, ring_.step);
}

/// A subgroup operation as a turn of the whole workgroup: the last lane of each subgroup computes
/// for all of it, and nobody goes on before all subgroups have come. False if it is no turn.
bool Worker::compute_in_turn(Group& g, const SourceLocation& where, SubgroupFunction function,
                             void* payload) {
  const std::uint32_t line = where.line | kSubgroupTurn;
  const std::uint32_t index = turn_index();
  // Lanes lie side by side only in the linear mapping.
  const bool begins = ring_.current == ring_.first;
  const bool regular = g.grid->index_at == nullptr && is_regular(where, line) &&
                       (begins || function == ring_.operation);
  if (!regular) return false;
  const std::uint32_t subgroup = index / g.grid->subgroup_size;
  const std::uint32_t first = subgroup * g.grid->subgroup_size;
  if (begins) {
    turn_leads_to(where, line);
    ring_.operation = function;
    ring_.last_lane = last_lane(g, subgroup, ring_.step);
  }
  ring_.payloads[index] = payload;
  if (ring_.current == ring_.last_lane) {
    LaneMask active;
    const std::uint32_t lanes = g.grid->lanes(subgroup);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) active.set(lane);
    function(ring_.payloads + first, active, lanes);
    tell_meeting(g, first, lanes);
    ring_.last_lane = next_last_lane(g, subgroup);
  }
  take_turn(g);
  return true;
}

/// The slow form of the last turn.
bool Worker::invocation_ended() {
  if (!in_ring()) return false;
  if (may_begin_last_turn(*group_)) begin_last_turn();
  if (ring_.line != kTheEnd) return false;
  Context* const self = ring_.current;
  if (self == ring_.last) {
    switch_to(self, group_->driver);
  } else {
    ring_.current = self + ring_.step;
    switch_to(self, *ring_.current);
  }
  return true;
}

/// The running invocation has ended, and the dispatch has nothing more for its fiber. False if the
/// invocation ended out of turn.
bool Worker::go_home(Fiber* self) {
  if (!in_ring() || ring_.line != kHome) return false;
  const bool last = ring_.current == ring_.last;
  park(self);
  if (!last) ring_.current += ring_.step;
  switch_to(&self->parked, last ? group_->driver : *ring_.current);
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
  const bool ending = in_last_turn();
  forget_ring(g);
  if (g.slots.size() < g.size) make_slots(g);
  g.end = g.begin + g.size;
  if (!(line & kSubgroupTurn)) g.barrier.where = {ring_.file, ring_.function, line};
  forget_waits(g);
  for (std::uint32_t i = 0; i < g.size; ++i) {
    Slot* slot = g.begin + i;
    *slot = {};
    slot->let_go();
    slot->state = SlotState::Started;
    slot->context = ring_.begin[i];
    slot->fiber = i == 0 ? g.driver_fiber : ring_fibers_[i];
    const bool came = ring_.step > 0 ? i < irregular : i > irregular;
    const bool done = came && ending;
    const bool unstarted = i > irregular && g.first_turn;
    if (done || unstarted) {
      if (i != 0 && !(done && line == kHome)) park_from_ring(i);
      slot->fiber = nullptr;
      slot->context = nullptr;
    }
    if (done) {
      slot->state = SlotState::Finished;
      slot->hold();
      ++g.finished;
    } else if (unstarted) {
      slot->state = SlotState::Unstarted;
    } else if (came) {
      wait_after_turn(g, i, irregular, line);
    }
  }
  ring_size_ = 0;
  current_ = g.begin + irregular;
}

/// Invocation `index` has come to where the turn leads to.
void Worker::wait_after_turn(Group& g, std::uint32_t index, std::uint32_t irregular,
                             std::uint32_t line) {
  Slot* slot = g.begin + index;
  if (!(line & kSubgroupTurn)) {
    g.barrier.hold(*slot);
    --g.barrier.missing;
    return;
  }
  const std::uint32_t subgroup = index / g.grid->subgroup_size;
  const std::uint32_t first = subgroup * g.grid->subgroup_size;
  const bool computed =
      ring_.step > 0 ? first + g.grid->lanes(subgroup) <= irregular : irregular < first;
  if (computed) return;
  slot->wait = WaitKind::Subgroup;
  slot->where = {ring_.file, ring_.function, line & ~kSubgroupTurn};
  slot->hold();
  g.detail(slot).function = ring_.operation;
  g.detail(slot).payload = ring_.payloads[index];
  ++g.lanes_arrived(subgroup);
}

/// The fiber is at nothing, but may be inside a kernel's code, which may be gone before it is
/// wanted again: it returns from there.
void Worker::park_from_ring(std::uint32_t index) {
  const Pick job = job_;
  job_ = {Pick::Park, 0, nullptr};
  fresh_ = ring_fibers_[index];
  switch_to(&asker_, ring_.begin[index]);
  job_ = job;
}

void Worker::give_ring_back() {
  for (std::uint32_t i = 1; i < ring_size_; ++i) park_from_ring(i);
  ring_size_ = 0;
}

}  // namespace heddle::runtime
