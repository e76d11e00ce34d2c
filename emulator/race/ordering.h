#pragma once

/// \file
/// What a barrier or an atomic orders: the part of its record that clocks ask for, and what an atomic offers and takes.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "emulator/race/chain_clocks.h"
#include "emulator/race/release_history.h"

namespace heddle::race {

inline Ordering ordering_of(const Operation& op) {
  Ordering ordering;
  ordering.acquires = acquires(op.semantics);
  ordering.releases = releases(op.semantics);
  if (ordering.acquires || ordering.releases) ordering.mask = classes_of(op.semantics);
  ordering.level = level_of(op.scope);
  ordering.execution = level_of(op.execution_scope);
  ordering.makes_available = ordering.releases && has(op.semantics, MemorySemantics::MakeAvailable);
  ordering.makes_visible = ordering.acquires && has(op.semantics, MemorySemantics::MakeVisible);
  return ordering;
}

/// Whether an agent that acquires at this level and what it acquires are in each other's scopes.
//= vk:memory-model-synchronizes-with
inline bool in_scope(const Places& places, const Offer& offer, std::uint32_t agent, Level level) {
  if (offer.release->needs != kOwn) return level >= offer.release->needs;
  return places.same_instance(offer.agent, agent, offer.release->level) &&
         places.same_instance(offer.agent, agent, level);
}

/// Adds a release barrier to those of its agent. A later one with the same mask, scope and lane has all that an earlier
/// one has.
inline void remember_fence(std::vector<Offer>& fences, Offer fence) {
  for (Offer& known : fences) {
    const Release& release = *known.release;
    if (release.mask != fence.release->mask || release.level != fence.release->level ||
        release.lane != fence.release->lane)
      continue;
    known = std::move(fence);
    return;
  }
  fences.push_back(std::move(fence));
}

/// What an atomic write offers by the release barriers before it, of all that its agent came to. (What it releases by
/// itself is added by the one who asks.)
//= vk:memory-model-synchronizes-with
inline Head head_of(model::OperationIndex index, const Operation& write, std::span<const Offer> fences) {
  Head head;
  head.index = index;
  head.agent = static_cast<std::uint32_t>(write.agent);
  head.level = level_of(write.scope);
  head.storage = class_of(write.storage_class);
  head.modifies = write.kind == OperationKind::ReadModifyWrite;
  // The atomic's storage class has to be in the barrier's semantics.
  for (const Offer& fence : fences)
    if (head.storage != 0 && (fence.release->mask & head.storage) == head.storage) head.fences.push_back(fence);
  return head;
}

/// What an atomic read of a class takes of the head of a release sequence that it reads from: acquire(offer) for each
/// offer that the read acquires itself, see(offer, classes) for each that acquire barriers behind it may acquire whose
/// masks have these classes. in_scope(barrier) says whether the reader and a barrier are in each other's scopes.
//= vk:memory-model-synchronizes-with
template <typename InScope, typename Acquire, typename See>
void take_up(const Head& head, const Ordering& reader, Classes storage, InScope&& in_scope, Acquire&& acquire,
             See&& see) {
  if (head.own) {
    const Offer own{head.agent, head.own};
    if (reader.acquires) acquire(own);
    see(own, storage);
  }
  for (const Offer& fence : head.fences) {
    if (reader.acquires && in_scope(fence)) acquire(fence);
    // Between two barriers, both have the classes of both atomics.
    if (storage != 0 && (fence.release->mask & storage) == storage) see(fence, storage | head.storage);
  }
}

}  // namespace heddle::race
