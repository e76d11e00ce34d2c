#pragma once

/// \file
/// The agents of an order by their workgroups, with what each of them has of its own.

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "emulator/race/ordering.h"
#include "emulator/race/seen_releases.h"
#include "emulator/race/sync_log.h"

namespace heddle::race {

/// What an agent released and has yet to acquire.
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
  /// By number from `first_agent` on. An agent behind the end has nothing of its own.
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
    FactSums sums;
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
  /// Takes notice of what acquires or releases; of an atomic with its storage class.
  void note(const Ordering& ordering, Classes storage) {
    shared_.log_.note(ordering.mask, storage);
    shared_.use_.note(sets_in(ordering.mask));
    shared_.use_.note_level(ordering.level);
  }
  /// Another agent released this, but the scopes do not include both.
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
