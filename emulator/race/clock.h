#pragma once

/// \file
/// Which operations of which agents: everything up to some moment of each.

#include <algorithm>
#include <cstdint>
#include <span>

#include "emulator/race/radix_tree.h"

namespace heddle::race {

/// A number of a workgroup; other agents have one of their own.
using GroupId = std::uint32_t;
/// Counts the releases of a group: an operation happened in the time that it is stamped with.
using Stamp = std::uint32_t;
/// The stamp that the agents of a workgroup begin with.
inline constexpr Stamp kFirstStamp = 1;

inline constexpr Stamp kForEver = ~Stamp{0};

/// Stands for all agents of a workgroup.
inline constexpr std::uint32_t kEveryAgent = ~std::uint32_t{0};

/// A stamp for each agent: its operations up to that are in the clock. Groups of which all agents have
/// the same stamp cost one entry. A copy costs nothing, and clocks of which one was made from the other share all but
/// what differs: so much, and no more, costs it to join or to compare them.
class Clock {
 public:
  bool empty() const { return groups_.empty(); }
  bool has(GroupId group, std::uint32_t agent, Stamp stamp) const;
  /// Up to when the operations of every agent of `group` are in the clock.
  Stamp everybody(GroupId group) const;
  /// Whether `other` has nothing that this one has not.
  bool includes(const Clock& other) const { return groups_.includes(other.groups_, Nobody{}); }

  void add(GroupId group, std::uint32_t agent, Stamp stamp);
  void add_everybody(GroupId group, Stamp stamp);
  void join(const Clock& other) { groups_.join(other.groups_); }
  /// As join, where this clock has all of `known`: costs what the other one does not share with that.
  void join_since(const Clock& other, const Clock& known) { groups_.join_since(other.groups_, known.groups_); }
  /// Clocks that were made one of the other have a lineage in common: the later one has all of the earlier one. 0 of an
  /// empty clock, and of no other.
  std::uint64_t lineage() const { return groups_.lineage(); }
  std::uint32_t place_in_lineage() const { return groups_.place_in_lineage(); }
  /// Joins each of these clocks.
  void join(std::span<const Clock* const> others) {
    for (const Clock* other : others) join(*other);
  }
  /// Whether they share all that they have. Clocks of the same entries need not.
  bool is_same(const Clock& other) const { return groups_.is_same(other.groups_); }
  /// Shares the room of an equal clock from now on.
  void share(const Clock& other);
  /// Tells apart clocks that are not the same in the sense of `is_same`; null of an empty one.
  const void* identity() const { return groups_.identity(); }
  /// The part of it that is of the group.
  Clock of_group(GroupId group) const;
  /// The part of it that is of groups for which keep(group) is true.
  template <typename Keep>
  Clock of_groups(Keep keep) const;
  /// The part of it that is of the group, and of that the entries of the agents from `first` to `last` for which
  /// keep(agent) is true, and that of everybody if keep(kEveryAgent) is.
  template <typename Keep>
  Clock of_agents(GroupId group, std::uint32_t first, std::uint32_t last, Keep keep) const;

 private:
  /// What everybody has of the group that is asked about.
  struct Everybody {
    Stamp of = 0;
    Stamp stamp() const { return of; }
  };
  struct Nobody {
    static Stamp stamp() { return 0; }
  };
  struct OfAgent {
    using Floor = Everybody;
    Stamp stamp = 0;
    Stamp least() const { return stamp; }
    Stamp most() const { return stamp; }
    bool empty() const { return stamp == 0; }
    OfAgent join(const OfAgent& other) const { return {std::max(stamp, other.stamp)}; }
    OfAgent join_since(const OfAgent& other, const OfAgent&) const { return join(other); }
    bool is_same(const OfAgent& other) const { return stamp == other.stamp; }
    bool includes(const OfAgent& other, Floor all) const { return other.stamp <= std::max(stamp, all.of); }
  };
  struct OfGroup {
    using Floor = Nobody;
    Stamp everybody = 0;
    /// The agents whose own stamp is later than everybody's.
    RadixTree<OfAgent> agents = {};
    Stamp least() const { return everybody; }
    Stamp most() const { return std::max(everybody, agents.most()); }
    bool empty() const { return everybody == 0 && agents.empty(); }
    OfGroup join(const OfGroup& other) const;
    OfGroup join_since(const OfGroup& other, const OfGroup& known) const;
    bool is_same(const OfGroup& other) const { return everybody == other.everybody && agents.is_same(other.agents); }
    bool includes(const OfGroup& other, Floor) const {
      return other.everybody <= everybody && agents.includes(other.agents, Everybody{everybody});
    }
    /// The entry with this as everybody's stamp, which is no earlier one than it has.
    OfGroup with_everybody(Stamp stamp) const;
  };

  RadixTree<OfGroup> groups_;
};

template <typename Keep>
Clock Clock::of_groups(Keep keep) const {
  Clock made;
  made.groups_ =
      groups_.mapped(0, ~GroupId{0}, [&](GroupId group, const OfGroup& of) { return keep(group) ? of : OfGroup(); });
  return made;
}

template <typename Keep>
Clock Clock::of_agents(GroupId group, std::uint32_t first, std::uint32_t last, Keep keep) const {
  const OfGroup* const of = groups_.find(group);
  if (!of) return {};
  OfGroup kept;
  if (of->everybody != 0 && keep(kEveryAgent)) kept.everybody = of->everybody;
  kept.agents = of->agents.mapped(
      first, last, [&](std::uint32_t agent, const OfAgent& one) { return keep(agent) ? one : OfAgent(); });
  Clock made;
  if (!kept.empty()) made.groups_.put(group, std::move(kept));
  return made;
}

}  // namespace heddle::race
