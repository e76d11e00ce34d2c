#pragma once

/// \file
/// What the agents of a kernel know where tags count: program order between operations whose sets of tags do not fit
/// each other is left out.
///
/// **Lanes.** What an agent does with one set of tags is a lane (tag_lanes.h). Clocks have a stamp for each lane of an
/// agent, and an agent has for each lane three views:
/// - `acquired`: what is before the acquires of the lane. It is before later operations of each lane that fits it.
/// - `constrained`: what is before some operation of the lane that a set of classes constrains. It is before later
///   releases of each lane that fits it. An access joins what was acquired since the last one to it.
/// - `done`: what operations in bulk of the lane did to chains (chain_clocks.h). It is known to later operations of
///   each lane that fits it, by program order.
/// So nothing is kept of single operations, and what is known is exact as far as ChainClocks is.

#include <memory>
#include <span>
#include <vector>

#include "emulator/race/order_state.h"
#include "emulator/race/tag_lanes.h"

namespace heddle::race {

struct Arrival;

/// What an agent knows in one lane.
struct Lane {
  ViewPointer acquired;
  ViewPointer constrained;
  ViewPointer done;
  /// Sets of which something was acquired that is not in `constrained` yet, though it is before accesses of the lane,
  /// which may have none so far.
  ClassSets pending = kAllClassSets;
  /// The view that `view` returned last; null if something has changed since.
  ViewPointer known;
};

/// What an agent has of its own, lane by lane.
struct AgentLanes : AgentReleases {
  /// One for each lane that there may be; none while the agent has neither synchronized nor done anything in bulk.
  std::vector<Lane> lanes;
  /// All that may be before something that the agent does, whatever the tags.
  Clock reached;
  std::shared_ptr<const SystemView> system;
};

/// A workgroup, or an agent that is in none.
struct GroupLanes : AgentGroup<AgentLanes> {
  /// Whether any of its agents knows anything.
  bool knows() const { return !agents.empty(); }
};

/// The views of agents lane by lane. The contract of its functions is that of Order, which asks for them.
class LaneViews : public AgentGroups<GroupLanes> {
 public:
  static constexpr std::uint32_t kLanes = TagLanes::kMost;
  /// Clocks have so many numbers for each group.
  static constexpr std::uint32_t kNumbers = TagLanes::kGroups;

  using AgentGroups::AgentGroups;

  std::uint8_t lane_of(TagSetId tags) { return lanes_.of(tags); }
  const TagLanes* lanes() const { return &lanes_; }
  static void begin(Group& group, std::uint32_t agent, std::uint32_t, bool is_first) {
    is_first ? void(group.first_agent = agent) : make_room(group, agent);
  }
  void end(Group& group);

  /// What is known to the next operation of the lane.
  ViewPointer view(std::uint32_t agent, std::uint8_t lane);
  static void finish(std::uint32_t) {}
  void make_available(std::uint32_t agent, std::uint8_t lane, const ViewPointer& known, BulkOperation operation,
                      Stamp stamp);
  void make_visible(std::uint32_t agent, std::uint8_t lane, BulkOperation operation, Stamp stamp);
  std::shared_ptr<const Release> release(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering, Stamp stamp);
  void acquire_own_release(std::uint32_t agent, std::uint8_t lane, Classes mask);
  bool acquire(std::uint32_t agent, std::uint8_t lane, Classes mask, std::span<const Offer> offers);
  void acquire_by_atomic(std::uint32_t agent, std::uint8_t lane, Classes mask, Stamp stamp);
  void release_again(Arrival& to);
  void constrain(std::uint32_t agent, std::uint8_t lane, ClassSets sets);
  View beginning(std::uint32_t agent);
  void begin_with(std::uint32_t agent, View view);
  View all_of(std::uint32_t agent) const;
  static void clear() {}

  /// What is known to the write of an atomic of the lane that releases.
  ViewPointer view_of_release(std::uint32_t agent, std::uint8_t lane, const Operation& atomic);
  /// All that may be before something that the agent does, whatever the tags.
  const Clock& reached(std::uint32_t agent) const;

 private:
  bool has_lanes(std::uint32_t agent) const {
    const Agent* own = find(agent);
    return own && !own->lanes.empty();
  }
  std::vector<Lane>& lanes_of(std::uint32_t agent);
  Performer performer(std::uint32_t agent, std::uint8_t lane) const {
    return {agent, places().group(agent), false, lanes_.fitting(lane)};
  }
  template <typename F>
  void for_each_fitting(std::uint8_t lane, F&& f) const;
  void join(View& to, const ViewPointer& more, ClassSets sets, FactSums& sums) const;
  void add(ViewPointer& to, const View& more, ClassSets sets) const;
  View all_of(const Agent& agent) const;
  void acquired_more(std::vector<Lane>& own, std::uint8_t lane, ClassSets sets) const;
  void add_done(std::uint32_t agent, std::uint8_t lane, View done);
  std::shared_ptr<const Release> publish(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering,
                                         View published);

  TagLanes lanes_;
};

}  // namespace heddle::race
