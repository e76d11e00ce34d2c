#pragma once

/// \file
/// The agents of kernels, and the workgroups that they are in.

#include <algorithm>
#include <atomic>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/model/place.h"
#include "emulator/race/clock.h"
#include "emulator/race/event.h"

namespace heddle::race {

class Places {
 public:
  struct Agent {
    GroupId group = 0;
    std::uint32_t subgroup = 0;
  };
  /// The agents from first() on. The pointer is good as long as no agent begins and no room is made.
  const Agent* agents() const { return agents_.data(); }

  /// Makes room for `groups` groups of `size` invocations each, numbered one group after the other from
  /// `first` on. Threads may tell at once of those, each of whole groups of its own, and ask for any that has
  /// begun as far as they know.
  void reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups);

  /// The group of `count` agents, which may be a new one; agents that are no invocations have one each. They
  /// differ in their subgroups only: where there are any, `subgroups[i]`.
  GroupId agents_begin(std::uint32_t first, std::uint32_t count, const model::Place& place,
                       std::span<const std::uint32_t> subgroups);
  /// Whether all agents of the group have ended now that `count` have.
  bool agents_end(GroupId group, std::uint32_t count) {
    std::atomic<std::uint32_t>& running = groups_[group].running;
    const std::uint32_t left = running.load(std::memory_order_relaxed) - count;
    running.store(left, std::memory_order_relaxed);
    return left == 0;
  }
  bool has_ended(GroupId group) const { return groups_[group].running.load(std::memory_order_relaxed) == 0; }
  /// How many agents the group has had so far.
  std::uint32_t agents_of(GroupId group) const { return groups_[group].agents; }
  /// No agent of these will be asked for again: numbers of groups start anew.
  void clear();
  /// No agent will be asked for again, and the numbers of agents and groups start anew.
  void restart() {
    clear();
    first_ = end_ = 0;
  }

  std::uint32_t first() const { return first_; }
  std::uint32_t end() const { return end_; }
  std::uint32_t groups() const { return static_cast<std::uint32_t>(groups_.size()); }

