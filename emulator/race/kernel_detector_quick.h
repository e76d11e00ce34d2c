#pragma once

/// \file
/// What most accesses come to, inline. While accesses are remembered one by one: a cell that has room, and nothing
/// that the access needs an order to. Of nearly all plain accesses of kernels with barriers after that: a cell that
/// nobody accessed, or whose accesses are the agent's own or from before a barrier of its workgroup, or reads like
/// this one. Everything else is left to what KernelDetector asks elsewhere, which says the same of these.

#include <algorithm>

#include "emulator/race/kernel_detector.h"

namespace heddle::race {

inline std::uint8_t reference_of(std::uint32_t time) { return static_cast<std::uint8_t>(time & kMostReferences); }

inline void KernelDetector::put(Cell& cell, std::size_t slot, std::uint32_t agent, std::uint32_t time,
                                SiteId site) {
  cell.agents[slot] = agent;
  cell.times[slot] = time | (cell.times[slot] & kLossy);
  cell.sites[slot] = site;
}

// Of a link of chains it is remembered what its agent knew: a cell has atomics of those who know of nobody. Of
// instructions whose relations are not at hand it has none.
template <typename KnowsNobody, typename Mutual>
[[gnu::always_inline]] inline bool KernelDetector::stands_beside(Cell& cell, std::uint32_t agent,
                                                                 std::uint32_t time, SiteId site,
                                                                 KnowsNobody knows_nobody,
                                                                 Mutual mutually_ordered) {
  if (site >= SiteRelations::kMost) [[unlikely]] return false;
  const SiteFacts& facts = relations_.facts(site);
  if (facts.link && !(facts.atomic && knows_nobody())) return false;
  const SiteId first = cell.sites[0];
  if (first == kNoSite) {
    put(cell, 0, agent, time, site);
    return true;
  }
  if (first >= SiteRelations::kMost || cell.sites[1] != kNoSite) return false;
  const Relation relation = relations_.to(site)[first];
  if ((relation & kConflicts) != 0 &&
      !(reference_of(cell.times[0]) == reference_of(time) &&
        (cell.agents[0] == agent || mutually_ordered(first, relation))))
    return false;
  put(cell, 1, agent, time, site);
  return true;
}

// As `stands_alone`, of most. If it is atomic, and neither acquires nor releases, then the order need not hear of it
// either, as long as nothing is offered.
[[gnu::always_inline]] inline bool KernelDetector::stands_alone_at_once(AgentId agent, ReferenceId reference,
                                                                        const Locations& bytes, SiteId site) {
  Shadow::Allocation* const allocation = shadow_->find(bytes.allocation);
  if (!is_granule(bytes) || !allocation || !allocation->is_first(reference)) return false;
  Cell* const cell = shadow_->find(*allocation, bytes.offset_bytes / kGranuleBytes);
  if (!cell || site >= SiteRelations::kMost) return false;
  if (relations_.of_workgroup(site) && !allocation->is_known()) return false;
  const auto me = static_cast<std::uint32_t>(agent);
  const GroupId group = order_.group(me);
  const Stamp stamp = order_.now(group);
  if (relations_.facts(site).atomic && !order_.knows_and_tells_nobody(group)) return false;
  const auto knows_nobody = [] { return true; };
  const auto mutually_ordered = [&](SiteId, Relation relation) {
    return (relation & kMutual) != 0 && order_.places().is_one_device();
  };
  if (stamp > kMostStamps ||
      !stands_beside(*cell, me, stamp << 8, site, knows_nobody, mutually_ordered))
    return false;
  allocation->use();
  count_exact();
  return true;
}

/// Who may have accessed a granule: anybody, through any reference.
class KernelDetector::ByAnybody {
 public:
  ByAnybody(const KernelOrder::Near& near, const SiteRelations& relations, SiteId site, std::uint8_t number)
      : near_(near), settled_(near.settled(relations.class_number(site))), number_(number) {}
  [[gnu::always_inline]] bool is_other_reference(std::uint32_t time) const {
    return ((time ^ number_) & kMostReferences) != 0;
  }
  /// As `before`, of an access through the same reference.
  [[gnu::always_inline]] bool is_settled(std::uint32_t agent, std::uint32_t time, Relation relation) const {
    return time >> 8 <= settled_.by(settled_by(relation)) && near_.has(agent);
  }
  // Seldom asked for: out of the way of the others.
  [[gnu::noinline]] bool reads_alike(const Cell& cell, std::uint32_t agent, std::uint32_t time, SiteId site) const {
    return read_alike(cell, agent, time, site, [this](std::uint32_t other) { return near_.has(other); });
  }

