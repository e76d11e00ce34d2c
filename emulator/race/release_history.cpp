#include "emulator/race/release_history.h"

#include <algorithm>
#include <tuple>

namespace heddle::race {

// All of one location are accessed through the same bytes and reference.
//= vk:memory-model-atomic-operation
bool ReleaseHistory::mutually_ordered(const Head& a, std::uint32_t agent, Level level) const {
  return places_.same_instance(a.agent, agent, a.level) && places_.same_instance(a.agent, agent, level) &&
         places_.both_on_host_or_not(a.agent, agent);
}

// Where nothing is offered yet, a write that offers nothing adds nothing.
void ReleaseHistory::write(const Operation& operation, Head head) {
  const Key key{operation.locations, operation.reference};
  auto found = at_.end();
  if (head.offers()) {
    bool fresh = false;
    std::tie(found, fresh) = at_.try_emplace(key);
    const auto allocation = static_cast<std::size_t>(key.bytes.allocation);
    if (allocation >= offered_on_.size()) offered_on_.resize(allocation + 1);
    if (fresh) offered_on_[allocation].push_back(key);
  } else {
    found = at_.find(key);
    if (found == at_.end()) return;
  }
  OfLocation& location = found->second;
  unplaced_.emplace(head.index, key);
  if (location.alike && !are_alike(location, head)) {
    location.alike = false;
    location.together.clear();
  }
  location.heads.push_back(std::move(head));
  if (location.heads.size() >= location.look_through_at) forget_surpassed(location);
}

void ReleaseHistory::placed(model::OperationIndex write) {
  ++last_place_;
  const auto key = unplaced_.find(write);
  if (key == unplaced_.end()) return;
  std::vector<Head>& heads = at_.at(key->second).heads;
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) {
    if (head->index != write) continue;
    head->placed = last_place_;
    break;
  }
  unplaced_.erase(key);
}

// (Of those that are forgotten before, each has its place.)
void ReleaseHistory::forget_offers(AllocationId allocation) {
  std::vector<Key>& locations = offered_on_[static_cast<std::size_t>(allocation)];
  for (const Key& key : locations) {
    const auto found = at_.find(key);
    for (const Head& head : found->second.heads)
      if (head.placed == 0) unplaced_.erase(head.index);
    at_.erase(found);
  }
  locations.clear();
}

void ReleaseHistory::forget_all() {
  at_.clear();
  unplaced_.clear();
  offered_on_.clear();
}

// Whether an agent that is still to read a later write gets no more from this one than from that: a store that
// ended its sequence, or a read-modify-write that releases all that it offers, or offers later releases of the same
// agents. That has to be mutually ordered with all that may still be so with this one: it is of the same agent and
// scope, or of a scope as wide as the device when no agent of this one's workgroup is left.
//= vk:memory-model-release-sequence
bool ReleaseHistory::surpassed(const Head& head, const std::vector<Head>& heads) const {
  const model::Place place = places_.place(head.agent);
  const bool alone =
      places_.has_ended(places_.group(head.agent)) && place.shader_call_group == 0 && place.interlock_group == 0;
  const auto replaces = [&](const Head& later) {
    if (later.agent == head.agent && later.level == head.level) return true;
    return alone && later.level == kDevice && head.level == kDevice &&
           places_.same_instance(head.agent, later.agent, kQueueFamily);
  };
  const auto carries = [&](const Head& later) {
    const auto is_of = [](const Release& release, const Release& by) {
      return (release.mask & ~by.mask) == 0 && release.level <= by.level;
    };
    const auto is_later = [&](const Release& release, const Release& by) {
      return is_of(release, by) && release.level == by.level && release.lane == by.lane && has_all_of(by, release);
    };
    const auto has = [&](std::uint32_t agent, const Release& release) {
      if (later.own && later.acquires_all && is_of(release, *later.own)) return true;
      if (later.own && later.agent == agent && is_later(release, *later.own)) return true;
      return std::any_of(later.fences.begin(), later.fences.end(),
                         [&](const Offer& fence) { return fence.agent == agent && is_later(release, *fence.release); });
    };
    return (!head.own || has(head.agent, *head.own)) &&
           std::all_of(head.fences.begin(), head.fences.end(),
                       [&](const Offer& fence) { return has(fence.agent, *fence.release); });
  };
  return std::any_of(heads.begin(), heads.end(), [&](const Head& later) {
    return later.placed > head.placed && replaces(later) && (!later.modifies || carries(later));
  });
}