  GroupId group(std::uint32_t agent) const { return agents_[agent - first_].group; }
  model::Place place(std::uint32_t agent) const {
    model::Place place = groups_[group(agent)].place;
    place.subgroup = agents_[agent - first_].subgroup;
    return place;
  }
  model::Stage stage(std::uint32_t agent) const { return groups_[group(agent)].place.stage; }
  /// Whether both are in one instance of the scope of this level; an agent always is with itself.
  //= vk:memory-model-scope
  bool same_instance(std::uint32_t a, std::uint32_t b, Level level) const {
    if (a == b || are_all_in_one_instance(level)) return true;
    return level != kOwn && are_in_one_instance(a, b, level);
  }
  /// Whether all agents are known to be in one instance of the scope of this level.
  bool are_all_in_one_instance(Level level) const {
    return (level == kQueueFamily && is_one_family()) || (level >= kDevice && is_one_device()) ||
           level + 1U == kScopes.size();
  }
  /// Some agents with consecutive numbers.
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = ~std::uint32_t{0};
  };
  /// Agents among which are all of the agent's group that are in its instance of the scope of this level.
  Range instance(std::uint32_t agent, Level level) const;
  /// An agent that stands for the instance of this one. Of a workgroup, and of a subgroup whose agents have consecutive
  /// numbers, all agents have the same one; otherwise each stands for itself.
  std::uint32_t one_of_instance(std::uint32_t agent, Level level) const;
  bool both_on_host_or_not(std::uint32_t a, std::uint32_t b) const {
    return !beyond_device_ || groups_[group(a)].place.is_host() == groups_[group(b)].place.is_host();
  }
  /// Whether all agents are invocations of one device.
  bool is_one_device() const { return !beyond_device_ && one_device_; }
  /// Whether all agents are invocations of queues of one family.
  bool is_one_family() const { return is_one_device() && one_family_; }
  /// Whether some invocations are related by shader calls, or interlocked.
  bool has_related_invocations() const { return related_; }
  /// Whether a workgroup may have agents of several groups: of several stages, or related to different ones.
  bool has_mixed_workgroups() const { return related_ || mixed_stages_; }
  /// Whether agents of the one group are in one instance of the scope of this level, a workgroup's or a wider one, with
  /// those of the other.
  bool groups_in_one_instance(GroupId a, GroupId b, Level level) const {
    if (a == b && groups_[a].place.kind == model::AgentKind::Shader) return true;
    return model::same_instance(groups_[a].place, groups_[b].place, kScopes[level]);
  }

 private:
  /// Among so many groups one is found as soon by looking at all of them.
  static constexpr GroupId kFewGroups = 8;

  GroupId group_for(std::uint32_t agent, const model::Place& place);
  [[gnu::noinline]] GroupId reserved_group(std::uint32_t agent, const model::Place& place);
  [[gnu::noinline]] GroupId number_of(const model::Place& place) const;
  [[gnu::noinline]] void add_number(const model::Place& place, GroupId group);
  bool are_in_one_instance(std::uint32_t a, std::uint32_t b, Level level) const;

  struct Group {
    Group() = default;
    explicit Group(const model::Place& of) : place(of) {}
    Group(const Group& o)
        : place(o.place),
          first(o.first),
          agents(o.agents),
          last_subgroup(o.last_subgroup),
          subgroups_in_row(o.subgroups_in_row),
          running(o.running.load(std::memory_order_relaxed)) {}
    /// Whether one at that place, who has begun or not, is of this group.
    bool has(const model::Place& o) const {
      model::Place beside = o;
      beside.subgroup = place.subgroup;
      return agents != 0 && place == beside;
    }
    /// `more` agents from `from` on; `subgroups` as of agents_begin.
    void begin(std::uint32_t from, std::uint32_t more, std::uint32_t subgroup,
               std::span<const std::uint32_t> subgroups) {
      const std::uint32_t next = subgroups.empty() ? subgroup : subgroups.front();
      subgroups_in_row = subgroups_in_row && (agents == 0 || (from == first + agents && last_subgroup <= next)) &&
                         std::is_sorted(subgroups.begin(), subgroups.end());
      last_subgroup = subgroups.empty() ? subgroup : subgroups.back();
      first = agents == 0 ? from : std::min(first, from);
      agents += more;
      running.store(running.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }
    /// The place of one of its agents.
    model::Place place;
    /// The lowest number of its agents.
    std::uint32_t first = 0;
    std::uint32_t agents = 0;
    std::uint32_t last_subgroup = 0;
    /// Whether its agents, and those of each subgroup, have consecutive numbers.
    bool subgroups_in_row = true;
    /// One thread writes it; others may ask.
    std::atomic<std::uint32_t> running{0};
  };
  /// Agents for which there is room.
  struct Reserved {
    std::uint32_t first = 0;
    std::uint32_t agents = 0;
    std::uint32_t size = 1;
    GroupId first_group = 0;
  };

  /// Makes room for the agents below `end`.
  void make_room(std::uint32_t end) {
    if (end <= end_) return;
    end_ = end;
    if (end - first_ > agents_.size()) [[unlikely]]
      agents_.resize(end - first_);
  }

  std::uint32_t first_ = 0;
  std::uint32_t end_ = 0;
  Reserved reserved_;
  /// At least as many agents as there are from first_ to end_.
  std::vector<Agent> agents_;
  std::vector<Group> groups_;
  /// The numbers of groups beyond the first few.
  std::unordered_multimap<std::uint64_t, GroupId> numbers_;
  /// Above the numbers of the workgroups that there are.
  std::uint64_t workgroups_end_ = 0;
  bool beyond_device_ = false;
  /// Whether all agents are on one device; reserved places are on the one there is.
  bool one_device_ = true;
  bool one_family_ = true;
  bool related_ = false;
  bool mixed_stages_ = false;
};

// For an agent that begins. Of workgroups that begin in the order of their numbers each is a new one.
inline GroupId Places::group_for(std::uint32_t agent, const model::Place& place) {
  if (agent - reserved_.first < reserved_.agents) [[unlikely]]
    return reserved_group(agent, place);
  if (!groups_.empty() && groups_.front().place.device != place.device) one_device_ = false;
  if (!groups_.empty() && groups_.front().place.queue_family != place.queue_family) one_family_ = false;
  if (!groups_.empty() && groups_.front().place.stage != place.stage) mixed_stages_ = true;
  if ((place.shader_call_group | place.interlock_group) != 0) related_ = true;
  const GroupId next = groups();
  if (place.kind != model::AgentKind::Shader) {
    beyond_device_ = true;
  } else {
    if (place.workgroup >= workgroups_end_) {
      workgroups_end_ = std::uint64_t{place.workgroup} + 1;
    } else if (const GroupId found = number_of(place); found != next) {
      return found;
    }
    if (next >= kFewGroups) add_number(place, next);
  }
  groups_.emplace_back(place);
  return next;
}

inline GroupId Places::agents_begin(std::uint32_t first, std::uint32_t count, const model::Place& place,
                                    std::span<const std::uint32_t> subgroups) {
  const GroupId group = group_for(first, place);
  make_room(first + count);
  Agent* const agents = agents_.data() + (first - first_);
  agents[0] = {group, subgroups.empty() ? place.subgroup : subgroups[0]};
  for (std::uint32_t i = 1; i < count; ++i) agents[i] = {group, subgroups.empty() ? place.subgroup : subgroups[i]};
  groups_[group].begin(first, count, place.subgroup, subgroups);
  return group;
}

}  // namespace heddle::race
