#pragma once

/// \file
/// What those of a workgroup who meet at a control barrier do to their views at once, where they know one and the same.

#include <functional>

#include "emulator/race/agent_views.h"

namespace heddle::race {

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
  /// So many are looked at one by one where they may differ.
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
