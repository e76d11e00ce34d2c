#pragma once

/// \file
/// What nearly all plain accesses of kernels with barriers come to, inline, once accesses are not remembered one by
/// one: a cell that no agent accessed, or whose accesses are the agent's own or from before a barrier of its workgroup,
/// or reads like this one. Everything else is left to what KernelDetector asks elsewhere, which says the same of these.

#include <algorithm>

#include "emulator/race/kernel_detector.h"

namespace heddle::race {

inline void KernelDetector::set(Access& now, AgentId agent, std::uint8_t reference, SiteId site) {
  now.agent = static_cast<std::uint32_t>(agent);
  now.site = site;
  now.instruction = &sites_[site];
  now.group = order_.group(now.agent);
  now.settled = &order_.settled(now.group, now.instruction->class_number);
  now.stamp = order_.now(now.group);
  now.time = AccessTime::of(now.stamp, reference);
}

inline Relation KernelDetector::relation(SiteId older, const Access& now) const {
  return std::max(older, now.site) < SiteRelations::kMost ? relations_.to(now.site)[older]
                                                          : relation_of(sites_[older], *now.instruction);
}

// Whether barriers that the whole workgroup reached order the older access before this one.
inline bool KernelDetector::is_settled(SiteId older, Stamp stamp, const Access& now) const {
  return stamp <= now.settled->by(settled_by(relation(older, now)));
}

// Whether, besides, an agent that races with the older one races with this one.
inline bool KernelDetector::is_followed(SiteId older, Stamp stamp, const Access& now) const {
  return (relation(older, now) & kStandsFor) != 0 && is_settled(older, stamp, now);
}

/// Who may have accessed a word: anybody, through any reference.
class KernelDetector::ByAnybody {
 public:
  ByAnybody(const KernelOrder::Near& near, const SiteRelations& relations, SiteId site, std::uint8_t number)
      : near_(near), settled_(near.settled(relations.class_number(site))), number_(number) {}
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
  const Settled& settled_;
  std::uint8_t number_;
};

template <bool writes, typename MayBeFirst>
[[gnu::always_inline]] inline bool KernelDetector::fits_word(Cell& cell, const CellAccess& access, const ByAnybody& who,
                                                             MayBeFirst may_be_first) {
  if (cell.is_empty()) {
    if (!may_be_first()) [[unlikely]]
      return false;
    cell.put(0, access);
    return true;
  }
  if (!cell.is_simple() || who.is_other_reference(cell, 0)) [[unlikely]]
    return false;
  const Relation* const to_this = relations_.to(access.site);
  const Relation to_first = to_this[cell.site(0)];
  const bool replaces_first = cell.agent(0) == access.agent && (to_first & kReplaced) != 0;
  const bool first_goes = replaces_first || who.is_settled(cell, 0, to_first);
  if (!cell.has_second()) {
    if (!first_goes) return false;
    cell.put(writes || replaces_first ? 0 : 1, access);
    return true;
  }
  if (who.is_other_reference(cell, 1)) return false;
  if (!first_goes) return !writes && who.reads_alike(cell, access);
  const Relation to_second = to_this[cell.site(1)];
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

[[gnu::always_inline]] inline KernelDetector::Spot KernelDetector::spot(Shadow& shadow, AgentId agent,
                                                                        ReferenceId reference, const Locations& bytes) {
  Shadow::Allocation* const allocation = shadow.find(bytes.allocation);
  if (!allocation || !is_quick()) [[unlikely]]
    return {};
  Cell* const cell = shadow.find(*allocation, bytes.offset_bytes / kWordBytes);
  const std::uint8_t number = allocation->number(reference);
  const KernelOrder::Near& near = order_.near(static_cast<std::uint32_t>(agent));
  if (!cell || number == kMostReferences || near.now() > kMostStamps) [[unlikely]]
    return {};
  return {allocation, cell, &near, number};
}

template <bool writes, typename MayBeFirst>
[[gnu::always_inline]] inline bool KernelDetector::answers_word(Shadow& shadow, AgentId agent, ReferenceId reference,
                                                                const Locations& word, SiteId site,
                                                                MayBeFirst may_be_first) {
  const Spot spot = this->spot(shadow, agent, reference, word);
  if (!spot.cell) [[unlikely]]
    return false;
  const auto may_be_noted_first = [&] {
    return (spot.allocation->is_known() || !relations_.of_workgroup(site)) && may_be_first();
  };
  const CellAccess access = spot.access(agent, site);
  const QuickCheck check(QuickCheck::Checker(*this), shadow, *spot.cell, access);
  return check.agrees(
      fits_word<writes>(*spot.cell, access, ByAnybody(*spot.near, relations_, site, spot.number), may_be_noted_first));
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

// A crowd of which this one is the first, where all that is in the cell was before a barrier of the workgroup. As
// `join_crowd`.
[[gnu::noinline]] inline bool KernelDetector::begins_few(const Spot& spot, const CellAccess& atomic) {
  Cell& cell = *spot.cell;
  if (cell.is_empty() || !cell.is_simple()) return false;
  const ByAnybody who(*spot.near, relations_, atomic.site, spot.number);
  const Relation* const to_this = relations_.to(atomic.site);
  const auto is_followed = [&](std::size_t slot) {
    const Relation relation = to_this[cell.site(slot)];
    return !who.is_other_reference(cell, slot) && (relation & kStandsFor) != 0 && who.is_settled(cell, slot, relation);
  };
  if (!is_followed(0) || (cell.has_second() && !is_followed(1))) return false;
  cell = Cell::few(atomic);
  return true;
}

// A crowd that everybody on the device may join, and this one does. As `join_crowd`.
[[gnu::always_inline]] inline bool KernelDetector::joins_at_once(const Cell& crowd, const CellAccess& atomic) {
  if (!crowd.is_open_to_all(atomic.site, atomic.time.reference()) || !order_.places().is_one_device()) return false;
  shadow_->join_later(crowd, atomic.agent, atomic.time.stamp());
  return true;
}

// A crowd that this one joins. As `join_crowd`.
[[gnu::noinline]] inline bool KernelDetector::joins_many(const Spot& spot, const CellAccess& atomic) {
  Cell& cell = *spot.cell;
  const Crowd& so_far = shadow_->crowd_so_far(cell);
  if (so_far.site != atomic.site || so_far.reference != spot.number || so_far.first != 0 || so_far.last != kWordBytes)
    return false;
  const bool with_all = relations_.facts(atomic.site).scope == kDevice && order_.places().is_one_device();
  if (with_all && !so_far.one_group) {
    cell.open_to_all(atomic.site, spot.number);
    shadow_->join_later(cell, atomic.agent, atomic.time.stamp());
    return true;
  }
  Crowd& crowd = shadow_->crowd(cell);
  const bool is_near = spot.near->has(crowd.last_agent);
  if (crowd.accesses.size() + 1 >= crowd.look_through_at || crowd.last_agent == atomic.agent || !(with_all || is_near))
    return false;
  if (!is_near) crowd.one_group = false;
  crowd.add(atomic.agent, atomic.time.stamp());
  return true;
}

// A crowd that this one only has to join, or to begin.
[[gnu::always_inline]] inline bool KernelDetector::answers_known_atomic(AgentId agent, ReferenceId reference,
                                                                        const Locations& bytes, SiteId site) {
  if (!is_quick(site)) [[unlikely]]
    return false;
  const Spot spot = this->spot(*shadow_, agent, reference, bytes);
  if (!spot.cell || !may_be_crowded(site) ||
      !(order_.ignores_relaxed(*spot.near) ||
        order_.ignores_relaxed(static_cast<std::uint32_t>(agent), bytes.allocation))) [[unlikely]]
    return false;
  const CellAccess atomic = spot.access(agent, site);
  const QuickCheck check(QuickCheck::Checker(*this), *shadow_, *spot.cell, atomic);
  Cell& cell = *spot.cell;
  if (cell.is(Cell::Form::Crowd)) return check.agrees(joins_at_once(cell, atomic) || joins_many(spot, atomic));
  if (cell.is(Cell::Form::Few)) return check.agrees(spot.near->has(cell.agent(0)) && cell.join_few(atomic));
  return check.agrees(begins_few(spot, atomic));
}

}  // namespace heddle::race