// Whether a head that is added leaves all heads of the location alike.
bool ReleaseHistory::are_alike(OfLocation& location, const Head& head) {
  Head& kind = location.kind;
  if (location.heads.empty()) {
    kind = Head{};
    kind.level = head.level;
    kind.storage = head.storage;
  }
  const auto is_of = [](const Release& release, const Release& other) {
    return release.mask == other.mask && release.level == other.level;
  };
  if (!head.modifies || head.level != kind.level || head.storage != kind.storage) return false;
  if (!kind.own) kind.own = head.own;
  if (kind.fences.empty()) kind.fences = head.fences;
  return (!head.own || is_of(*head.own, *kind.own)) &&
         std::all_of(head.fences.begin(), head.fences.end(),
                     [&](const Offer& fence) { return is_of(*fence.release, *kind.fences.front().release); });
}

// Whether who acquires from the head has all that heads before it offer.
bool ReleaseHistory::has_all_before(const OfLocation& location, const Head& head) {
  return location.kind.fences.empty() && head.acquires_all && head.own;
}

//= vk:memory-model-release-sequence
const Head* ReleaseHistory::head_with_all(const Operation& by, model::OperationIndex write, Classes mask) const {
  const auto found = at_.find(Key{by.locations, by.reference});
  if (found == at_.end()) return nullptr;
  const OfLocation& location = found->second;
  if (!location.alike || location.heads.empty()) return nullptr;
  const Head& last = location.heads.back();
  const Level level = level_of(by.scope);
  if (last.index != write || last.placed == 0 || !has_all_before(location, last) || (last.own->mask & ~mask) != 0 ||
      last.level != level || !mutually_ordered(last, static_cast<std::uint32_t>(by.agent), level))
    return nullptr;
  return &last;
}

// Whether the head may be taken up together with others by the reader's workgroup: all that it offers is in scope, and
// who offers from another group shares with the reader the scopes from the queue family on, and no narrower one.
bool ReleaseHistory::offers_to(const Head& head, std::uint32_t reader, Level level) const {
  const auto shares = [&](std::uint32_t agent, Level with) { return places_.same_instance(agent, reader, with); };
  const auto is_plain = [&](std::uint32_t agent) {
    if (places_.group(agent) == places_.group(reader)) return true;
    for (Level between = kWorkgroup; between < kQueueFamily; ++between)
      if (shares(agent, between)) return false;
    return shares(agent, kQueueFamily);
  };
  return mutually_ordered(head, reader, level) && is_plain(head.agent) &&
         std::all_of(head.fences.begin(), head.fences.end(), [&](const Offer& fence) {
           return is_plain(fence.agent) && shares(fence.agent, fence.release->level) && shares(fence.agent, level);
         });
}

void ReleaseHistory::forget_surpassed(OfLocation& location) const {
  std::vector<Head> kept;
  for (std::size_t i = 0; i < location.heads.size(); ++i) {
    Head& head = location.heads[i];
    // The latest ones may be read yet.
    if (i + 16 > location.heads.size() || head.placed == 0 || !surpassed(head, location.heads)) {
      kept.push_back(head);
    } else {
      location.remembered_from = std::max(location.remembered_from, head.index + 1);
    }
  }
  location.heads = std::move(kept);
  location.look_through_at = 2 * location.heads.size() + 64;
}

}  // namespace heddle::race
