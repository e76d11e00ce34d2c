#pragma once

/// \file
/// What the agents of a kernel know where no tags count: each has one view, that of its workgroup as long as it knows
/// nothing else. Those of a workgroup who meet at a control barrier, and know one and the same, share what they do.

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "emulator/race/order_state.h"
#include "emulator/race/site_relation.h"

namespace heddle::race {

struct Arrival;
struct Meeting;
class TagLanes;

/// What, for one storage class, control barriers that a whole workgroup reached alike settled: the last stamp of
/// which each holds. (By Visibility never more than by Availability, and by these never more than by Order.)
class Settled {
 public:
  Stamp by(SettledBy way) const { return last_[static_cast<std::size_t>(way)]; }
  void settle(SettledBy way, Stamp last) { last_[static_cast<std::size_t>(way)] = last; }

 private:
  std::array<Stamp, kSettledBy> last_{};
};

/// The last visibility operation in bulk of an agent. What it does again, knowing nothing new, is done when somebody
/// may ask for it.
struct LastVisibility {
  ViewPointer known;
  BulkOperation operation;
  /// The stamp of its last repetition, if one is put off; else 0.
  Stamp again = 0;
};

/// What an agent has of its own.
struct AgentView : AgentReleases {
  /// What the agent knows; null if that is what all of its workgroup know.
  ViewPointer view;
  std::shared_ptr<LeftTogether> seen_together;
  LastVisibility last_visibility;
  bool has_nothing() const { return !view && fences.empty() && seen.empty() && !seen_together; }
};

/// A barrier that a whole workgroup came to alike, and to no other since then that was of another kind.
struct WholeBarrier {
  Ordering ordering;
  Stamp stamp = 0;
};

/// A workgroup, or an agent that is in none, and what all of it know.
struct GroupView : AgentGroup<AgentView> {
  /// What all agents of the group know; null if that is what agents begin with.
  ViewPointer view;
  /// The barriers whose effects are not in the view yet.
  std::vector<WholeBarrier> tail;
  std::array<Settled, kClasses> settled;
  /// How many agents of the group began, if their numbers are consecutive; else 0.
  std::uint32_t agents_in_row = 0;

  /// Whether any of its agents knows anything.
  bool knows() const { return view || !tail.empty() || !agents.empty(); }
};

/// The views of agents one by one. The contract of its functions is that of Order, which asks for them; a lane is one
/// of tag_lanes.h, and says nothing here.
class AgentViews : public AgentGroups<GroupView> {
 public:
  /// Clocks have so many numbers for each group.
  static constexpr std::uint32_t kNumbers = 1;

  using AgentGroups::AgentGroups;

  static std::uint8_t lane_of(TagSetId) { return 0; }
  static const TagLanes* lanes() { return nullptr; }
  Performer performer(std::uint32_t agent) const { return {agent, places().group(agent), false}; }

  void begin(Group& group, std::uint32_t agent, std::uint32_t count, bool is_first) {
    if (!is_first) return grow(group, agent, count);
    group.first_agent = agent;
    group.agents_in_row = count;
  }
  [[gnu::noinline]] void end(Group& group);

  /// The view of an agent that has not ended.
  const ViewPointer& view(std::uint32_t agent, std::uint8_t = 0) const {
    const Agent* own = find(agent);
    return own && own->view ? own->view : view_of(group_of(agent));
  }
  void finish(std::uint32_t agent);
  void make_available(std::uint32_t agent, std::uint8_t, const ViewPointer& known, BulkOperation operation,
                      Stamp stamp);
  void make_visible(std::uint32_t agent, std::uint8_t, BulkOperation operation, Stamp stamp);
  std::shared_ptr<const Release> release(std::uint32_t agent, std::uint8_t, const Ordering& ordering, Stamp stamp);
  void acquire_own_release(std::uint32_t, std::uint8_t, Classes) const {}
  bool acquire(std::uint32_t agent, std::uint8_t, Classes mask, std::span<const Offer> offers);
  void acquire_by_atomic(std::uint32_t, std::uint8_t, Classes, Stamp) const {}
  void release_again(Arrival& to);
  void constrain(std::uint32_t, std::uint8_t, ClassSets) const {}
  View beginning(std::uint32_t agent) const { return *view(agent); }
  void begin_with(std::uint32_t agent, View view);
  View all_of(std::uint32_t agent);

