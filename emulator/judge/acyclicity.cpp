#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

//= vk:memory-model-acyclicity
const Relation& causality(const Facts& facts) {
  // Asked for all the time: keeps its memory.
  static thread_local Relation order;
  order = facts.location_ordered;
  order |= facts.modification_order;
  order |= facts.reads_from;
  order |= facts.from_reads;
  return order;
}

RelationName step_name(const Facts& facts, EventIndex a, EventIndex b) {
  if (facts.reads_from.has(a, b)) return RelationName::ReadsFrom;
  if (facts.from_reads.has(a, b)) return RelationName::FromReads;
  if (facts.modification_order.has(a, b)) return RelationName::ScopedModificationOrder;
  if (facts.location_ordered.has(a, b)) return RelationName::LocationOrdered;
  if (facts.system_synchronizes.has(a, b)) return RelationName::SystemSynchronizesWith;
  if (facts.program_order.has(a, b)) return RelationName::ProgramOrder;
  return RelationName::SynchronizesWith;
}

Violation violation_of(const Facts& facts, Axiom axiom, const std::vector<EventIndex>& cycle) {
  Violation violation{axiom, {}};
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const EventIndex next = cycle[(i + 1) % cycle.size()];
    // The halves of a read-modify-write are one operation.
    if (facts.events[cycle[i]].operation == facts.events[next].operation) continue;
    violation.cycle.push_back({facts.events[cycle[i]].operation, step_name(facts, cycle[i], next)});
  }
  return violation;
}

// The way from the write to the read that it is hidden from; that the read takes its value from it closes the cycle.
Violation hidden_read(const Facts& facts, const std::vector<EventIndex>& way) {
  Violation violation = violation_of(facts, Axiom::ReadsHiddenWrite, way);
  violation.cycle.back().relation = RelationName::ReadsFrom;
  violation.cycle.back().reversed = true;
  return violation;
}

// Whether location-order leads from a write over other writes to a read, in at least two steps: location-order is not
// transitive, so what hides the write need not be location-ordered before the read itself.
//= vk:memory-model-visible-to
bool is_hidden(const Facts& facts, const Location& location, EventIndex source, EventIndex read) {
  const EventSet writes = location.accesses & facts.writes;
  EventSet later(facts.size());
  EventSet next = location.location_ordered.successors(source) & writes;
  while (!next.empty()) {
    later |= next;
    EventSet after(facts.size());
    next.for_each([&](EventIndex write) { location.location_ordered.add_row_to(write, after); });
    if (after.has(read)) return true;
    next = (after & writes) - later;
  }
  return false;
}

std::vector<EventIndex> way_over_writes(const Facts& facts, const Location& location, EventIndex source,
                                        EventIndex read) {
  Relation steps(facts.size());
  (location.accesses & facts.writes).for_each([&](EventIndex write) {
    steps.add_row(write, location.location_ordered, write);
  });
  steps.remove(source, read);
  return steps.shortest_path(source, read);
}

// A non-atomic read takes its value from a write that no other write hides from it.
//= vk:memory-model-visible-to
std::vector<EventIndex> hidden_write_read(const Facts& facts) {
  std::vector<EventIndex> found;
  for (const Location& location : facts.locations) {
    const EventSet plain_reads = (location.accesses & facts.reads) - facts.atomics;
    plain_reads.for_each([&](EventIndex read) {
      const EventIndex source = location.source[read];
      if (source == kUnknown || source == kInitial || !found.empty()) return;
      if (is_hidden(facts, location, source, read)) found = way_over_writes(facts, location, source, read);
    });
  }
  return found;
}

// Nothing mutually ordered comes between the read and the write of a read-modify-write. Where it is
// one event, acyclicity says so.
//= vk:memory-model-scoped-modification-order-coherence
std::vector<EventIndex> split_read_modify_write(const Facts& facts) {
  std::vector<EventIndex> found;
  facts.rmws.for_each([&](EventIndex write) {
    const EventIndex read = facts.read_event(facts.events[write].operation);
    facts.from_reads.for_each_successor(read, [&](EventIndex between) {
      if (facts.modification_order.has(between, write)) found = {read, between, write};
    });
  });
  return found;
}

// System-synchronization says that an operation occurs before another: program order cannot say the
// opposite, nor can a control barrier, whose arrivals count as one event since no agent leaves before
// the others arrive.
//= vk:memory-model-system-synchronizes-with
std::vector<EventIndex> impossible_schedule(const Facts& facts) {
  if (facts.system_synchronizes.empty()) return {};
  const Relation& meets = facts.meets_at_barrier;
  std::vector<EventIndex> together(facts.size());
  for (EventIndex e = 0; e < facts.size(); ++e) {
    together[e] = e;
    for (EventIndex other = 0; other < e; ++other)
      if (meets.has(e, other) && meets.has(other, e)) together[e] = together[other];
  }
  Relation before(facts.size());
  const auto add = [&](EventIndex a, EventIndex b) { before.add(together[a], together[b]); };
  facts.program_order.for_each(add);
  facts.system_synchronizes.for_each(add);
  meets.for_each([&](EventIndex a, EventIndex b) {
    facts.program_order.for_each_successor(b, [&](EventIndex after) { add(a, after); });
  });
  return before.acyclic() ? std::vector<EventIndex>{} : before.shortest_cycle();
}

}  // namespace

//= vk:memory-model-scoped-modification-order-coherence
bool is_coherent(Facts& facts) {
  // From-reads through location order is left out: there is no location order yet.
  for (Location& location : facts.locations) location.location_ordered.reset(facts.size());
  derive_from_reads(facts);
  static thread_local Relation order;
  order = facts.same_reference_order;
  order |= facts.modification_order;
  order |= facts.reads_from;
  order |= facts.from_reads;
  return order.acyclic() && split_read_modify_write(facts).empty();
}

//= vk:memory-model-acyclicity
bool is_consistent(const Facts& facts) {
  return causality(facts).acyclic() && hidden_write_read(facts).empty() && split_read_modify_write(facts).empty() &&
         impossible_schedule(facts).empty();
}

std::vector<Violation> find_violations(const Facts& facts) {
  std::vector<Violation> found;
  const Relation& order = causality(facts);
  if (!order.acyclic()) found.push_back(violation_of(facts, Axiom::Acyclicity, order.shortest_cycle()));
  if (const auto way = hidden_write_read(facts); !way.empty()) found.push_back(hidden_read(facts, way));
  if (const auto cycle = split_read_modify_write(facts); !cycle.empty())
    found.push_back(violation_of(facts, Axiom::Atomicity, cycle));
  if (const auto cycle = impossible_schedule(facts); !cycle.empty())
    found.push_back(violation_of(facts, Axiom::SystemSynchronizationOrder, cycle));
  return found;
}

EventSet events_on_cycles(const Facts& facts) {
  Relation order = causality(facts);
  order.close();
  EventSet on_cycles(facts.size());
  for (EventIndex e = 0; e < facts.size(); ++e)
    if (order.has(e, e)) on_cycles.add(e);
  return on_cycles;
}

}  // namespace heddle::judge
