#pragma once

/// \file
/// What nearly all plain accesses of kernels with barriers come to, inline, once accesses are not remembered one by
/// one: a cell that no agent accessed, or whose accesses are the agent's own or from before a barrier of its workgroup,
/// or reads like this one. Everything else is left to what KernelDetector asks elsewhere, which says the same of these.

#include <algorithm>

#include "emulator/race/kernel_detector.h"

namespace heddle::race {

/// A word as an agent comes to it through a reference.
struct Spot {
  const Shadow::Allocation* allocation = nullptr;
  /// Null where it is not to be answered quickly, and nothing else means anything.
  Cell* cell = nullptr;
  const KernelOrder::Near* near = nullptr;
  std::uint8_t number = kMostReferences;

  CellAccess access(AgentId agent, SiteId site) const {
    return {static_cast<std::uint32_t>(agent), AccessTime::of(near->now(), number), site};
  }
};

[[gnu::always_inline]] inline Spot spot_of(Shadow& shadow, KernelOrder& order, AgentId agent, ReferenceId reference,
                                           const Locations& bytes) {
  Shadow::Allocation* const allocation = shadow.find(bytes.allocation);
  if (!allocation) [[unlikely]]
    return {};
  Cell* const cell = shadow.find(*allocation, bytes.offset_bytes / kWordBytes);
  const std::uint8_t number = allocation->number(reference);
  const KernelOrder::Near& near = order.near(static_cast<std::uint32_t>(agent));
  if (!cell || number == kMostReferences || near.now() > kMostStamps) [[unlikely]]
    return {};
  return {allocation, cell, &near, number};
}

/// Who may have accessed a word: anybody, through any reference.
class ByAnybody {
 public:
  ByAnybody(const Spot& spot, const SiteRelations& relations, SiteId site)
      : near_(*spot.near),
        to_this_(relations.to(site)),
        settled_(near_.settled(relations.class_number(site))),
        number_(spot.number) {}
  /// What the access in the slot means to this one.
  [[gnu::always_inline]] Relation relation(const Cell& cell, std::size_t slot) const {
    return to_this_[cell.site(slot)];
  }
  [[gnu::always_inline]] bool is_other_reference(const Cell& cell, std::size_t slot) const {
    return !cell.has_reference(slot, number_);
  }
  /// Whether the access in the slot, through the same reference, is before this one.
  [[gnu::always_inline]] bool is_settled(const Cell& cell, std::size_t slot, Relation relation) const {
    return cell.time(slot).stamp() <= settled_.by(settled_by(relation)) && near_.has(cell.agent(slot));
  }
  // Seldom asked for: out of the way of the others.
  [[gnu::noinline]] bool reads_alike(const Cell& cell, const CellAccess& read) const {
    return cell.reads_alike(read, [this](std::uint32_t other) { return near_.has(other); });
  }

