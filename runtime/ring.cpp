// A workgroup as a ring: the fast way to run kernels whose invocations all come to the same
// barriers.
//
// The invocations take turns in the order of their numbers, there and back again. In a turn each of
// them runs from where it waits to the next barrier, and there hands over to the next; when the last
// one has come to the barrier, all have, and it begins the next turn, which goes the other way: what
// ran last is still in the cache. So arrivals need not be counted, and no search is needed for one that
// can go on. Every other worker goes its first two turns the same way, so that two workers go
// opposite ways from then on: where invocations write the same memory in the order of their numbers
// (the bins of a histogram), they meet once instead of taking line after line from each other. The
// first turn starts the invocations, the last one ends them; between workgroups the fibers wait in the ring, inside of
// the function that runs the kernel (detail::run_native_turns in heddle/detail/launch.h), so that starting an
// invocation is the same switch as going on after a barrier, and nothing is called or returned from.
//
// As soon as an invocation does anything else (ends while others are at a barrier, comes to another
// barrier, polls, throws ...) the ring is given up: slots are made that say where each invocation
// stands, and the scheduler goes on with the workgroup.

#include "runtime/scheduler.h"

namespace heddle::runtime {

/// False: there is no memory for its stacks, and the dispatch has failed.
bool Worker::begin_ring(Group& g) {
  if (turns_.size() != g.size) {
    give_ring_back();
    if (!fill_ring(g.size)) return false;
  }
  g.waited = true;
  turns_.begin(g);
  job_ = {Pick::Ring, 0, &g};
  return true;
}

bool Worker::fill_ring(std::uint32_t size) {
  turns_.make_room(size);
  for (std::uint32_t i = 1; i < size; ++i) {
    if (fibers_.has_parked() || make_fiber()) {
      turns_.put(i, fibers_.take());
    } else {
      while (--i != 0) fibers_.park(turns_.fiber(i));
      turns_.empty();
      return false;
    }
  }
  return true;
}

/// The invocation that runs on the workgroup's own stack, the first one by number, has ended.
void Worker::end_ring(Group& g) {
  if (turns_.may_begin_last(g)) {
    turns_.begin_last(admission_.groups_left());
    ring().current += ring().step;
    switch_to(&g.driver, *ring().current);
    g.driver = nullptr;
    if (!g.in_ring) return;
  } else if (!turns_.in_last()) {
    return leave_ring(g);
  }
  if (turns_.leads_home()) turns_.empty();
  turns_.forget(g);
  g.finished = g.size;
  g.kept_step = true;
}

/// The slow form of a turn; kernels do the same inline (heddle/detail/switch.h).
void Worker::take_turn(Group& g) {
  Context* const self = ring().current;
  if (turns_.at_last()) {
    ++local_progress_;
    if (!turns_.is_of_subgroups()) meetings_.tell(g, 0, g.size);
  }
  const Context* const next = turns_.advance(g);
  if (!next) return;
  switch_to(self, *next);
  if (ring().unwinding) unwind();
}

/// A subgroup operation as a turn of the whole workgroup: the last lane of each subgroup computes
/// for all of it, and no invocation goes on before all subgroups have come. False if it is no turn.
bool Worker::compute_in_turn(Group& g, const SourceLocation& where, SubgroupFunction function, void* payload) {
  const std::uint32_t line = where.line | kSubgroupTurn;
  // Lanes lie side by side only in the linear mapping.
  const bool begins = turns_.at_first();
  const bool regular =
      g.grid->index_at == nullptr && turns_.is_regular(where, line) && (begins || function == ring().operation);
  if (!regular) return false;
  const std::uint32_t subgroup = turns_.index() / g.grid->subgroup_size;
  if (begins) {
    turns_.leads_to(where, line);
    turns_.begin_operation(g, subgroup, function);
  }
  if (turns_.give(payload)) {
    const std::uint32_t first = subgroup * g.grid->subgroup_size;
    LaneMask active;
    const std::uint32_t lanes = g.grid->lanes(subgroup);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) active.set(lane);
    function(turns_.payloads(first), active, lanes);
    meetings_.tell(g, first, lanes);
    turns_.computed(g, subgroup);
  }
  take_turn(g);
  return true;
}

/// The slow form of the last turn.
bool Worker::invocation_ended() {
  if (!in_ring()) return false;
  if (turns_.may_begin_last(*group_)) turns_.begin_last(admission_.groups_left());
  if (ring().line != kTheEnd) return false;
  Context* const self = ring().current;
  if (turns_.at_last()) {
    switch_to(self, group_->driver);
  } else {
    ring().current = self + ring().step;
    switch_to(self, *ring().current);
  }
  return true;
}

/// The running invocation has ended, and the dispatch has nothing more for its fiber. False if the
/// invocation ended out of turn.
bool Worker::go_home(Fiber* self) {
  if (!in_ring() || !turns_.leads_home()) return false;
  const bool last = turns_.at_last();
  fibers_.park(self);
  if (!last) ring().current += ring().step;
  switch_to(&self->parked, last ? group_->driver : *ring().current);
  return true;
}

/// The running invocation is out of step.
void Worker::leave_ring(Group& g) {
  const std::uint32_t irregular = turns_.index();
  const std::uint32_t line = ring().line;
  const bool ending = turns_.in_last();
  turns_.forget(g);
  if (g.slots.size() < g.size) g.make_slots();
  g.end = g.begin + g.size;
  if (!(line & kSubgroupTurn)) g.barrier.where = {ring().file, ring().function, line};
  g.forget_waits(*launch_);
  for (std::uint32_t i = 0; i < g.size; ++i) {
    Slot* slot = g.begin + i;
    *slot = {};
    slot->let_go();
    slot->state = SlotState::Started;
    slot->context = ring().begin[i];
    slot->fiber = i == 0 ? g.driver_fiber : turns_.fiber(i);
    const bool came = turns_.had_turn(i, irregular);
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
  turns_.empty();
  current_ = g.begin + irregular;
}

/// Invocation `index` has come to where the turn leads to.
void Worker::wait_after_turn(Group& g, std::uint32_t index, std::uint32_t irregular, std::uint32_t line) {
  Slot* slot = g.begin + index;
  if (!(line & kSubgroupTurn)) {
    g.barrier.hold(*slot);
    --g.barrier.missing;
    return;
  }
  const std::uint32_t subgroup = index / g.grid->subgroup_size;
  const std::uint32_t first = subgroup * g.grid->subgroup_size;
  const bool computed = ring().step > 0 ? first + g.grid->lanes(subgroup) <= irregular : irregular < first;
  if (computed) return;
  slot->wait = WaitKind::Subgroup;
  slot->where = {ring().file, ring().function, line & ~kSubgroupTurn};
  slot->hold();
  g.detail(slot).function = ring().operation;
  g.detail(slot).payload = ring().payloads[index];
  ++g.lanes_arrived(subgroup);
}

/// The fiber is at nothing, but may be inside a kernel's code, which may be gone before it is
/// wanted again: it returns from there.
void Worker::park_from_ring(std::uint32_t index) {
  const Pick job = job_;
  job_ = {Pick::Park, 0, nullptr};
  fresh_ = turns_.fiber(index);
  switch_to(&asker_, ring().begin[index]);
  job_ = job;
}

void Worker::give_ring_back() {
  for (std::uint32_t i = 1; i < turns_.size(); ++i) park_from_ring(i);
  turns_.empty();
}

}  // namespace heddle::runtime
