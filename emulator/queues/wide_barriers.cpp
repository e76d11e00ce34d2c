#include "emulator/queues/wide_barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/queues/words.h"

namespace heddle::queues {

using model::Accesses;
using model::meet;
using model::Stages;

namespace {

/// More pairs, and more nodes, are not looked at: what is tried takes their product.
constexpr std::size_t kMostPairs = 4096;
constexpr NodeId kMostNodes = 2000;
constexpr std::uint8_t kAllBytes = 0xf;

/// A later stage, in a second scope, stands in for those behind it, and in a first scope for those in front of it: what
/// says less is taken away last.
constexpr std::array kSourceStages = {Stages::Ownership, Stages::Host,    Stages::Clear,
                                      Stages::Copy,      Stages::Compute, Stages::DrawIndirect};
constexpr std::array kDestinationStages = {Stages::Ownership, Stages::Host,         Stages::Clear,
                                           Stages::Copy,      Stages::DrawIndirect, Stages::Compute};
constexpr std::array kKindsInTurn = {Accesses::HostWrite,    Accesses::HostRead,      Accesses::IndirectRead,
                                     Accesses::TransferRead, Accesses::TransferWrite, Accesses::UniformRead,
                                     Accesses::StorageRead,  Accesses::StorageWrite};

template <typename Flags>
Flags without(Flags all, Flags some) {
  return static_cast<Flags>(static_cast<unsigned>(all) & ~static_cast<unsigned>(some));
}

bool is_semaphore(NodeKind kind) {
  return kind == NodeKind::SemaphoreWait || kind == NodeKind::SemaphoreSignal;
}

/// The node with other masks, as a submission makes it.
void say(Node& node, const Needs& said) {
  model::Dependency& dependency = node.dependency;
  if (node.kind == NodeKind::SemaphoreSignal) {
    dependency.first.stages = said.source_stages;
    dependency.available.stages = model::with_earlier(said.source_stages);
    return;
  }
  if (node.kind == NodeKind::SemaphoreWait) {
    dependency.second.stages = said.destination_stages;
    dependency.visible.stages = model::with_later(said.destination_stages);
    return;
  }
  const Accesses source = said.source_accesses & model::accesses_of(said.source_stages);
  const Accesses destination = said.destination_accesses & model::accesses_of(said.destination_stages);
  dependency.first.stages = dependency.available.stages = said.source_stages;
  dependency.second.stages = dependency.visible.stages = said.destination_stages;
  dependency.available.accesses = source;
  dependency.visible.accesses = destination;
  node.to_device = meet(source, Accesses::HostWrite);
  node.to_host = meet(destination, Accesses::HostRead | Accesses::HostWrite);
  if (node.ranges.size() != 1 || said.end == 0) return;
  BufferRange& range = node.ranges.front();
  range.end = range.begin + said.end;
  range.begin += said.begin;
}

}  // namespace

void Needs::join(const Needs& other) {
  any = any || other.any;
  source_stages = source_stages | other.source_stages;
  source_accesses = source_accesses | other.source_accesses;
  destination_stages = destination_stages | other.destination_stages;
  destination_accesses = destination_accesses | other.destination_accesses;
  if (other.begin == other.end) return;
  begin = begin == end ? other.begin : std::min(begin, other.begin);
  end = std::max(end, other.end);
}

void WideBarriers::add(const Access& earlier, const Access& later) {
  if (pairs_.size() > kMostPairs) return;
  const auto kind = [](const Access& access) {
    return static_cast<unsigned>(access.kind) << 1 | (access.writes ? 1u : 0u);
  };
  Pair pair{earlier, later, false, later.offset + kWordBytes};
  if (earlier.writes && later.writes && !later.on_host) {
    pair.later.writes = false;
    pair.is_visible = order_.find_missing(pair.earlier, pair.later) == Missing::Nothing;
    pair.later.writes = true;
  }
  const Key key{earlier.node,      later.node,      kind(earlier),    kind(later),
                earlier.reference, later.reference, later.allocation, order_.range_of(later.offset)};
  Pair& known = pairs_.try_emplace(key, pair).first->second;
  known.earlier.offset = known.later.offset = std::min(known.later.offset, later.offset);
  known.end = std::max(known.end, pair.end);
}

void WideBarriers::hear(const Heard& heard) {
  std::vector<Heard>& cell = cells_[RaceFinder::key(heard.access)];
  bool replaces_all = heard.access.writes && heard.bytes == kAllBytes;
  for (const Heard& earlier : cell) {
    if (earlier.access.node == heard.access.node) continue;
    const bool is_ordered = order_.missing(earlier.access, heard.access) == Missing::Nothing;
    replaces_all = replaces_all && is_ordered;
    if (is_ordered && finder_.conflict(earlier, heard)) add(earlier.access, heard.access);
  }
  if (replaces_all) cell.clear();
  if (std::none_of(cell.begin(), cell.end(), [&](const Heard& one) { return RaceFinder::is_same(one, heard); }))
    cell.push_back(heard);
}

void WideBarriers::ends(const Heard& free) {
  for (const auto& [word, cell] : cells_) {
    for (const Heard& use : cell) {
      if (use.access.allocation != free.access.allocation) continue;
      // The end of memory asks for execution alone.
      Access earlier = use.access;
      earlier.writes = false;
      Access later = free.access;
      later.offset = earlier.offset;
      if (order_.missing(earlier, later) == Missing::Nothing) add(earlier, later);
    }
  }
}

bool WideBarriers::has_room() const {
  return pairs_.size() <= kMostPairs && order_.count() <= kMostNodes;
}

/// `sees`: a later write that would see the earlier one still would.
bool WideBarriers::holds(const Order& order, const Pair& pair, bool sees) {
  Access earlier = pair.earlier;
  Access later = pair.later;
  if (pair.is_visible && sees) later.writes = false;
  for (const std::uint64_t offset : {pair.later.offset, pair.end - kWordBytes}) {
    earlier.offset = later.offset = offset;
    if (order.find_missing(earlier, later) != Missing::Nothing) return false;
  }
  return true;
}

bool WideBarriers::all_hold(const Order& order) const {
  return std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& one) { return holds(order, one.second); });
}

