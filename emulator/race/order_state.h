#pragma once

/// \file
/// What an order keeps: which synchronization there has been, and what each agent has of its own, by workgroups.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/race/chain_clocks.h"
#include "emulator/race/release_history.h"

namespace heddle::race {

/// An operation of a domain of the API.
struct DomainEvent {
  OperationKind kind = OperationKind::DeviceAvailability;
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  std::uint64_t number = 0;
  ViewPointer view;
  std::uint8_t lane = 0;
};

/// Several threads may note masks at once. Domain operations are told where there is one thread.
class SyncLog {
 public:
  void add(DomainEvent event) { domain_.push_back(std::move(event)); }
  const std::vector<DomainEvent>& domain_operations() const { return domain_; }
  /// Takes notice of an operation that acquires or releases; of an atomic with its storage class.
  void note(Classes mask, Classes storage) {
    add_bit(masks_, mask);
    add_bit(on_, mask | storage);
  }
  /// Whether operations on this class can be ordered by way of others whose masks do not have it.
  bool leads_past(Classes storage) const;
  void clear() {
    masks_.store(0, std::memory_order_relaxed);
    on_.store(0, std::memory_order_relaxed);
    if (!domain_.empty()) domain_.clear();
  }

 private:
  static void add_bit(std::atomic<std::uint16_t>& bits, unsigned bit) {
    const auto mask = static_cast<std::uint16_t>(1u << bit);
    if ((bits.load(std::memory_order_relaxed) & mask) == 0) bits.fetch_or(mask, std::memory_order_relaxed);
  }

  /// The masks so far, and the classes on which operations with masks were, a bit each.
  std::atomic<std::uint16_t> masks_{0};
  std::atomic<std::uint16_t> on_{0};
  std::vector<DomainEvent> domain_;
};

/// What the invocations of a workgroup left to each other at a barrier.
struct LeftTogether {
  std::vector<Offer> all;
  /// The fewest offers that say the same to an agent: those of each subgroup are one, where their scopes have the
  /// workgroup; and these are one for each subgroup that learns of them, by one agent of it. They are made for the
  /// first agent who asks.
  std::vector<Offer> of_subgroups;
  std::map<std::uint32_t, std::vector<Offer>> to_subgroup;
};

class SeenReleases {
 public:
  struct Seen {
    Offer offer;
    /// The classes that a barrier needs to acquire it: those of the atomics in between.
    Classes storage = 0;
    bool at_barrier = false;
  };

  bool empty() const { return seen_.empty(); }
  /// The one that was seen of the agent of `offer`, with its mask, level and lane, in this way; if none was, the offer.
  Offer& of_kind(const Offer& offer, Classes storage, bool at_barrier) {
    const std::size_t at = place_of({offer, storage, at_barrier});
    if (at == seen_.size()) seen_.push_back({offer, storage, at_barrier});
    return seen_[at].offer;
  }
  /// Calls done(seen) for each, and forgets those of which it says true.
  template <typename Done>
  void take(Done done) {
    seen_.erase(std::remove_if(seen_.begin(), seen_.end(), done), seen_.end());
    places_.clear();
  }

 private:
  /// Up to so many releases are looked through one by one.
  static constexpr std::size_t kFew = 16;

  static std::uint64_t kind(const Seen& seen) {
    const Release& release = *seen.offer.release;
    return std::uint64_t{seen.offer.agent} << 32 | std::uint64_t{seen.storage} << 24 |
           std::uint64_t{release.mask} << 16 | std::uint64_t{release.needs} << 12 | std::uint64_t{release.level} << 8 |
           std::uint64_t{release.lane} << 1 | (seen.at_barrier ? 1 : 0);
  }
  /// Where the one of this kind is; at the end, where this one will be, if there is none.
  std::size_t place_of(const Seen& wanted) {
    const std::uint64_t kind = SeenReleases::kind(wanted);
    if (seen_.size() <= kFew) {
      const auto is_it = [&](const Seen& seen) { return SeenReleases::kind(seen) == kind; };
      return static_cast<std::size_t>(std::find_if(seen_.begin(), seen_.end(), is_it) - seen_.begin());
    }
    if (places_.empty())
      for (std::size_t at = 0; at < seen_.size(); ++at) places_.emplace(SeenReleases::kind(seen_[at]), at);
    return places_.emplace(kind, seen_.size()).first->second;
  }

  /// The releases that were seen, one of each kind.
  std::vector<Seen> seen_;
  /// Where each kind is, where there are more than a few; empty if that is not known.
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

/// The releases of an agent, and those of others that it has seen and may yet acquire.
struct AgentReleases {
  /// Its last release barriers, of each mask, level and lane.
  std::vector<Offer> fences;
  SeenReleases seen;
  /// What would be before the agent if the scopes of releases and acquires included it.
  Clock out_of_scope;
};

/// A workgroup, or an agent that is in none.
template <typename AgentState>
struct AgentGroup {
  using Agent = AgentState;