  /// What a release, which may be null, and what the agent learns of the offers add up to, as one release with the mask
  /// and level of the first of these.
  std::shared_ptr<const Release> with(const std::shared_ptr<const Release>& release, std::uint32_t agent,
                                      std::span<const Offer> offers, Level needs) const;

  /// Whether no agent's operations are before those of agents of the group that have no view of their own.
  bool knows_nobody(const Group& group) const {
    return !group.view && group.tail.empty() && nothing().get() == nobody().get();
  }
  void expect_whole_workgroups() { whole_workgroups_ = true; }
  bool expects_whole_workgroups() const { return whole_workgroups_; }
  /// Whether agents of a workgroup began after its first barrier: then nothing is taken for unordered.
  bool is_lost() const { return lost_; }
  void clear() { whole_workgroups_ = lost_ = false; }

 protected:
  const ViewPointer& view_of(Group& group) const {
    if (!group.tail.empty()) add_tail(group);
    return group.view ? group.view : nothing();
  }
  void add_tail(Group& group) const;
  bool learn(View& made, std::uint32_t agent, Classes mask, std::span<const Offer> offers) const;
  void release_together(View& view, const Performer& all, const Ordering& ordering, Stamp stamp) const;

 private:
  [[gnu::noinline]] void grow(Group& group, std::uint32_t first, std::uint32_t count);
  void come_together(View& view, const Group& group, const WholeBarrier& barrier) const;

  bool whole_workgroups_ = false;
  bool lost_ = false;
};

/// The views of workgroups whose agents meet: what all of them do alike is done once.
class GroupViews : public AgentViews {
 public:
  /// How many lanes clocks tell apart (tag_lanes.h).
  static constexpr std::uint32_t kLanes = 1;

  using AgentViews::AgentViews;

  /// All arrivals at the barrier of `count` agents from the operation's on, and their ends, in one step. False, and
  /// nothing happened, where they have to be looked at one by one.
  bool meets(const Operation& operation, std::uint32_t count);

  /// The first of those who meet goes on. What all of a workgroup do alike is done at once (Meeting::together).
  void open(Meeting& meeting);
  /// One of those who do it at once goes on.
  void pass(Meeting& meeting, const Arrival& arrival);
  /// All have gone on. Where all know the same behind the barrier, and have nothing else of their own, the workgroup
  /// has one view again.
  void close(const Meeting& meeting);
  /// A subgroup that meets at barriers has one view, and releases it once. False, and nothing happened, where those who
  /// meet are no such one.
  bool settle_as_one(Meeting& meeting);
  /// The arrivals, which have released, acquire from each other. False, and nothing happened, where they do not do the
  /// same.
  bool acquire_at_once(Meeting& meeting);

  /// take(offer) with each release that the agent's workgroup left together at a barrier. If it is true for all, they
  /// are left no longer.
  template <typename Take>
  void take_left(std::uint32_t agent, Level level, Take take) {
    const Agent* own = find(agent);
    if (!own || !own->seen_together) return;
    bool all = true;
    for (const Offer& offer : left_together(*own->seen_together, agent, level)) all = take(offer) && all;
    if (all) state(agent).seen_together = nullptr;
  }

 private:
  static constexpr std::size_t kLongestTail = 8;
  /// Up to so many agents are looked at one by one where they may differ.
  static constexpr std::size_t kFewAgents = 8;

  std::vector<Offer> joined(std::span<const Offer> offers,
                            const std::function<std::uint32_t(std::uint32_t)>& reader) const;
  std::span<const Offer> left_together(LeftTogether& left, std::uint32_t agent, Level level) const;
  bool can_open_together(const Meeting& meeting) const;
  // Scopes of ray tracing and of interlock need not include the workgroup.
  static bool has_whole_workgroups(Level level) { return level == kWorkgroup || level + 1 >= kDevice; }
  bool are_whole_workgroups(const Ordering& ordering, std::uint32_t agent) const;
  void open_together(Meeting& meeting);
  void join_views(Meeting& meeting) const;
  void settle(GroupId group, Stamp stamp, const Ordering& ordering);
  void collect_fences(Meeting& meeting);
  bool learn_together(Meeting& meeting);
  ViewPointer view_after(Meeting& meeting, const Arrival& arrival) const;
  bool is_one_subgroup(const Meeting& meeting) const;
  bool know_the_same(const Meeting& meeting) const;
  std::vector<std::vector<Arrival*>> companies(Meeting& meeting) const;
  void acquire_in_company(const std::vector<Arrival*>& company);
};

}  // namespace heddle::race