Place WideBarriers::place_of(NodeId id) const {
  const Node& node = order_[id];
  Place place{node.kind, node.call, node.where, node.dependency.transfer, {}};
  place.says.source_stages = node.dependency.first.stages;
  place.says.source_accesses = node.named_source;
  place.says.destination_stages = node.dependency.second.stages;
  place.says.destination_accesses = node.named_destination;
  if (node.ranges.size() == 1) place.says.end = node.ranges.front().end - node.ranges.front().begin;
  return place;
}

WideBarriers::Places WideBarriers::places() const {
  Places out;
  for (const NodeId id : order_.dependencies()) {
    const Node& node = order_[id];
    if (node.kind != NodeKind::Barrier && node.kind != NodeKind::Event && !is_semaphore(node.kind)) continue;
    Place place = place_of(id);
    auto& known = out[place.key()];
    known.first = std::move(place);
    known.second.push_back(id);
  }
  return out;
}

std::vector<WideBarriers::Group> WideBarriers::transfers() const {
  std::map<std::tuple<ReferenceId, std::uint32_t, std::uint32_t>, Group> found;
  for (const NodeId id : order_.dependencies())
    if (const auto& transfer = order_[id].dependency.transfer)
      found[{transfer->reference, transfer->from, transfer->to}].push_back(id);
  std::vector<Group> out;
  for (auto& [key, group] : found) out.push_back(std::move(group));
  return out;
}

/// What overwrites contents needs none of them, and no family to pass them on.
bool WideBarriers::can_leave_out(const Group& group) const {
  const bool sees = !order_[group.front()].dependency.transfer;
  Order changed = order_;
  changed.leave_out(group);
  return std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& one) { return holds(changed, one.second, sees); });
}

bool WideBarriers::is_for_queues(const Group& signals) const {
  bool out = false;
  for (NodeId id = 0; id < order_.count(); ++id) {
    const Node& node = order_[id];
    const auto waits = [&](NodeId earlier) { return std::binary_search(signals.begin(), signals.end(), earlier); };
    if (std::none_of(node.after.begin(), node.after.end(), waits)) continue;
    if (node.kind == NodeKind::Host) return false;
    out = out || node.kind == NodeKind::SemaphoreWait;
  }
  return out;
}

/// A signal without its masks is still behind the submission; one that nobody waits for may be looked at by the host.
bool WideBarriers::is_needed(const Place& place, const Group& group) const {
  if (place.kind == NodeKind::SemaphoreSignal) return !is_for_queues(group) || !can_leave_out(group);
  return !suffices(group, Needs());
}

bool WideBarriers::suffices(const Group& group, const Needs& said) const {
  Order changed = order_;
  for (const NodeId node : group) say(changed[node], said);
  changed.narrow(group);
  return all_hold(changed);
}

/// The bytes of those pairs that are not ordered any more where the range is empty.
void WideBarriers::find_bytes(const Place& place, const Group& group, Needs& needs) const {
  for (const NodeId id : group) {
    if (order_[id].ranges.size() != 1) return;
    Order changed = order_;
    BufferRange& range = changed[id].ranges.front();
    const BufferRange all = range;
    range.end = range.begin;
    changed.narrow({id});
    for (const auto& [key, pair] : pairs_) {
      if (holds(changed, pair)) continue;
      Needs of_pair;
      of_pair.begin = std::max(pair.later.offset, all.begin) - all.begin;
      of_pair.end = std::min(pair.end, all.end) - all.begin;
      needs.join(of_pair);
    }
  }
  Needs narrow = place.says;
  narrow.begin = needs.begin;
  narrow.end = needs.end;
  if (needs.begin == needs.end || suffices(group, narrow)) return;
  needs.begin = 0;
  needs.end = place.says.end;
}