  Stamp now = kFirstStamp;
  Left left;
  std::uint32_t first_agent = 0;
  /// What agents have of their own, by their numbers from `first_agent` on. An agent behind the end has nothing.
  std::vector<Agent> agents;
};

/// What the orders of several threads share. Each order hears the workgroups of its own thread.
template <typename Group>
class SharedGroups {
 public:
  /// To be called before the invocations of a dispatch begin, like Places::reserve; no other thread uses it meanwhile.
  void reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups) {
    places_.reserve(first, size, groups);
    for (std::uint32_t i = 0; i < groups; ++i) groups_.emplace_back().first_agent = first + i * size;
  }
  const Places& places() const { return places_; }

 private:
  template <typename>
  friend class Order;
  template <typename>
  friend class AgentGroups;

  /// What an agent that is gone knew becomes part of what all leave who are gone.
  void leave(const ChainClocks& chains, const View& known) {
    if (!std::any_of(known.facts.begin(), known.facts.end(), reach_out_of_workgroup)) return;
    const std::lock_guard lock(ended_mutex_);
    FactSums sums = chains.sums();
    for (std::size_t i = 0; i < kClassSets.size(); ++i) {
      chains.join(ended_, known, i, sums);
      ended_.own = sums.sum(ended_.own, known.facts[i]);
    }
  }

  Places places_;
  SyncLog log_;
  ChainUse use_;
  /// A thread uses those of its own workgroups.
  std::vector<Group> groups_;
  /// What agents of workgroups that are gone did to chains that reach farther than these; guarded by the mutex.
  std::mutex ended_mutex_;
  View ended_;
  /// The view of an agent that knows of no other.
  const ViewPointer unknowing_ = std::make_shared<const View>();
  /// The view that an agent begins with.
  ViewPointer nothing_ = unknowing_;
};

/// Finds what an agent has of its own, and its group.
template <typename GroupState>
class AgentGroups {
 public:
  using Group = GroupState;
  using Agent = typename Group::Agent;
  using Shared = SharedGroups<Group>;

  AgentGroups(Shared& shared, const ChainClocks& chains) : shared_(shared), chains_(chains) {}

  Group& group_of(std::uint32_t agent) const { return shared_.groups_[shared_.places_.group(agent)]; }
  /// Null if the agent has nothing of its own.
  const Agent* find(std::uint32_t agent) const {
    const Group& group = group_of(agent);
    if (group.agents.empty()) return nullptr;
    const std::size_t at = agent - group.first_agent;
    return at < group.agents.size() ? &group.agents[at] : nullptr;
  }
  Agent& state(std::uint32_t agent) {
    Group& group = group_of(agent);
    const std::size_t at = agent - group.first_agent;
    if (at >= group.agents.size()) group.agents.resize(at + 1);
    return group.agents[at];
  }
  /// The release barriers of the agent.
  std::span<const Offer> fences(std::uint32_t agent) const {
    const Agent* own = find(agent);
    return own ? std::span<const Offer>(own->fences) : std::span<const Offer>();
  }
  /// Takes notice of an operation that acquires or releases; of an atomic with its storage class.
  void note(const Ordering& ordering, Classes storage) {
    shared_.log_.note(ordering.mask, storage);
    shared_.use_.note(sets_in(ordering.mask));
    shared_.use_.note_level(ordering.level);
  }
  /// Takes notice of a release by another agent, where the scopes do not include both.
  void miss(std::uint32_t agent, const Release& release) { state(agent).out_of_scope.join(release.view->reached); }

 protected:
  const Places& places() const { return shared_.places_; }
  std::vector<Group>& groups() const { return shared_.groups_; }
  const ViewPointer& nothing() const { return shared_.nothing_; }
  const ViewPointer& nobody() const { return shared_.unknowing_; }
  const ChainClocks& chains() const { return chains_; }
  const ChainUse& use() const { return shared_.use_; }
  void leave(const View& known) { shared_.leave(chains_, known); }
  /// Agents from this one on begin in a group that others have begun in.
  static void make_room(Group& group, std::uint32_t agent) {
    if (agent >= group.first_agent) return;
    std::vector<Agent> moved(group.first_agent - agent);
    std::move(group.agents.begin(), group.agents.end(), std::back_inserter(moved));
    group.agents = std::move(moved);
    group.first_agent = agent;
  }

 private:
  Shared& shared_;
  const ChainClocks& chains_;
};

}  // namespace heddle::race
