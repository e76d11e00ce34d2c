// The slow answer: accesses to a word one by one, in a list, each held against the new one.

#include <heddle/detail/check.h>

#include <algorithm>

#include "emulator/race/kernel_detector_quick.h"

namespace heddle::race {

// The list of the word, whatever was there. Its accesses go where there is room from earlier lists.
RecordList& KernelDetector::unpack(Cell& cell) {
  if (cell.is(Cell::Form::List)) return shadow_->list(cell);
  copy(cell, *shadow_, unpacked_);
  shadow_->drop(cell);
  RecordList& list = shadow_->make_list(cell);
  std::swap(list, unpacked_);
  return list;
}

// What a cell of this shadow has, one by one.
void KernelDetector::copy(const Cell& cell, Shadow& shadow, RecordList& to) const {
  to.clear();
  switch (cell.form()) {
    case Cell::Form::Empty:
      return;
    case Cell::Form::Accesses:
    case Cell::Form::TwoReads:
      return copy_accesses(cell, to);
    case Cell::Form::Parts: {
      const std::uint32_t size = sites_[cell.site(0)].operation.locations.size_bytes;
      for (std::uint32_t part = 0; part * size < kWordBytes; ++part)
        if (cell.has_part(part))
          to.records.push_back({cell.agent_of_part(part), cell.time(0).stamp(), 0, cell.site(0),
                                cell.time(0).reference(), static_cast<std::uint8_t>(part * size),
                                static_cast<std::uint8_t>((part + 1) * size), nullptr});
      return;
    }
    case Cell::Form::Few:
      cell.for_each_of_few([&](std::uint32_t agent) {
        to.records.push_back(
            {agent, cell.time(0).stamp(), 0, cell.site_of_few(), cell.time(0).reference(), 0, kWordBytes, nullptr});
      });
      to.lossy = to.records.size() > 1;
      return;
    case Cell::Form::Crowd: {
      const Crowd& crowd = shadow.crowd(cell);
      to.lossy = crowd.accesses.size() > 1;
      for (const auto& [agent, stamp] : crowd.accesses)
        to.records.push_back({agent, stamp, 0, crowd.site, crowd.reference, crowd.first, crowd.last, nullptr});
      return;
    }
    case Cell::Form::List:
      to = shadow.list(cell);
  }
}

void KernelDetector::copy_accesses(const Cell& cell, RecordList& to) const {
  const auto add = [&](std::uint64_t number, std::uint32_t agent, AccessTime time, SiteId site) {
    const bool knew_nobody = sites_[site].atomic && sites_[site].is_link();
    to.records.push_back(
        {agent, time.stamp(), number, site, time.reference(), 0, kWordBytes, knew_nobody ? order_.nobody() : nullptr});
  };
  add(0, cell.agent(0), cell.time(0), cell.site(0));
  if (cell.is(Cell::Form::TwoReads)) {
    for (std::size_t i = 0; i < 2; ++i) add(2 + 2 * i, cell.reader(i), cell.time_of_reads(), cell.site_of_reads());
  } else if (cell.has_second()) {
    add(2, cell.agent(1), cell.time(1), cell.site(1));
  }
  to.lossy = cell.is_lossy();
  if (to.records.size() >= 2 && to.records[0].agent != to.records[1].agent) {
    // What the second knew of the first is forgotten.
    const Site& second = sites_[to.records[1].site];
    to.lossy = to.lossy || (sites_[to.records[0].site].writes && second.is_link() && !second.atomic);
  }
}

void KernelDetector::pack(Cell& cell) {
  RecordList& list = shadow_->list(cell);
  if (list.records.size() > 2 || (list.lossy && list.mixed)) return;
  for (const Record& record : list.records)
    if (sites_[record.site].atomic || record.first != 0 || record.last != kWordBytes) return;
  Cell packed;
  for (std::size_t i = 0; i < list.records.size(); ++i) {
    const Record& record = list.records[i];
    packed.put(i, {record.agent, AccessTime::of(record.stamp, record.reference), record.site});
  }
  if (list.lossy) packed.lose_links();
  shadow_->drop(cell);
  cell = packed;
}

bool KernelDetector::conflicts(const Record& x, const Now& now) const {
  return x.overlaps(now.record) && (sites_[x.site].writes || now.instruction->writes);
}

// Whether an access that conflicts with the new one does not race with it.
bool KernelDetector::is_in_order(const Record& x, const Now& now, const RecordList& list) {
  if (mutually_ordered(x, now) || is_ordered(x, now, list)) return true;
  if (are_foreign(order_.places(), sites_[x.site], x.agent, *now.instruction, now.agent)) return true;
  const bool is_of_another_class = sites_[x.site].storage != now.instruction->storage;
  const bool is_cut = list.lossy || (order_.chains().has_one_class_each() && is_of_another_class);
  return is_cut && may_be_ordered(x, now, list);
}

void KernelDetector::access_slowly(Cell& cell, Now& now) {
  if (cell.is(Cell::Form::Few)) make_crowd_of_few(cell);
  if (cell.is(Cell::Form::Crowd) && exact_left_ == 0) {
    leave_crowd_in_full(cell, now);
    if (cell.is_empty() && !now.instruction->atomic && now.record.last - now.record.first == kWordBytes) {
      cell.put(0, now);
      return;
    }
  }
  RecordList& list = unpack(cell);
  const auto is_of_another_class = [&](const Record& x) { return sites_[x.site].storage != now.instruction->storage; };
  list.mixed = list.mixed || std::any_of(list.records.begin(), list.records.end(), is_of_another_class);
  looked_ = false;
  for (const Record& x : list.records)
    if (conflicts(x, now) && !is_in_order(x, now, list)) find(x, now, list);
  keep(list, now);
  if (exact_left_ == 0) pack(cell);
}

// The list has the new access, and no more those for which it stands.
void KernelDetector::keep(RecordList& list, Now& now) {
  const bool forgets = exact_left_ == 0;
  const bool full = options_.most_records != 0 && list.records.size() >= options_.most_records;
  const std::size_t least = full ? least_telling(list, now) : list.records.size();
  std::size_t kept = 0;
  bool writes_kept = false;
  for (std::size_t i = 0; i < list.records.size(); ++i) {
    Record& x = list.records[i];
    if (forgets && (i == least || is_replaced(x, now))) {
      list.lossy = list.lossy || (writes_kept && sites_[x.site].is_link());
      continue;
    }
    writes_kept = writes_kept || sites_[x.site].writes;
    if (kept != i) list.records[kept] = std::move(x);
    ++kept;
  }
  if (kept != list.records.size()) list.records.resize(kept);
  if (now.instruction->is_link()) now.record.view = order_.view(now.record.agent);
  list.records.push_back(std::move(now.record));
}

// The one to forget where a list is full: the oldest that another one, or this one, is like; else the oldest.
std::size_t KernelDetector::least_telling(const RecordList& list, const Now& now) const {
  const auto is_like = [&](const Record& x, const Record& y) {
    return x.site == y.site && x.reference == y.reference && x.first == y.first && x.last == y.last &&
           order_.group(x.agent) == order_.group(y.agent);
  };
  for (std::size_t i = 0; i < list.records.size(); ++i) {
    const Record& x = list.records[i];
    const auto later = list.records.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (is_like(x, now.record) ||
        std::any_of(later, list.records.end(), [&](const Record& y) { return is_like(x, y); }))
      return i;
  }
  return 0;
}

// Whether whatever is ordered after the new access is ordered after the old one as well: of the same
// agent, or of the same workgroup before a barrier, or known to be before it. Where operations of
// unequal masks order the new one in ways that the old one does not take part in, that is forgotten.
bool KernelDetector::is_replaced(const Record& x, const Now& now) const {
  const Site& old = sites_[x.site];
  const Site& y = *now.instruction;
  if (!x.inside(now.record) || x.reference != now.record.reference) return false;
  if (x.agent == now.record.agent)
    return (relation(x.site, now) & kReplaced) != 0 && (!y.atomic || x.site == now.record.site);
  if (order_.group(x.agent) == now.group && is_followed(x.site, x.stamp, now)) return true;
  if (!old.non_private || !y.non_private || y.atomic || (old.writes && !y.writes)) return false;
  if (old.storage != y.storage || old.storage == 0) return false;
  const View& view = *order_.view(now.record.agent);
  return view.before[y.class_number].has(order_.group(x.agent), x.agent, x.stamp) &&
         (!old.writes || !y.writes || old.own_availability == kOwn || y.own_availability != kOwn);
}

// Whether accesses to the same bytes of one word, through one reference, are mutually ordered.
bool KernelDetector::mutually_ordered(const Record& x, const Now& now) const {
  return x.reference == now.record.reference && x.first == now.record.first && x.last == now.record.last &&
         race::mutually_ordered(order_.places(), sites_[x.site], x.agent, *now.instruction, now.agent);
}

KernelAccess KernelDetector::access_of(const Record& record, const Now& now) const {
  KernelAccess access;
  access.agent = record.agent;
  access.stamp = record.stamp;
  access.number = record.number;
  access.site = &sites_[record.site];
  access.reference = record.reference;
  access.bytes = {now.operation->locations.allocation, now.word * kWordBytes + record.first,
                  static_cast<std::uint32_t>(record.last - record.first)};
  access.view = record.view.get();
  return access;
}

void KernelDetector::look_at_others(const RecordList& list, const Now& now) {
  if (looked_) return;
  looked_ = true;
  others_.clear();
  for (const Record& record : list.records) others_.push_back(access_of(record, now));
}

bool KernelDetector::is_ordered(const Record& x, const Now& now, const RecordList& list) {
  const Site& old = sites_[x.site];
  const bool same_reference = x.reference == now.record.reference;
  if (order_.is_lost()) return true;
  if (x.agent == now.record.agent && same_reference) return true;
  const GroupId group = order_.group(x.agent);
  if (group == now.group && (same_reference || !old.writes) && is_settled(x.site, x.stamp, now)) return true;
  const View& view = *order_.view(now.record.agent);
  if (x.agent != now.record.agent && !view.reached.has(group, x.agent, x.stamp)) return false;
  look_at_others(list, now);
  KernelAccess y = access_of(now.record, now);
  y.view = &view;
  const auto at = static_cast<std::size_t>(&x - list.records.data());
  return location_order_.ordered(others_[at], y, others_);
}

// Whether something that was forgotten may have ordered them.
bool KernelDetector::may_be_ordered(const Record& x, const Now& now, const RecordList& list) const {
  const GroupId group = order_.group(x.agent);
  const View& view = *order_.view(now.record.agent);
  const Site& old = sites_[x.site];
  if (!old.non_private || !now.instruction->non_private) return false;
  if (old.storage != now.instruction->storage || old.storage == 0 || list.mixed || order_.log().leads_past(old.storage))
    return view.reached.has(group, x.agent, x.stamp);
  return view.before[old.class_number].has(group, x.agent, x.stamp);
}

#ifdef HEDDLE_CHECK_ANSWERS

QuickCheck::QuickCheck(Checker checker, const Cell& cell, const CellAccess& access)
    : detector_(cell.is_numbered() ? nullptr : checker.detector_), access_(access), first_(0), last_(kWordBytes) {
  if (detector_) detector_->copy(cell, *detector_->shadow_, before_);
}

QuickCheck::QuickCheck(Checker checker, Shadow& shadow, const Cell& cell, const CellAccess& access, std::uint32_t first,
                       std::uint32_t last)
    : detector_(checker.detector_), access_(access), first_(first), last_(last) {
  detector_->copy(cell, shadow, before_);
}

bool QuickCheck::agrees(bool answered) const {
  if (!answered || !detector_) return answered;
  Operation operation = detector_->sites_[access_.site].operation;
  operation.agent = static_cast<AgentId>(access_.agent);
  KernelDetector::Now now;
  detector_->set(now, operation.agent, access_.time.reference(), access_.site);
  now.operation = &operation;
  now.record.agent = access_.agent;
  now.record.stamp = now.stamp;
  // This access comes after all accesses of the list.
  now.record.number = ~std::uint64_t{0} - 1;
  now.record.site = access_.site;
  now.record.reference = access_.time.reference();
  now.record.first = static_cast<std::uint8_t>(first_);
  now.record.last = static_cast<std::uint8_t>(last_);
  detector_->looked_ = false;
  // Some of a crowd tell as much as all.
  constexpr std::ptrdiff_t kMost = 8;
  const auto& records = before_.records;
  const auto begin = records.end() - std::min(std::ssize(records), kMost);
  HEDDLE_CHECK(std::all_of(begin, records.end(),
                           [&](const Record& x) {
                             return !detector_->conflicts(x, now) || detector_->is_in_order(x, now, before_);
                           }),
               "the race detector answered quickly for an access that the slow answer finds to race");
  return answered;
}

#endif

}  // namespace heddle::race
