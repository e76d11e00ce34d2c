#pragma once

/// \file
/// What atomic writes offer to those who read them: themselves, and the heads of the release sequences
/// that they are in.

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "emulator/model/execution.h"
#include "emulator/race/places.h"
#include "emulator/race/view.h"

namespace heddle::race {

/// What somebody released: acquiring it makes the view part of one's own.
struct Release {
  Classes mask = 0;
  Level level = kOwn;
  ViewPointer view;
  /// When its agent released it, if that is in the view: who has that has the rest of it.
  Stamp stamp = kForEver;
  /// The lane of what released it (tag_lanes.h).
  std::uint8_t lane = 0;
  /// The scope that an acquire needs at least, whoever released it, where several did; 0 where one did.
  Level needs = kOwn;
};

/// Whether a release has all of another one of its agent.
inline bool has_all_of(const Release& later, const Release& other) {
  return later.stamp != kForEver && other.stamp != kForEver ? later.stamp >= other.stamp
                                                            : later.view->reached.includes(other.view->reached);
}

/// A release by an agent. That of a barrier that a whole workgroup reaches is shared.
struct Offer {
  std::uint32_t agent = 0;
  std::shared_ptr<const Release> release;
};

/// An atomic write.
struct Head {
  model::OperationIndex index = 0;
  /// Its place among all atomic writes, from 1; 0 as long as it has none.
  std::uint64_t placed = 0;
  std::uint32_t agent = 0;
  Level level = kOwn;
  Classes storage = 0;
  /// Whether a read-modify-write made it.
  bool modifies = false;
  /// Whether the write acquired all that the release sequences before it offered, and releases that with what is its
  /// own.
  bool acquires_all = false;
  /// What the write releases by itself; null if it is no release.
  std::shared_ptr<const Release> own;
  /// The release barriers before the write that have its class in their mask.
  std::vector<Offer> fences;

  bool offers() const { return own != nullptr || !fences.empty(); }
};

/// How many heads a location has at least where readers take them up together: fewer are as quickly looked at one by
/// one. A test sets it to 1.
inline constinit std::size_t many_heads = 16;

class ReleaseHistory {
 public:
  explicit ReleaseHistory(const Places& places) : places_(places) {}

  void write(const Operation& operation, Head head);
  void placed(model::OperationIndex write);
  void clear() {
    if (!empty()) forget_all();
  }
  /// No agent reads any more what was written to the allocation.
  void forget(AllocationId allocation) {
    if (may_offer(allocation)) forget_offers(allocation);
  }
  bool empty() const { return at_.empty(); }
  /// Whether writes to the location of this operation are remembered.
  bool knows(const Operation& operation) const {
    return at_.find(Key{operation.locations, operation.reference}) != at_.end();
  }
  /// Whether anything may be offered on these bytes.
  bool may_offer(AllocationId allocation) const {
    if (empty()) return false;
    const auto index = static_cast<std::size_t>(allocation);
    return index < offered_on_.size() && !offered_on_[index].empty();
  }
  /// How many locations, and writes that have no place yet, are remembered.
  std::size_t size() const { return at_.size() + unplaced_.size(); }

  /// Calls f(head) with the heads of the release sequences that the read `by` reads from if its bytes
  /// come from `write`, and miss(head) with what it would read if it was in scope. Whether it came to the beginning of
  /// each sequence that `write` is in, or is known to end.
  template <typename F, typename G>
  bool for_each_head(const Operation& by, model::OperationIndex write, F&& f, G&& miss) const;
  /// The head of `write`, if the read `by`, which acquires the classes of `mask`, learns from it alone all that it
  /// learns from those of for_each_head, and leaves nothing of them to barriers: it is the latest of read-modify-writes
  /// that are alike and release by themselves, has acquired all that was offered before, and the read acquires all of
  /// it. Null where that is not known.
  const Head* head_with_all(const Operation& by, model::OperationIndex write, Classes mask) const;
  /// Heads that offer together what all those of for_each_head do, one for those of the reader's workgroup and one for
  /// all others, where that is known: all of them are read-modify-writes of one scope, those that release do it alike,
  /// and `write` is the latest. Empty where it is not. Agents of a workgroup share them: join(release, offers, reader,
  /// needs) is a release, null at first, and what `reader`, one of them, learns of these; it has this Release::needs.
  template <typename Join>
  std::span<const Head> all_heads(const Operation& by, model::OperationIndex write, Join&& join);

 private:
  struct Key {
    Locations bytes;
    ReferenceId reference{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const {
      return (static_cast<std::size_t>(key.bytes.allocation) * 0x9e3779b97f4a7c15u + key.bytes.offset_bytes) *
                 0x165667b19e3779f9u +
             key.bytes.size_bytes + (static_cast<std::size_t>(key.reference) << 4);
    }
  };
  /// What the heads of a location offer together.
  struct Together {
    std::array<Head, 2> heads;
    /// The place of the last head that is among what they offer.
    std::uint64_t placed = 0;
  };
  struct OfLocation {
    std::vector<Head> heads;
    /// Whether the heads differ only in their agents, in whether they release, and in what they know.
    bool alike = true;
    /// What alike heads have in common: level, storage, and the mask and level of what they release.
    Head kind;
    /// What the heads offer to a workgroup, by an agent of it that stands for all.
    std::unordered_map<std::uint32_t, Together> together;
    /// Once the oldest are forgotten: the first that is remembered.
    model::OperationIndex remembered_from = 0;
    std::size_t look_through_at = 64;
  };

