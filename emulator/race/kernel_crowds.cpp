// Atomics that are all mutually ordered: a few in their cell, or a crowd.

#include "emulator/race/kernel_crowds.h"

#include <algorithm>

namespace heddle::race {
namespace {

bool is_settled_crowd(const Crowd& crowd, const NewAccess& now) {
  return crowd.one_group && crowd.reference == now.time.reference() && now.is_near(crowd.accesses.back().first) &&
         now.is_settled(crowd.site, crowd.accesses.back().second);
}

bool is_followed_crowd(const Crowd& crowd, const NewAccess& now) {
  return (now.relation(crowd.site) & kStandsFor) != 0 && is_settled_crowd(crowd, now);
}

// Whether the few of the cell were all ordered by a barrier of the workgroup.
bool are_followed_few(const Cell& few, const NewAccess& now) {
  return few.time(0).reference() == now.time.reference() && now.is_near(few.agent(0)) &&
         now.is_followed(few.site_of_few(), few.time(0).stamp());
}

// A crowd for accesses like this one, with none of them in it yet.
Crowd& begin_crowd(Shadow& shadow, Cell& cell, const Record& like) {
  Crowd& crowd = shadow.make_crowd(cell);
  crowd.site = like.site;
  crowd.reference = like.reference;
  crowd.first = like.first;
  crowd.last = like.last;
  crowd.one_group = true;
  return crowd;
}

bool joins_few(Cell& cell, const WordAccess& now) {
  if (!now.is_whole() || !now.is_near(cell.agent(0))) return false;
  if (cell.join_few(now)) return true;
  if (!are_followed_few(cell, now)) return false;
  cell = Cell::few(now);
  return true;
}

// A crowd in place of what the cell has itself, if that came before a barrier of the workgroup, or is nothing.
bool begin_crowd_over(Shadow& shadow, Cell& cell, const WordAccess& now) {
  const Record& r = now.record;
  if (!cell.is_empty()) {
    // An access that is not atomic has no order to the atomics of others, its agent's own or not.
    const auto goes = [&](std::size_t slot) {
      return cell.time(slot).reference() == r.reference && now.is_near(cell.agent(slot)) &&
             now.is_followed(cell.site(slot), cell.time(slot).stamp());
    };
    if (!now.is_whole() || !cell.is(Cell::Form::Accesses) || !goes(0) || (cell.has_second() && !goes(1))) return false;
  }
  if (now.is_whole()) {
    cell = Cell::few(now);
  } else {
    begin_crowd(shadow, cell, r).add(r.agent, r.stamp);
  }
  return true;
}

// What was remembered one by one, when accesses are not any more: if that is all of one crowd.
bool gather_crowd(Shadow& shadow, Cell& cell, const WordAccess& now) {
  const Record& r = now.record;
  std::vector<Record>& records = shadow.list(cell).records;
  const auto is_of_crowd = [&](const Record& x) {
    return x.site == r.site && x.reference == r.reference && x.first == r.first && x.last == r.last &&
           now.order->places().same_instance(x.agent, r.agent, now.instruction->scope);
  };
  if (!std::all_of(records.begin(), records.end(), is_of_crowd)) return false;
  const std::vector<Record> gathered = std::move(records);
  shadow.drop(cell);
  Crowd& crowd = begin_crowd(shadow, cell, r);
  for (const Record& x : gathered) {
    crowd.one_group = crowd.one_group && now.is_near(x.agent);
    crowd.add(x.agent, x.stamp);
  }
  crowd.add(r.agent, r.stamp);
  return true;
}

}  // namespace

bool leaves_crowd(Shadow& shadow, Cell& cell, const NewAccess& now) {
  if (cell.is(Cell::Form::Few)) {
    if (!are_followed_few(cell, now)) return false;
    cell = Cell::accesses(now);
    return true;
  }
  if (!cell.is(Cell::Form::Crowd) || !is_followed_crowd(shadow.crowd(cell), now)) return false;
  const Crowd& crowd = shadow.crowd(cell);
  if (crowd.first != 0 || crowd.last != kWordBytes) return false;
  shadow.drop(cell);
  cell.put(0, now);
  return true;
}

void leave_crowd_in_full(Shadow& shadow, Cell& cell, const WordAccess& now) {
  Crowd& crowd = shadow.crowd(cell);
  if (is_followed_crowd(crowd, now) && crowd.first >= now.record.first && crowd.last <= now.record.last) {
    shadow.drop(cell);
  } else if (is_settled_crowd(crowd, now)) {
    crowd.leave_last(2);
  }
}

// Atomics of one instruction in a scope that includes all its invocations need no order among each other.
//= vk:memory-model-atomic-operation
bool joins_crowd(Shadow& shadow, Cell& cell, const WordAccess& now) {
  const Record& r = now.record;
  const Level scope = now.instruction->scope;
  if (scope != kWorkgroup && scope != kQueueFamily && scope != kDevice) return false;
  if (cell.is(Cell::Form::List)) return gather_crowd(shadow, cell, now);
  if (cell.is(Cell::Form::Few)) {
    if (joins_few(cell, now)) return true;
    make_crowd_of_few(shadow, cell);
  }
  if (!cell.is(Cell::Form::Crowd)) return begin_crowd_over(shadow, cell, now);
  Crowd& crowd = shadow.crowd(cell);
  if (crowd.site != r.site || crowd.reference != r.reference || crowd.first != r.first || crowd.last != r.last)
    return false;
  if (!now.order->places().same_instance(crowd.last_agent, r.agent, scope)) return false;
  if (!now.is_near(crowd.last_agent)) crowd.one_group = false;
  crowd.join(r.agent, r.stamp);
  return true;
}

void make_crowd_of_few(Shadow& shadow, Cell& cell) {
  const Cell few = cell;
  const AccessTime time = few.time(0);
  Record first;
  first.site = few.site_of_few();
  first.reference = time.reference();
  Crowd& crowd = begin_crowd(shadow, cell, first);
  few.for_each_of_few([&](std::uint32_t agent) { crowd.add(agent, time.stamp()); });
}

}  // namespace heddle::race
