// Atomics that are all mutually ordered: a few in their cell, or a crowd.

#include <algorithm>

#include "emulator/race/kernel_detector_quick.h"

namespace heddle::race {

inline bool KernelDetector::is_settled_crowd(const Crowd& crowd, const Access& now) const {
  return crowd.one_group && crowd.reference == now.time.reference() &&
         order_.group(crowd.accesses.back().first) == now.group &&
         is_settled(crowd.site, crowd.accesses.back().second, now);
}

inline bool KernelDetector::is_followed_crowd(const Crowd& crowd, const Access& now) const {
  return (relation(crowd.site, now) & kStandsFor) != 0 && is_settled_crowd(crowd, now);
}

// Where the atomics of a crowd are all ordered by a barrier of the workgroup, before a plain access to the word.
bool KernelDetector::leaves_crowd(Cell& cell, const Access& now) {
  if (cell.is(Cell::Form::Few)) {
    if (cell.time(0).reference() != now.time.reference() || order_.group(cell.agent(0)) != now.group ||
        !is_followed(cell.site_of_few(), cell.time(0).stamp(), now))
      return false;
    cell = Cell::accesses(now);
    return true;
  }
  if (!cell.is(Cell::Form::Crowd) || !is_followed_crowd(shadow_->crowd(cell), now)) return false;
  const Crowd& crowd = shadow_->crowd(cell);
  if (crowd.first != 0 || crowd.last != kWordBytes) return false;
  shadow_->drop(cell);
  cell.put(0, now);
  return true;
}

// A crowd that a barrier ordered all at once keeps two of its own, or nothing, before an access that is not answered
// quickly.
void KernelDetector::leave_crowd_in_full(Cell& cell, const Now& now) {
  Crowd& crowd = shadow_->crowd(cell);
  if (is_followed_crowd(crowd, now) && crowd.first >= now.record.first && crowd.last <= now.record.last) {
    shadow_->drop(cell);
  } else if (is_settled_crowd(crowd, now)) {
    crowd.leave_last(2);
  }
}

// Atomics of one instruction in a scope that includes all its invocations need no order among each other.
//= vk:memory-model-atomic-operation
bool KernelDetector::join_crowd(Cell& cell, const Now& now) {
  const Record& r = now.record;
  const Level scope = now.instruction->scope;
  if (scope != kWorkgroup && scope != kDevice) return false;
  if (cell.is(Cell::Form::List)) return gather_crowd(cell, now);
  if (cell.is(Cell::Form::Few)) {
    if (join_few(cell, now)) return true;
    make_crowd_of_few(cell);
  }
  if (!cell.is(Cell::Form::Crowd)) return begin_crowd_over(cell, now);
  Crowd& crowd = shadow_->crowd(cell);
  if (crowd.site != r.site || crowd.reference != r.reference || crowd.first != r.first || crowd.last != r.last)
    return false;
  if (!order_.places().same_instance(crowd.last_agent, r.agent, scope)) return false;
  if (order_.group(crowd.last_agent) != now.group) crowd.one_group = false;
  crowd.join(r.agent, r.stamp);
  return true;
}

bool KernelDetector::join_few(Cell& cell, const Now& now) {
  const bool is_whole = now.record.last - now.record.first == kWordBytes;
  if (!is_whole || order_.group(cell.agent(0)) != now.group) return false;
  if (cell.join_few(now)) return true;
  if (cell.time(0).reference() != now.time.reference() || !is_followed(cell.site_of_few(), cell.time(0).stamp(), now))
    return false;
  cell = Cell::few(now);
  return true;
}

// A crowd in place of what the cell has itself, if that came before a barrier of the workgroup, or is nothing.
bool KernelDetector::begin_crowd_over(Cell& cell, const Now& now) {
  const Record& r = now.record;
  const bool is_whole = r.last - r.first == kWordBytes;
  if (!cell.is_empty()) {
    // An access that is not atomic has no order to the atomics of others, its agent's own or not.
    const auto goes = [&](std::size_t slot) {
      return cell.time(slot).reference() == r.reference && order_.group(cell.agent(slot)) == now.group &&
             is_followed(cell.site(slot), cell.time(slot).stamp(), now);
    };
    if (!is_whole || !cell.is(Cell::Form::Accesses) || !goes(0) || (cell.has_second() && !goes(1))) return false;
  }
  if (is_whole) {
    cell = Cell::few(now);
  } else {
    begin_crowd(cell, r).add(r.agent, r.stamp);
  }
  return true;
}

// A crowd for accesses like this one, with none of them in it yet.
Crowd& KernelDetector::begin_crowd(Cell& cell, const Record& like) {
  Crowd& crowd = shadow_->make_crowd(cell);
  crowd.site = like.site;
  crowd.reference = like.reference;
  crowd.first = like.first;
  crowd.last = like.last;
  crowd.one_group = true;
  return crowd;
}

void KernelDetector::make_crowd_of_few(Cell& cell) {
  const Cell few = cell;
  const AccessTime time = few.time(0);
  Record first;
  first.site = few.site_of_few();
  first.reference = time.reference();
  Crowd& crowd = begin_crowd(cell, first);
  few.for_each_of_few([&](std::uint32_t agent) { crowd.add(agent, time.stamp()); });
}

// What was remembered one by one, when accesses are not any more: if that is all of one crowd.
bool KernelDetector::gather_crowd(Cell& cell, const Now& now) {
  const Record& r = now.record;
  std::vector<Record>& records = shadow_->list(cell).records;
  const auto is_of_crowd = [&](const Record& x) {
    return x.site == r.site && x.reference == r.reference && x.first == r.first && x.last == r.last &&
           order_.places().same_instance(x.agent, r.agent, now.instruction->scope);
  };
  if (!std::all_of(records.begin(), records.end(), is_of_crowd)) return false;
  const std::vector<Record> gathered = std::move(records);
  shadow_->drop(cell);
  Crowd& crowd = begin_crowd(cell, r);
  for (const Record& x : gathered) {
    crowd.one_group = crowd.one_group && order_.group(x.agent) == now.group;
    crowd.add(x.agent, x.stamp);
  }
  crowd.add(r.agent, r.stamp);
  return true;
}

}  // namespace heddle::race