  void forget_all();
  void forget_offers(AllocationId allocation);
  bool mutually_ordered(const Head& a, std::uint32_t agent, Level level) const;
  static bool are_alike(OfLocation& location, const Head& head);
  static bool has_all_before(const OfLocation& location, const Head& head);
  bool offers_to(const Head& head, std::uint32_t reader, Level level) const;
  void forget_surpassed(OfLocation& location) const;
  bool surpassed(const Head& head, const std::vector<Head>& heads) const;

  const Places& places_;
  std::unordered_map<Key, OfLocation, HashOfKey> at_;
  std::unordered_map<model::OperationIndex, Key> unplaced_;
  /// The locations that are remembered, by allocation.
  std::vector<std::vector<Key>> offered_on_;
  std::uint64_t last_place_ = 0;
};

template <typename Join>
std::span<const Head> ReleaseHistory::all_heads(const Operation& by, model::OperationIndex write, Join&& join) {
  const auto found = at_.find(Key{by.locations, by.reference});
  if (found == at_.end()) return {};
  OfLocation& location = found->second;
  const std::vector<Head>& heads = location.heads;
  const Level level = level_of(by.scope);
  if (!location.alike || heads.size() < many_heads || heads.back().index != write || heads.back().level != level ||
      level < kWorkgroup)
    return {};
  const auto agent = static_cast<std::uint32_t>(by.agent);
  const std::uint32_t reader = places_.one_of_instance(agent, kWorkgroup);
  // The heads would count as this agent's own releases, which no agent acquires.
  if (reader == agent) return {};
  Together& together = location.together[reader];
  std::size_t first = heads.size();
  while (first != 0 && (heads[first - 1].placed == 0 || heads[first - 1].placed > together.placed)) --first;
  std::array<std::vector<Offer>, 2> own;
  std::array<std::vector<Offer>, 2> fences;
  std::array<bool, 2> have_all{};
  // The latest come first: they mostly have the others.
  for (std::size_t i = heads.size(); i-- > first;) {
    const Head& head = heads[i];
    if (head.placed == 0 || (i > first && head.placed < heads[i - 1].placed) || !offers_to(head, reader, level)) {
      location.alike = false;
      location.together.clear();
      return {};
    }
    const std::size_t of = places_.group(head.agent) == places_.group(reader) ? 0 : 1;
    if (have_all[of]) continue;
    have_all[of] = has_all_before(location, head);
    if (head.own) own[of].push_back({head.agent, head.own});
    fences[of].insert(fences[of].end(), head.fences.begin(), head.fences.end());
  }
  together.placed = heads.back().placed;
  for (std::size_t of = 0; of < 2; ++of) {
    Head& head = together.heads[of];
    head.agent = reader;
    head.storage = location.kind.storage;
    // A barrier behind the read needs a scope that has those who offer.
    const Level needs = of == 0 ? kSubgroup : kQueueFamily;
    if (!own[of].empty()) head.own = join(head.own, own[of], reader, needs);
    if (fences[of].empty()) continue;
    head.fences.resize(1);
    head.fences.front() = {reader, join(head.fences.front().release, fences[of], reader, needs)};
  }
  return together.heads;
}

template <typename F, typename G>
bool ReleaseHistory::for_each_head(const Operation& by, model::OperationIndex write, F&& f, G&& miss) const {
  const auto found = at_.find(Key{by.locations, by.reference});
  if (found == at_.end()) return true;
  const auto reader = static_cast<std::uint32_t>(by.agent);
  const Level level = level_of(by.scope);
  const std::vector<Head>& heads = found->second.heads;
  const Head* last = nullptr;
  for (auto head = heads.rbegin(); head != heads.rend() && !last; ++head)
    if (head->index == write) last = &*head;
  if (!last) {
    if (write >= found->second.remembered_from) return true;
    // What that one offered is forgotten: it may be all of this, and is not taken for less.
    for (const Head& head : heads) f(head);
    return true;
  }
  if (!mutually_ordered(*last, reader, level)) {
    miss(*last);
    return false;
  }
  f(*last);
  if (!last->modifies || last->placed == 0) return !last->modifies;
  // Back through the modification order: between a head and the write that is read nothing stands but
  // read-modify-writes.
  //= vk:memory-model-release-sequence
  std::vector<const Head*> earlier;
  for (const Head& head : heads)
    if (head.placed != 0 && head.placed < last->placed && mutually_ordered(head, last->agent, last->level))
      earlier.push_back(&head);
  std::sort(earlier.begin(), earlier.end(), [](const Head* a, const Head* b) { return a->placed > b->placed; });
  std::vector<const Head*> breaking;
  for (const Head* head : earlier) {
    const bool broken = std::any_of(breaking.begin(), breaking.end(), [&](const Head* between) {
      return mutually_ordered(*head, between->agent, between->level);
    });
    if (!broken && mutually_ordered(*head, reader, level)) f(*head);
    if (!head->modifies) breaking.push_back(head);
  }
  return true;
}

}  // namespace heddle::race