 private:
  const KernelOrder::Near& near_;
  const Settled& settled_;
  std::uint8_t number_;
};

// What is settled of the last stamp that cells can have is left to those who ask in full.
inline KernelDetector::Interval::Interval(const KernelOrder::Near& near, std::uint8_t number)
    : now_(near.clock()), stamp_(near.now() <= kMostStamps ? near.now() : 0), time_(near.now() << 8 | number) {
  const Settled& settled = near.settled(kWorkgroupClass);
  for (std::size_t way = 0; way < kSettledBy; ++way) {
    const Stamp last = settled.by(static_cast<SettledBy>(way));
    ends_[way] = last == 0 ? 0 : (last + 1) << 8;
  }
}

template <bool writes, typename MayBeFirst>
[[gnu::always_inline]] inline bool KernelDetector::is_answered(Cell& cell, std::uint32_t me, std::uint32_t time,
                                                               SiteId site, const ByAnybody& who,
                                                               MayBeFirst may_be_first) {
  constexpr SiteId kMost = SiteRelations::kMost;
  const SiteId first = cell.sites[0];
  const SiteId second = cell.sites[1];
  if (first == kNoSite) {
    if (!may_be_first()) [[unlikely]] return false;
    cell.agents[0] = me;
    cell.times[0] = time;
    cell.sites[0] = site;
    return true;
  }
  // A list, a crowd, or parts.
  if ((first | second) >= kMost || who.is_other_reference(cell.times[0])) [[unlikely]] return false;
  const Relation* const to_this = relations_.to(site);
  const Relation to_first = to_this[first];
  const bool replaces_first = cell.agents[0] == me && (to_first & kReplaced) != 0;
  const bool first_goes = replaces_first || who.is_settled(cell.agents[0], cell.times[0], to_first);
  if (second == kNoSite) {
    if (!first_goes) return false;
    put(cell, writes || replaces_first ? 0 : 1, me, time, site);
    return true;
  }
  if (who.is_other_reference(cell.times[1])) return false;
  if (!first_goes) return !writes && who.reads_alike(cell, me, time, site);
  const Relation to_second = to_this[second];
  const bool replaces_second = cell.agents[1] == me && (to_second & kReplaced) != 0;
  const bool second_is_settled = who.is_settled(cell.agents[1], cell.times[1], to_second);
  if constexpr (writes) {
    if (!replaces_second && !second_is_settled) return false;
    cell.agents[0] = me;
    cell.times[0] = time;
    cell.sites[0] = site;
    cell.sites[1] = kNoSite;
  } else {
    // Own reads again, whatever they may be links of, are looked at elsewhere; and a write that is not to go, since
    // others race with it who do not race with reads.
    const bool write_stays = !replaces_first && ((to_first & kStandsFor) | (to_second & kWrote)) == 0;
    if (replaces_second || write_stays || (!second_is_settled && (to_second & kConflicts) != 0)) return false;
    const std::uint32_t second_time = cell.times[1];
    cell.agents[0] = cell.agents[1];
    cell.times[0] = second_time;
    cell.sites[0] = second;
    cell.agents[1] = me;
    cell.times[1] = time | (second_time & kLossy);
    cell.sites[1] = site;
  }
  return true;
}

[[gnu::always_inline]] inline KernelDetector::Spot KernelDetector::spot(Shadow& shadow, AgentId agent,
                                                                        ReferenceId reference,
                                                                        const Locations& bytes) {
  Shadow::Allocation* const allocation = shadow.find(bytes.allocation);
  if (!allocation || !is_quick()) [[unlikely]] return {};
  Cell* const cell = shadow.find(*allocation, bytes.offset_bytes / kGranuleBytes);
  const std::uint8_t number = allocation->number(reference);
  const KernelOrder::Near& near = order_.near(static_cast<std::uint32_t>(agent));
  if (!cell || number == kMostReferences || near.now() > kMostStamps) [[unlikely]] return {};
  return {allocation, cell, &near, number};
}

template <bool writes, typename MayBeFirst>
[[gnu::always_inline]] inline bool KernelDetector::answers_quickly(Shadow& shadow, AgentId agent,
                                                                   ReferenceId reference,
                                                                   const Locations& granule, SiteId site,
                                                                   MayBeFirst may_be_first) {
  const Spot spot = this->spot(shadow, agent, reference, granule);
  if (!spot.cell) [[unlikely]] return false;
  const auto may_be_noted_first = [&] {
    return (spot.allocation->is_known() || !relations_.of_workgroup(site)) && may_be_first();
  };
  return is_answered<writes>(*spot.cell, static_cast<std::uint32_t>(agent), spot.time(), site,
                             ByAnybody(*spot.near, relations_, site, spot.number), may_be_noted_first);
}

template <typename MayBeFirst>
[[gnu::always_inline]] inline bool KernelDetector::answers_first(AgentId agent, ReferenceId reference,
                                                                 const Locations& granule, SiteId site,
                                                                 MayBeFirst may_be_first) {
  const auto me = static_cast<std::uint32_t>(agent);
  const KernelOrder::Near& near = order_.last_near();
  const Shadow::Allocation* const allocation = shadow_->find(granule.allocation);
  if (!near.has(me) || !allocation || !is_quick() || !allocation->is_first(reference)) [[unlikely]] return false;
  const Stamp now = near.now();
  Cell* const cell = allocation->find(granule.offset_bytes / kGranuleBytes);
  if (!cell || cell->sites[0] != kNoSite || now > kMostStamps || !may_be_first()) [[unlikely]] return false;
  put(*cell, 0, me, now << 8, site);
  return true;
}

/// Which of the parts of its granule it is that are as large.
inline std::uint32_t part_of(const Locations& bytes) {
  return static_cast<std::uint32_t>(bytes.offset_bytes % kGranuleBytes) >> (bytes.size_bytes / 2);
}

[[gnu::always_inline]] inline bool KernelDetector::join_part(Cell& cell, std::uint32_t agent, std::uint32_t time,
                                                             SiteId site, std::uint32_t part) {
  const std::uint32_t first_agent = agent - part;
  if (cell.sites[0] == kNoSite) {
    cell.agents[0] = first_agent;
    cell.times[0] = time;
    cell.sites = {site, kParts};
  } else if (cell.sites[1] != kParts || cell.agents[0] != first_agent || cell.times[0] != time ||
             cell.sites[0] != site) {
    return false;
  }
  cell.agents[1] |= 1u << part;
  return true;
}

[[gnu::always_inline]] inline bool KernelDetector::answers_part(Shadow& shadow, AgentId agent, ReferenceId reference,
                                                                const Locations& part, SiteId site) {
  const Spot spot = this->spot(shadow, agent, reference, part);
  return spot.cell &&
         join_part(*spot.cell, static_cast<std::uint32_t>(agent), spot.time(), site, part_of(part));
}

inline void KernelDetector::begins(Cell& cell, const Interval& interval, AgentId agent, QuickSite site) {
  put(cell, 0, static_cast<std::uint32_t>(agent), interval.time_, site.id);
}

inline bool KernelDetector::reads_alike(const Cell& cell, const Interval& interval, AgentId agent,
                                        const QuickSite& site) {
  return read_alike(cell, static_cast<std::uint32_t>(agent), interval.time_, site.id,
                    [](std::uint32_t) { return true; });
}

// As `is_answered`, of agents of one workgroup, through one reference. (Of an empty cell nothing is settled, and
// nothing is replaced there: kNoSite is among those that were not taken notice of.) What is asked of a relation, the
// same every time mostly, comes before what is asked of the agents.
template <bool writes>
[[gnu::always_inline]] inline bool KernelDetector::answers_quickly(Cell& cell, const Interval& interval,
                                                                   AgentId agent, const QuickSite& site) {
  const auto me = static_cast<std::uint32_t>(agent);
  const SiteId first = cell.sites[0];
  const SiteId second = cell.sites[1];
  if ((first | second) >= SiteRelations::kMost) [[unlikely]] return false;
  const auto is_settled = [&](std::size_t slot, Relation relation) {
    return cell.times[slot] < interval.ends_[static_cast<std::size_t>(settled_by(relation))];
  };
  const auto is_replaced = [&](std::size_t slot, Relation relation) {
    return (relation & kReplaced) != 0 && cell.agents[slot] == me;
  };
  const Relation to_first = site.to_this[first];
  if constexpr (writes) {
    if (!is_settled(0, to_first) && !is_replaced(0, to_first)) return false;
    if (second == kNoSite) {
      put(cell, 0, me, interval.time_, site.id);
      return true;
    }
    const Relation to_second = site.to_this[second];
    if (!is_settled(1, to_second) && !is_replaced(1, to_second)) return false;
    cell.agents[0] = me;
    cell.times[0] = interval.time_;
    cell.sites = {site.id, kNoSite};
  } else {
    const bool replaces_first = is_replaced(0, to_first);
    if (!replaces_first && !is_settled(0, to_first)) return false;
    if (second == kNoSite && !replaces_first) {
      cell.agents[1] = me;
      cell.times[1] = interval.time_ | (cell.times[1] & kLossy);
      cell.sites[1] = site.id;
      return true;
    }
    if (second == kNoSite) {
      put(cell, 0, me, interval.time_, site.id);
      return true;
    }
    const Relation to_second = site.to_this[second];
    if (is_replaced(1, to_second) || ((to_second & kConflicts) != 0 && !is_settled(1, to_second))) return false;
    const std::uint32_t second_time = cell.times[1];
    cell.agents = {cell.agents[1], me};
    cell.times = {second_time, interval.time_ | (second_time & kLossy)};
    cell.sites = {second, site.id};
  }
  return true;
}

// As `leaves_crowd`.
inline bool KernelDetector::leaves_few(Cell& cell, const Interval& interval, AgentId agent, const QuickSite& site) {
  if (cell.sites[0] != kFew || !few_are_followed(cell, interval, site)) return false;
  cell = {};
  put(cell, 0, static_cast<std::uint32_t>(agent), interval.time_, site.id);
  return true;
}

// As that of any access, of older ones of the workgroup at a site below SiteRelations::kMost.
[[gnu::always_inline]] inline bool KernelDetector::is_followed(SiteId older, std::uint32_t time,
                                                               const Interval& interval, const QuickSite& site) {
  const Relation relation = site.to_this[older];
  return (relation & kStandsFor) != 0 && time < interval.ends_[static_cast<std::size_t>(settled_by(relation))];
}

// Of all of a crowd in its cell.
[[gnu::always_inline]] inline bool KernelDetector::few_are_followed(const Cell& few, const Interval& interval,
                                                                    const QuickSite& site) {
  return few.sites[1] < SiteRelations::kMost && is_followed(few.sites[1], few.times[0], interval, site);
}

inline void KernelDetector::begin_few(Cell& cell, std::uint32_t agent, std::uint32_t time, SiteId site) {
  cell.agents = {agent, 0};
  cell.times = {time, 0};
  cell.sites = {kFew, site};
}

// One more of a crowd in its cell, of the same workgroup, if there is room. As `join_crowd`.
[[gnu::always_inline]] inline bool KernelDetector::joins_few(Cell& few, std::uint32_t agent, std::uint32_t time,
                                                             SiteId site) {
  const auto offset = static_cast<std::int32_t>(agent - few.agents[0]);
  const auto packed = static_cast<std::uint16_t>(offset);
  if (few.sites[1] != site || few.times[0] != time || static_cast<std::int16_t>(packed) != offset) return false;
  if (offset == 0) return true;
  const std::uint64_t others = others_of(few);
  for (std::uint32_t at = 0; at < 64; at += 16) {
    const auto other = static_cast<std::uint16_t>(others >> at);
    if (other == packed) return true;
    if (other != 0) continue;
    const std::uint64_t more = others | std::uint64_t{packed} << at;
    few.agents[1] = static_cast<std::uint32_t>(more);
    few.times[1] = static_cast<std::uint32_t>(more >> 32);
    return true;
  }
  return false;
}

// A crowd of which this one is the first, where all that is in the cell was before a barrier of the workgroup. As
// `join_crowd`.
[[gnu::noinline]] inline bool KernelDetector::begins_few(Spot spot, std::uint32_t agent, SiteId site) {
  Cell& cell = *spot.cell;
  const SiteId first = cell.sites[0];
  const SiteId second = cell.sites[1];
  if (first == kNoSite || (first | second) >= SiteRelations::kMost) return false;
  const ByAnybody who(*spot.near, relations_, site, spot.number);
  const Relation* const to_this = relations_.to(site);
  const auto is_settled = [&](std::size_t slot) {
    const Relation relation = to_this[cell.sites[slot]];
    return !who.is_other_reference(cell.times[slot]) && (relation & kStandsFor) != 0 &&
           who.is_settled(cell.agents[slot], cell.times[slot], relation);
  };
  if (!is_settled(0) || (second != kNoSite && !is_settled(1))) return false;
  begin_few(cell, agent, spot.time(), site);
  return true;
}

// Either, of agents of one workgroup, through one reference. (Of an empty cell nothing is settled.)
[[gnu::always_inline]] inline bool KernelDetector::answers_atomic_quickly(Cell& cell, const Interval& interval,
                                                                          AgentId agent, const QuickSite& site) {
  const auto me = static_cast<std::uint32_t>(agent);
  const SiteId first = cell.sites[0];
  const SiteId second = cell.sites[1];
  if (first == kFew) {
    if (joins_few(cell, me, interval.time_, site.id)) return true;
    if (!few_are_followed(cell, interval, site)) return false;
  } else {
    if ((first | second) >= SiteRelations::kMost) [[unlikely]] return false;
    if (!is_followed(first, cell.times[0], interval, site) ||
        (second != kNoSite && !is_followed(second, cell.times[1], interval, site)))
      return false;
  }
  begin_few(cell, me, interval.time_, site.id);
  return true;
}

// A crowd that everybody on the device may join, and this one does. As `join_crowd`.
[[gnu::always_inline]] inline bool KernelDetector::joins_at_once(const Cell& crowd, std::uint32_t agent, Stamp stamp,
                                                                 std::uint8_t number, SiteId site) {
  if (crowd.sites[1] != site || crowd.times[0] != number + 1u || !order_.places().is_one_device()) return false;
  shadow_->join_later(crowd, agent, stamp);
  return true;
}

[[gnu::always_inline]] inline bool KernelDetector::joins_all(Cell& cell, AgentId agent, std::uint8_t number,
                                                             SiteId site) {
  const KernelOrder::Near& near = order_.last_near();
  const Stamp now = near.now();
  return cell.sites[0] == kCrowd && now <= kMostStamps && order_.ignores_relaxed(near) && shadow_->has_room_to_join() &&
         joins_at_once(cell, static_cast<std::uint32_t>(agent), now, number, site);
}

[[gnu::always_inline]] inline bool KernelDetector::answers_part(Cell& cell, AgentId agent, std::uint8_t number,
                                                                SiteId site, std::uint32_t part) const {
  const Stamp now = order_.last_near().now();
  return now <= kMostStamps && join_part(cell, static_cast<std::uint32_t>(agent), now << 8 | number, site, part);
}

// A crowd that this one joins. As `join_crowd`.
[[gnu::noinline]] inline bool KernelDetector::joins_many(Spot spot, std::uint32_t agent, SiteId site) {
  Cell& cell = *spot.cell;
  const Crowd& so_far = shadow_->crowd_so_far(cell);
  if (so_far.site != site || so_far.reference != spot.number || so_far.first != 0 || so_far.last != kGranuleBytes)
    return false;
  const bool with_all = relations_.facts(site).scope == kDevice && order_.places().is_one_device();
  if (with_all && !so_far.one_group) {
    cell.sites[1] = site;
    cell.times[0] = spot.number + 1u;
    shadow_->join_later(cell, agent, spot.near->now());
    return true;
  }
  Crowd& crowd = shadow_->crowd(cell);
  const bool is_near = spot.near->has(crowd.last_agent);
  if (crowd.accesses.size() + 1 >= crowd.look_through_at || crowd.last_agent == agent || !(with_all || is_near))
    return false;
  if (!is_near) crowd.one_group = false;
  crowd.add(agent, spot.near->now());
  return true;
}

// A crowd that this one only has to join, or to begin.
[[gnu::always_inline]] inline bool KernelDetector::answers_atomic_quickly(AgentId agent, ReferenceId reference,
                                                                          const Locations& bytes, SiteId site) {
  if (!is_quick(site)) [[unlikely]] return false;
  const Spot spot = this->spot(*shadow_, agent, reference, bytes);
  const auto me = static_cast<std::uint32_t>(agent);
  if (!spot.cell || !may_be_crowded(site) ||
      !(order_.ignores_relaxed(*spot.near) || order_.ignores_relaxed(me, bytes.allocation))) [[unlikely]]
    return false;
  switch (spot.cell->sites[0]) {
    case kCrowd:
      return joins_at_once(*spot.cell, me, spot.near->now(), spot.number, site) || joins_many(spot, me, site);
    case kFew: return spot.near->has(spot.cell->agents[0]) && joins_few(*spot.cell, me, spot.time(), site);
    default: return begins_few(spot, me, site);
  }
}

}  // namespace heddle::race