 private:
  const KernelOrder::Near& near_;
  const Relation* to_this_;
  const Settled& settled_;
  std::uint8_t number_;
};

template <bool writes, typename MayBeFirst>
[[gnu::always_inline]] inline bool fits_word(Cell& cell, const CellAccess& access, const ByAnybody& who,
                                             MayBeFirst may_be_first) {
  if (cell.is_empty()) {
    if (!may_be_first()) [[unlikely]]
      return false;
    cell.put(0, access);
    return true;
  }
  if (!cell.is_simple() || who.is_other_reference(cell, 0)) [[unlikely]]
    return false;
  const Relation to_first = who.relation(cell, 0);
  const bool replaces_first = cell.agent(0) == access.agent && (to_first & kReplaced) != 0;
  const bool first_goes = replaces_first || who.is_settled(cell, 0, to_first);
  if (!cell.has_second()) {
    if (!first_goes) return false;
    cell.put(writes || replaces_first ? 0 : 1, access);
    return true;
  }
  if (who.is_other_reference(cell, 1)) return false;
  if (!first_goes) return !writes && who.reads_alike(cell, access);
  const Relation to_second = who.relation(cell, 1);
  const bool replaces_second = cell.agent(1) == access.agent && (to_second & kReplaced) != 0;
  const bool second_is_settled = who.is_settled(cell, 1, to_second);
  if constexpr (writes) {
    if (!replaces_second && !second_is_settled) return false;
    cell.put_alone(access);
  } else {
    // Own reads again, whatever they may be links of, are looked at elsewhere; and a write that is not to go, since
    // others race with it who do not race with reads.
    const bool write_stays = !replaces_first && ((to_first & kStandsFor) | (to_second & kWrote)) == 0;
    if (replaces_second || write_stays || (!second_is_settled && (to_second & kConflicts) != 0)) return false;
    cell.put_last(access);
  }
  return true;
}

// A crowd of which this one is the first, where all that is in the cell was before a barrier of the workgroup. As
// `joins_crowd`.
[[gnu::noinline]] inline bool begins_few(Cell& cell, const CellAccess& atomic, const ByAnybody& who) {
  if (cell.is_empty() || !cell.is_simple()) return false;
  const auto is_followed = [&](std::size_t slot) {
    const Relation relation = who.relation(cell, slot);
    return !who.is_other_reference(cell, slot) && (relation & kStandsFor) != 0 && who.is_settled(cell, slot, relation);
  };
  if (!is_followed(0) || (cell.has_second() && !is_followed(1))) return false;
  cell = Cell::few(atomic);
  return true;
}

// A crowd that all may join who are here, and this one does; `with_all` if atomics of this scope are mutually ordered
// with those of all of them. As `joins_crowd`.
[[gnu::always_inline]] inline bool joins_at_once(Shadow& shadow, const Cell& crowd, const CellAccess& atomic,
                                                 bool with_all) {
  if (!crowd.is_open_to_all(atomic.site, atomic.time.reference()) || !with_all) return false;
  shadow.join_later(crowd, atomic.agent, atomic.time.stamp());
  return true;
}

// A crowd that this one joins; `with_all` if all that there are may. As `joins_crowd`.
[[gnu::noinline]] inline bool joins_many(Shadow& shadow, const Spot& spot, const CellAccess& atomic, bool with_all) {
  Cell& cell = *spot.cell;
  const Crowd& so_far = shadow.crowd_so_far(cell);
  if (so_far.site != atomic.site || so_far.reference != spot.number || so_far.first != 0 || so_far.last != kWordBytes)
    return false;
  if (with_all && !so_far.one_group) {
    cell.open_to_all(atomic.site, spot.number);
    shadow.join_later(cell, atomic.agent, atomic.time.stamp());
    return true;
  }
  Crowd& crowd = shadow.crowd(cell);
  const bool is_near = spot.near->has(crowd.last_agent);
  if (crowd.accesses.size() + 1 >= crowd.look_through_at || crowd.last_agent == atomic.agent || !(with_all || is_near))
    return false;
  if (!is_near) crowd.one_group = false;
  crowd.add(atomic.agent, atomic.time.stamp());
  return true;
}

template <bool writes, typename MayBeFirst>
[[gnu::always_inline]] inline bool KernelDetector::answers_word(Shadow& shadow, AgentId agent, ReferenceId reference,
                                                                const Locations& word, SiteId site,
                                                                MayBeFirst may_be_first) {
  if (!is_quick()) [[unlikely]]
    return false;
  const Spot spot = spot_of(shadow, order_, agent, reference, word);
  if (!spot.cell) [[unlikely]]
    return false;
  const auto may_be_noted_first = [&] {
    return (spot.allocation->is_known() || !sites_.at_hand().of_workgroup(site)) && may_be_first();
  };
  const CellAccess access = spot.access(agent, site);
  const QuickCheck check(QuickCheck::Checker(*lists_), shadow, *spot.cell, access);
  return check.agrees(
      fits_word<writes>(*spot.cell, access, ByAnybody(spot, sites_.at_hand(), site), may_be_noted_first));
}

template <typename MayBeFirst>
[[gnu::always_inline]] inline bool KernelDetector::answers_first(AgentId agent, ReferenceId reference,
                                                                 const Locations& word, SiteId site,
                                                                 MayBeFirst may_be_first) {
  const auto me = static_cast<std::uint32_t>(agent);
  const KernelOrder::Near& near = order_.last_near();
  const Shadow::Allocation* const allocation = shadow_->find(word.allocation);
  if (!near.has(me) || !allocation || !is_quick() || !allocation->is_first(reference)) [[unlikely]]
    return false;
  const Stamp now = near.now();
  Cell* const cell = allocation->find(word.offset_bytes / kWordBytes);
  if (!cell || !cell->is_empty() || now > kMostStamps || !may_be_first()) [[unlikely]]
    return false;
  cell->put(0, {me, AccessTime::of(now, 0), site});
  return true;
}

// A crowd that this one only has to join, or to begin.
[[gnu::always_inline]] inline bool KernelDetector::answers_known_atomic(AgentId agent, ReferenceId reference,
                                                                        const Locations& bytes, SiteId site) {
  if (!is_quick(site) || !is_quick()) [[unlikely]]
    return false;
  const Spot spot = spot_of(*shadow_, order_, agent, reference, bytes);
  if (!spot.cell || !may_be_crowded(site) ||
      !(order_.ignores_relaxed(*spot.near) ||
        order_.ignores_relaxed(static_cast<std::uint32_t>(agent), bytes.allocation))) [[unlikely]]
    return false;
  const CellAccess atomic = spot.access(agent, site);
  Cell& cell = *spot.cell;
  const QuickCheck check(QuickCheck::Checker(*lists_), *shadow_, cell, atomic);
  const SiteRelations& at_hand = sites_.at_hand();
  if (cell.is(Cell::Form::Crowd)) {
    const bool with_all = order_.places().are_all_in_one_instance(at_hand.facts(site).scope);
    if (check.agrees(joins_at_once(*shadow_, cell, atomic, with_all))) return true;
    return check.agrees(joins_many(*shadow_, spot, atomic, with_all));
  }
  if (cell.is(Cell::Form::Few)) return check.agrees(spot.near->has(cell.agent(0)) && cell.join_few(atomic));
  return check.agrees(begins_few(cell, atomic, ByAnybody(spot, at_hand, site)));
}

}  // namespace heddle::race
