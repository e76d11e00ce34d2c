#include "runtime/rings.h"

namespace heddle::runtime {

void Rings::begin(Group& g) {
  if (turns_.size() != g.size) {
    give_back();
    fill(g.size);
  }
  g.waited = true;
  turns_.begin(g);
  stacks_.set_job({Pick::Ring, 0, &g});
}

void Rings::fill(std::uint32_t size) {
  FiberPool& fibers = stacks_.fibers();
  turns_.make_room(size);
  std::uint32_t filled = 1;
  try {
    for (; filled < size; ++filled) turns_.put(filled, fibers.take());
  } catch (...) {
    while (--filled != 0) fibers.park(turns_.fiber(filled));
    turns_.empty();
    throw;
  }
}

void Rings::end(Group& g) {
  if (turns_.may_begin_last(g)) {
    turns_.begin_last(admission_.groups_left());
    ring().current += ring().step;
    stacks_.switch_to(&g.driver, *ring().current);
    g.driver = nullptr;
    if (!g.in_ring) return;
  } else if (!turns_.in_last()) {
    return leave(g);
  }
  if (turns_.leads_home()) turns_.empty();
  turns_.forget(g);
  g.finished = g.size;
  g.kept_step = true;
}

void Rings::take_turn(Group& g) {
  Context* const self = ring().current;
  if (turns_.at_last()) {
    patience_.note_progress();
    if (!turns_.is_of_subgroups()) meetings_.tell(g, 0, g.size);
  }
  if (const Context* const next = turns_.advance(g)) stacks_.switch_to(self, *next);
}

bool Rings::wait_in_turn(Group& g, const SourceLocation& where) {
  if (!turns_.is_regular(where, where.line)) return false;
  turns_.leads_to(where, where.line);
  take_turn(g);
  return true;
}

bool Rings::compute_in_turn(Group& g, const SourceLocation& where, SubgroupFunction function, void* payload) {
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

bool Rings::invocation_ended() {
  if (!now_.is_in_ring()) return false;
  if (turns_.may_begin_last(*now_.group)) turns_.begin_last(admission_.groups_left());
  if (ring().line != kTheEnd) return false;
  Context* const self = ring().current;
  if (turns_.at_last()) {
    stacks_.switch_to(self, now_.group->driver);
  } else {
    ring().current = self + ring().step;
    stacks_.switch_to(self, *ring().current);
  }
  return true;
}

bool Rings::go_home(Fiber* self) {
  if (!now_.is_in_ring() || !turns_.leads_home()) return false;
  const bool last = turns_.at_last();
  stacks_.fibers().park(self);
  if (!last) ring().current += ring().step;
  stacks_.switch_to(&self->parked, last ? now_.group->driver : *ring().current);
  return true;
}

void Rings::leave(Group& g) {
  const std::uint32_t irregular = turns_.index();
  const std::uint32_t line = ring().line;
  const bool ending = turns_.in_last();
  turns_.forget(g);
  if (g.slots.size() < g.size) g.make_slots();
  g.end = g.begin + g.size;
  if (!(line & kSubgroupTurn)) g.barrier.where = {ring().file, ring().function, line};
  g.forget_waits(*now_.launch);
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
      if (i != 0 && !(done && line == kHome)) stacks_.call_back(turns_.fiber(i), ring().begin[i]);
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
  now_.slot = g.begin + irregular;
}

/// Invocation `index` has come to where the turn leads to.
void Rings::wait_after_turn(Group& g, std::uint32_t index, std::uint32_t irregular, std::uint32_t line) {
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

void Rings::give_back() {
  for (std::uint32_t i = 1; i < turns_.size(); ++i) stacks_.call_back(turns_.fiber(i), ring().begin[i]);
  turns_.empty();
}

}  // namespace heddle::runtime
