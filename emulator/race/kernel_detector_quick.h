#pragma once

/// \file
/// What nearly all plain accesses of kernels with barriers come to, inline: a cell that nobody accessed, or whose
/// accesses are the agent's own or from before a barrier of its workgroup, or reads like this one. Everything
/// else is left to KernelDetector::answers, which says the same of these.

#include "emulator/race/kernel_detector.h"

namespace heddle::race {

template <bool writes>
[[gnu::always_inline]] inline bool KernelDetector::answers_quickly(AgentId agent, ReferenceId reference,
                                                                   const Locations& bytes,
                                                                   SiteId site) {
  constexpr SiteId kMost = SiteRelations::kMost;
  static_assert((kMost & (kMost - 1)) == 0);
  if (exact_left_ != 0 || site >= kMost) [[unlikely]] return false;
  Shadow::Allocation& allocation = shadow_->allocation(bytes.allocation);
  const auto me = static_cast<std::uint32_t>(agent);
  const GroupId group = order_.group(me);
  const Stamp stamp = order_.now(group);
  // The first reference has number 0.
  if (!allocation.is_first(reference) || stamp > kMostStamps) [[unlikely]] return false;
  const std::uint32_t time = stamp << 8;
  Cell& cell = shadow_->cell(allocation, bytes.offset_bytes / kGranuleBytes);
  const SiteId first = cell.sites[0];
  const SiteId second = cell.sites[1];
  if (first == kNoSite && !allocation.is_known() && relations_.of_workgroup(site)) return false;
  if (bytes.size_bytes != kGranuleBytes) {
    // As `join_parts`.
    const auto part = static_cast<std::uint32_t>(bytes.offset_bytes % kGranuleBytes) / bytes.size_bytes;
    if (first == kNoSite) {
      cell.agents[0] = me - part;
      cell.times[0] = time;
      cell.sites = {site, kParts};
    } else if (second != kParts || cell.agents[0] != me - part || cell.times[0] != time || first != site) {
      return false;
    }
    cell.agents[1] |= 1u << part;
    return true;
  }
  if (first == kNoSite) {
    cell.agents[0] = me;
    cell.times[0] = time;
    cell.sites[0] = site;
    return true;
  }
  constexpr std::uint32_t kReferenceBits = 0x7f;
  const std::uint32_t first_time = cell.times[0];
  const std::uint32_t second_time = cell.times[1];
  // A list, a crowd, parts, or another reference.
  if ((first | second) >= kMost || ((first_time | second_time) & kReferenceBits) != 0) return false;
  const Relation* const relations = relations_.to(site);
  const Settled& settled = order_.settled(group, relations_.class_number(site));
  // As `before`, of accesses through the same reference.
  const std::uint32_t first_agent = cell.agents[0];
  const Relation of_first = relations[first];
  const bool first_replaced = first_agent == me && (of_first & kReplaced) != 0;
  const bool first_goes = first_replaced || (first_time >> 8 <= settled.by(settled_by(of_first)) &&
                                             order_.group(first_agent) == group);
  if (second == kNoSite) {
    if (!first_goes) return false;
    const std::size_t slot = writes || first_replaced ? 0 : 1;
    cell.agents[slot] = me;
    cell.times[slot] = time | ((slot == 0 ? first_time : second_time) & kLossy);
    cell.sites[slot] = site;
    return true;
  }
  const std::uint32_t second_agent = cell.agents[1];
  const Relation of_second = relations[second];
  const bool second_replaced = second_agent == me && (of_second & kReplaced) != 0;
  if (!writes && !first_goes) {
    // Two others of the workgroup read it with the same instruction since the last barrier.
    return first == site && second == site && (first_time & ~kLossy) == time &&
           (second_time & ~kLossy) == time && first_agent != me && second_agent != me &&
           order_.group(first_agent) == group && order_.group(second_agent) == group;
  }
  if (!first_goes) return false;
  const bool second_settled = second_time >> 8 <= settled.by(settled_by(of_second)) &&
                              order_.group(second_agent) == group;
  if constexpr (writes) {
    if (!second_replaced && !second_settled) return false;
    cell.agents[0] = me;
    cell.times[0] = time;
    cell.sites = {site, kNoSite};
  } else {
    // Own reads again, whatever they may be links of, are looked at elsewhere.
    if (second_replaced || ((of_second & kConflicts) != 0 && !second_settled)) return false;
    cell.agents = {second_agent, me};
    cell.times = {second_time, time | (second_time & kLossy)};
    cell.sites = {second, site};
  }
  return true;
}

}  // namespace heddle::race
