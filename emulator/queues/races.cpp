#include "emulator/queues/races.h"

#include <algorithm>
#include <string_view>

#include "emulator/queues/wide_barriers.h"

namespace heddle::queues {
namespace {

bool same_place(const SourceLocation& a, const SourceLocation& b) {
  return a.line == b.line && std::string_view(a.file) == b.file;
}

bool does_same(const Heard& a, const Heard& b) {
  return a.access.kind == b.access.kind && a.access.writes == b.access.writes && a.access.atomic == b.access.atomic &&
         a.access.scope == b.access.scope && a.access.reference == b.access.reference && a.bytes == b.bytes;
}

}  // namespace

bool RaceFinder::is_same(const Heard& a, const Heard& b) {
  return a.access.node == b.access.node && does_same(a, b);
}

/// Whether one may stand for the other in reports.
bool RaceFinder::is_alike(const Heard& a, const Heard& b) {
  return does_same(a, b) && same_place(a.where, b.where);
}

//= vk:memory-model-atomic-operation
bool RaceFinder::include_each_other(const Access& a, const Access& b) const {
  const std::uint32_t family = order_[a.node].family;
  const auto includes = [&](const Access& from) {
    return reaches_commands(from.scope) && (from.scope != Scope::QueueFamily || family == order_[b.node].family);
  };
  return a.atomic && b.atomic && includes(a) && includes(b);
}

//= vk:memory-model-access-data-race
bool RaceFinder::conflict(const Heard& a, const Heard& b) const {
  return (a.bytes & b.bytes) != 0 && (a.access.writes || b.access.writes) && !include_each_other(a.access, b.access);
}

std::optional<Missing> RaceFinder::note_race(const Heard& earlier, const Heard& later) {
  if (!conflict(earlier, later)) return std::nullopt;
  const Missing missing = order_.missing(earlier.access, later.access);
  if (missing == Missing::Nothing) return missing;
  const FoundRace race{earlier, later, missing};
  if (kept_.insert(told_by(race)).second) candidates_.push_back(race);
  return missing;
}

RaceFinder::ToldBy RaceFinder::told_by(const FoundRace& race) {
  const auto& [first, second, missing] = race;
  return {first.access.node, second.access.node, first.access.allocation, missing,
          first.where.file,  first.where.line,   second.where.file,       second.where.line};
}

/// Whether the later access may stand for the earlier one: it is a write that is ordered behind it, or both are reads
/// in that order. `missing` is what the order of the two lacks, if they conflict.
bool RaceFinder::passes(const Heard& earlier, const Heard& later, std::optional<Missing> missing) const {
  const Access& before = earlier.access;
  const Access& access = later.access;
  if ((earlier.bytes & ~later.bytes) != 0) return false;
  if (missing) return access.writes && *missing == Missing::Nothing;
  return !access.writes && !before.writes && (!access.atomic || (before.atomic && before.scope == access.scope)) &&
         order_.happens_before(before.node, access.node);
}

void RaceFinder::pass(Cell& cell, const Heard& earlier, const Heard& by) const {
  if (is_alike(earlier, by)) return;
  std::erase_if(cell.passed, [&](const Passed& one) {
    return is_alike(one.heard, earlier) && order_.happens_before(one.heard.access.node, earlier.access.node);
  });
  cell.passed.push_back({earlier, by.access.node});
}

void RaceFinder::hear(const Heard& heard) {
  if (wide_) wide_->hear(heard);
  if (!frees_.empty()) uses_freed(heard);
  Cell& cell = cells_[key(heard.access)];
  const NodeId node = heard.access.node;
  if (heard.access.atomic && reaches_commands(heard.access.scope)) note(heard);
  for (const Passed& one : cell.passed)
    if (one.by != node && one.heard.access.node != node && !order_.happens_before(one.by, node))
      note_race(one.heard, heard);
  std::erase_if(cell.heard, [&](const Heard& earlier) {
    if (earlier.access.node == node) return false;
    const bool is_passed = passes(earlier, heard, note_race(earlier, heard));
    if (is_passed) pass(cell, earlier, heard);
    return is_passed;
  });
  if (std::none_of(cell.heard.begin(), cell.heard.end(),
                   [&](const Heard& one) { return one.access.node == node && is_alike(one, heard); }))
    cell.heard.push_back(heard);
}

void RaceFinder::note(const Heard& atomic) {
  Meetings& meetings = meetings_[atomic.access.node];
  const std::uint64_t word = key(atomic.access);
  (atomic.access.writes ? meetings.written : meetings.read).insert(word);
  if (atomic.synchronizes) (atomic.access.writes ? meetings.released : meetings.acquired).insert(word);
}

void RaceFinder::has_barrier(NodeId node, bool releases, bool acquires) {
  Meetings& meetings = meetings_[node];
  meetings.barrier_releases = meetings.barrier_releases || releases;
  meetings.barrier_acquires = meetings.barrier_acquires || acquires;
}

bool RaceFinder::may_synchronize(const Meetings& earlier, const Meetings& later) {
  const std::set<std::uint64_t>& out = earlier.barrier_releases ? earlier.written : earlier.released;
  const std::set<std::uint64_t>& in = later.barrier_acquires ? later.read : later.acquired;
  return std::any_of(out.begin(), out.end(), [&](std::uint64_t word) { return in.count(word) != 0; });
}

bool RaceFinder::may_be_ordered(NodeId earlier, NodeId later) const {
  std::set<NodeId> behind{earlier};
  std::vector<NodeId> ends{earlier};
  while (!ends.empty()) {
    const NodeId at = ends.back();
    ends.pop_back();
    if (at == later || order_.happens_before(at, later)) return true;
    const auto from = meetings_.find(at);
    for (const auto& [node, meetings] : meetings_) {
      const bool follows =
          (from != meetings_.end() && may_synchronize(from->second, meetings)) || order_.happens_before(at, node);
      if (follows && behind.insert(node).second) ends.push_back(node);
    }
  }
  return false;
}

void RaceFinder::command_ends(const std::function<bool(NodeId)>& is_under_way) {
  // Many words are a matter of the same two commands.
  std::map<std::pair<NodeId, NodeId>, bool> ordered;
  const auto is_ordered = [&](NodeId earlier, NodeId later) {
    const auto [at, fresh] = ordered.try_emplace({earlier, later}, false);
    if (fresh) at->second = may_be_ordered(earlier, later);
    return at->second;
  };
  std::vector<FoundRace> left;
  for (const FoundRace& race : candidates_) {
    const NodeId first = race.first.access.node;
    const NodeId second = race.second.access.node;
    if (is_under_way(first) || is_under_way(second)) {
      left.push_back(race);
      continue;
    }
    kept_.erase(told_by(race));
    if (race.missing != Missing::Execution || !is_ordered(first, second)) tell(race);
  }
  candidates_ = std::move(left);
}

void RaceFinder::tell(const FoundRace& race) {
  const auto is_known = [&](const FoundRace& known) {
    const auto is_pair = [&](const Heard& first, const Heard& second) {
      return same_place(known.first.where, first.where) && same_place(known.second.where, second.where);
    };
    // Either of two kernels that take turns may come first, word by word.
    return known.missing == race.missing && known.first.access.allocation == race.first.access.allocation &&
           (is_pair(race.first, race.second) || is_pair(race.second, race.first));
  };
  if (std::none_of(found_.begin(), found_.end(), is_known)) found_.push_back(race);
}

//= vk:memory-model-deallocation
void RaceFinder::ends(const Heard& free) {
  if (wide_) wide_->ends(free);
  const auto tell_unordered = [&](const Heard& earlier) {
    if (earlier.access.allocation == free.access.allocation &&
        !order_.happens_before(earlier.access.node, free.access.node))
      tell({earlier, free, Missing::Execution});
  };
  for (const auto& [word, cell] : cells_) {
    for (const Passed& one : cell.passed) tell_unordered(one.heard);
    for (const Heard& earlier : cell.heard) tell_unordered(earlier);
  }
  frees_.emplace(free.access.allocation, free);
}

void RaceFinder::uses_freed(const Heard& later) {
  const auto free = frees_.find(later.access.allocation);
  if (free != frees_.end()) tell({later, free->second, Missing::Execution});
}

void RaceFinder::invalidates(const Heard& invalidation) {
  for (const Heard& earlier : cells_[key(invalidation.access)].heard)
    if (earlier.access.on_host && earlier.access.writes) tell({earlier, invalidation, Missing::Flush});
}

}  // namespace heddle::queues
