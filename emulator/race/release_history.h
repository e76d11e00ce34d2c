#pragma once

/// \file
/// What atomic writes offer to those who read them: themselves, and the heads of the release sequences
/// that they are in.

#include <algorithm>
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
};

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
  /// It acquires what it releases.
  bool acquires_all = false;
  /// It releases by itself.
  std::shared_ptr<const Release> own;
  /// Release barriers before it that have its class in their mask.
  std::vector<Offer> fences;

  bool offers() const { return own != nullptr || !fences.empty(); }
};

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
  /// So many locations, and writes that have no place yet.
  std::size_t size() const { return at_.size() + unplaced_.size(); }

  /// Calls f(head) with the heads of the release sequences that the read `by` reads from if its bytes
  /// come from `write`, and miss(head) with what it would read if it was in scope.
  template <typename F, typename G>
  void for_each_head(const Operation& by, model::OperationIndex write, F&& f, G&& miss) const;

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
  struct OfLocation {
    std::vector<Head> heads;
    /// Once the oldest are forgotten: the first that is remembered.
    model::OperationIndex remembered_from = 0;
    std::size_t look_through_at = 64;
  };

  void forget_all();
  void forget_offers(AllocationId allocation);
  bool mutually_ordered(const Head& a, std::uint32_t agent, Level level) const;
  void forget_surpassed(OfLocation& location) const;
  bool surpassed(const Head& head, const std::vector<Head>& heads) const;

  const Places& places_;
  std::unordered_map<Key, OfLocation, HashOfKey> at_;
  std::unordered_map<model::OperationIndex, Key> unplaced_;
  /// By allocation, the locations that are remembered.
  std::vector<std::vector<Key>> offered_on_;
  std::uint64_t last_place_ = 0;
};

template <typename F, typename G>
void ReleaseHistory::for_each_head(const Operation& by, model::OperationIndex write, F&& f, G&& miss) const {
  const auto found = at_.find(Key{by.locations, by.reference});
  if (found == at_.end()) return;
  const auto reader = static_cast<std::uint32_t>(by.agent);
  const Level level = level_of(by.scope);
  const std::vector<Head>& heads = found->second.heads;
  const Head* last = nullptr;
  for (auto head = heads.rbegin(); head != heads.rend() && !last; ++head)
    if (head->index == write) last = &*head;
  if (!last) {
    if (write >= found->second.remembered_from) return;
    // What that one offered is forgotten: it may be all of this, and is not taken for less.
    for (const Head& head : heads) f(head);
    return;
  }
  if (!mutually_ordered(*last, reader, level)) return miss(*last);
  f(*last);
  if (!last->modifies || last->placed == 0) return;
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
}

}  // namespace heddle::race
