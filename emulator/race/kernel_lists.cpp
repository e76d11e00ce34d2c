#include "emulator/race/kernel_lists.h"

#include <heddle/detail/check.h>

#include <algorithm>

#include "emulator/race/kernel_crowds.h"

namespace heddle::race {

// The list of the word, whatever was there. Its accesses go where there is room from earlier lists.
RecordList& KernelLists::unpack(Shadow& shadow, Cell& cell) {
  if (cell.is(Cell::Form::List)) return shadow.list(cell);
  copy(cell, shadow, unpacked_);
  shadow.drop(cell);
  RecordList& list = shadow.make_list(cell);
  std::swap(list, unpacked_);
  return list;
}

// What a cell of this shadow has, one by one.
void KernelLists::copy(const Cell& cell, Shadow& shadow, RecordList& to) const {
  if (cell.is(Cell::Form::List)) {
    to = shadow.list(cell);
    return;
  }
  if (!cell.is(Cell::Form::Crowd)) return copy_own(cell, to);
  to.clear();
  const Crowd& crowd = shadow.crowd(cell);
  to.lossy = crowd.accesses.size() > 1;
  for (const auto& [agent, stamp] : crowd.accesses)
    to.records.push_back({agent, stamp, 0, crowd.site, crowd.reference, crowd.first, crowd.last, nullptr});
}

// What a cell has that is in it.
void KernelLists::copy_own(const Cell& cell, RecordList& to) const {
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
    case Cell::Form::Crowd:
    case Cell::Form::List:
      return;
  }
}

void KernelLists::copy_accesses(const Cell& cell, RecordList& to) const {
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

void KernelLists::pack(Shadow& shadow, Cell& cell) const {
  RecordList& list = shadow.list(cell);
  if (list.records.size() > 2 || (list.lossy && list.mixed)) return;
  for (const Record& record : list.records)
    if (sites_[record.site].atomic || record.first != 0 || record.last != kWordBytes) return;
  Cell packed;
  for (std::size_t i = 0; i < list.records.size(); ++i) {
    const Record& record = list.records[i];
    packed.put(i, {record.agent, AccessTime::of(record.stamp, record.reference), record.site});
  }
  if (list.lossy) packed.lose_links();
  shadow.drop(cell);
  cell = packed;
}

void KernelLists::look_for_races(const RecordList& list, const WordAccess& now, KernelRaces& races) {
  pairs_.begin();
  for (const Record& x : list.records) {
    if (!pairs_.conflict(x, now) || pairs_.is_in_order(x, now, list)) continue;
    if (KernelRace* const first = races.find(x, now)) {
      first->missing = pairs_.missing(x, now, list);
      first->reason = pairs_.explain(x, now, first->missing);
    }
  }
}

void KernelLists::take_in(Shadow& shadow, Cell& cell, WordAccess& now, bool forgets, KernelRaces& races) {
  if (cell.is(Cell::Form::Few)) make_crowd_of_few(shadow, cell);
  if (cell.is(Cell::Form::Crowd) && forgets) {
    leave_crowd_in_full(shadow, cell, now);
    if (cell.is_empty() && !now.instruction->atomic && now.is_whole()) {
      cell.put(0, now);
      return;
    }
  }
  RecordList& list = unpack(shadow, cell);
  const auto is_of_another_class = [&](const Record& x) { return sites_[x.site].storage != now.instruction->storage; };
  list.mixed = list.mixed || std::any_of(list.records.begin(), list.records.end(), is_of_another_class);
  look_for_races(list, now, races);
  keep(list, now, forgets);
  if (forgets) pack(shadow, cell);
}

// The list has the new access, and no more those for which it stands.
void KernelLists::keep(RecordList& list, WordAccess& now, bool forgets) const {
  const bool full = most_records_ != 0 && list.records.size() >= most_records_;
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
std::size_t KernelLists::least_telling(const RecordList& list, const WordAccess& now) const {
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
bool KernelLists::is_replaced(const Record& older, const WordAccess& now) const {
  const Site& old = sites_[older.site];
  const Site& y = *now.instruction;
  if (!older.inside(now.record) || older.reference != now.record.reference) return false;
  if (older.agent == now.record.agent)
    return (now.relation(older.site) & kReplaced) != 0 && (!y.atomic || older.site == now.record.site);
  if (now.is_near(older.agent) && now.is_followed(older.site, older.stamp)) return true;
  if (!old.non_private || !y.non_private || y.atomic || (old.writes && !y.writes)) return false;
  if (old.storage != y.storage || old.storage == 0) return false;
  const View& view = *order_.view(now.record.agent);
  return view.before[y.class_number].has(order_.group(older.agent), older.agent, older.stamp) &&
         (!old.writes || !y.writes || old.own_availability == kOwn || y.own_availability != kOwn);
}

#ifdef HEDDLE_CHECK_ANSWERS

QuickCheck::QuickCheck(Checker checker, const Cell& cell, const CellAccess& access)
    : lists_(cell.is_numbered() ? nullptr : checker.lists_), access_(access), first_(0), last_(kWordBytes) {
  if (lists_) lists_->copy_own(cell, before_);
}

QuickCheck::QuickCheck(Checker checker, Shadow& shadow, const Cell& cell, const CellAccess& access, std::uint32_t first,
                       std::uint32_t last)
    : lists_(checker.lists_), access_(access), first_(first), last_(last) {
  lists_->copy(cell, shadow, before_);
}

bool QuickCheck::agrees(bool answered) const {
  if (!answered || !lists_) return answered;
  Operation operation = lists_->sites_[access_.site].operation;
  operation.agent = static_cast<AgentId>(access_.agent);
  WordAccess now(NewAccess(lists_->order_, lists_->sites_, operation.agent, access_.time.reference(), access_.site));
  now.operation = &operation;
  // This access comes after all accesses of the list.
  now.record.number = ~std::uint64_t{0} - 1;
  now.record.first = static_cast<std::uint8_t>(first_);
  now.record.last = static_cast<std::uint8_t>(last_);
  WordPairs& pairs = lists_->pairs_;
  pairs.begin();
  // Some of a crowd tell as much as all.
  constexpr std::ptrdiff_t kMost = 8;
  const auto& records = before_.records;
  const auto begin = records.end() - std::min(std::ssize(records), kMost);
  HEDDLE_CHECK(
      std::all_of(begin, records.end(),
                  [&](const Record& x) { return !pairs.conflict(x, now) || pairs.is_in_order(x, now, before_); }),
      "the race detector answered quickly for an access that the slow answer finds to race");
  return answered;
}

#endif

}  // namespace heddle::race