Needs WideBarriers::needs_of(const Place& place, const Group& group) const {
  Needs out;
  out.any = is_needed(place, group);
  if (!out.any) return out;
  const auto shrink = [&](auto Needs::*mask, const auto& flags) {
    Needs said = place.says;
    for (const auto flag : flags) {
      if (!meet(said.*mask, flag)) continue;
      const auto before = said.*mask;
      said.*mask = without(before, flag);
      if (!suffices(group, said)) said.*mask = before;
    }
    out.*mask = said.*mask;
  };
  shrink(&Needs::source_stages, kSourceStages);
  shrink(&Needs::destination_stages, kDestinationStages);
  shrink(&Needs::source_accesses, kKindsInTurn);
  shrink(&Needs::destination_accesses, kKindsInTurn);
  // A semaphore reaches the host at all commands alone.
  for (Stages Needs::*const mask : {&Needs::source_stages, &Needs::destination_stages})
    if (is_semaphore(place.kind) && meet(out.*mask, Stages::Host)) out.*mask = place.says.*mask;
  if (place.says.end != 0) find_bytes(place, group, out);
  return out;
}

std::vector<std::pair<Place, Needs>> WideBarriers::needs() const {
  std::vector<std::pair<Place, Needs>> out;
  if (!has_room()) return out;
  std::map<decltype(Place().key()), Needs> of_transfers;
  for (const Group& group : transfers()) {
    Needs needs;
    needs.any = !can_leave_out(group);
    for (const NodeId node : group) of_transfers[place_of(node).key()].join(needs);
  }
  for (const auto& [key, at] : places()) {
    const auto& [place, group] = at;
    out.emplace_back(place, place.transfer ? of_transfers.at(key) : needs_of(place, group));
  }
  return out;
}

// Words.

namespace {

std::string spelled(Stages stages) {
  return text_of(stages);
}

/// "MEMORY_READ | MEMORY_WRITE" for all of them.
std::string spelled(Accesses accesses) {
  std::string out;
  for (const auto& [all, word] :
       {std::pair(Accesses::MemoryRead, "MEMORY_READ"), std::pair(Accesses::MemoryWrite, "MEMORY_WRITE")}) {
    if ((accesses & all) != all) continue;
    out += (out.empty() ? "" : " | ") + std::string(word);
    accesses = without(accesses, all);
  }
  if (accesses == Accesses::None && !out.empty()) return out;
  return out.empty() ? text_of(accesses) : out + " | " + text_of(accesses);
}

constexpr std::uint8_t kLessOfMask = 1;
constexpr std::uint8_t kRemoved = 4;

/// The change that takes away what nothing needs.
std::string removed(const Place& place) {
  const Needs& says = place.says;
  if (place.transfer)
    return fmt::format("no {} from family {} to family {}", place.transfer->acquires ? "acquire" : "release",
                       place.transfer->from, place.transfer->to);
  if (place.kind == NodeKind::SemaphoreSignal) return "no signal, and no wait for it";
  if (place.kind == NodeKind::SemaphoreWait) return "no wait";
  return fmt::format("no barrier from {} with {} to {} with {}", spelled(says.source_stages),
                     spelled(says.source_accesses), spelled(says.destination_stages),
                     spelled(says.destination_accesses));
}

std::vector<WideText> narrower(const Place& place, const Needs& needs) {
  const Needs& says = place.says;
  std::vector<WideText> out;
  const auto add = [&](auto needed, auto said, const char* mask) {
    if (spelled(needed) == spelled(said)) return;
    out.push_back(
        {place.call, fmt::format("{} instead of {} in {}", spelled(needed), spelled(said), mask), kLessOfMask});
  };
  const bool is_barrier = !is_semaphore(place.kind);
  add(needs.source_stages, says.source_stages, is_barrier ? "srcStageMask" : "stageMask");
  add(needs.destination_stages, says.destination_stages, is_barrier ? "dstStageMask" : "stageMask");
  add(needs.source_accesses, says.source_accesses, "srcAccessMask");
  add(needs.destination_accesses, says.destination_accesses, "dstAccessMask");
  if (says.end != 0 && needs.begin != needs.end && (needs.begin != 0 || needs.end != says.end))
    out.push_back({place.call,
                   fmt::format("bytes {} to {} instead of {} to {} of its range", needs.begin, needs.end - 1,
                               says.begin, says.end - 1),
                   kLessOfMask});
  return out;
}

}  // namespace

std::vector<WideText> texts_of(const Place& place, const Needs& needs) {
  if (!needs.any) return {{place.call, removed(place), kRemoved}};
  return place.transfer ? std::vector<WideText>() : narrower(place, needs);
}

}  // namespace heddle::queues
