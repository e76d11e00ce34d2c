#pragma once

/// \file
/// Happens-before of a kernel's invocations, with as much memory as their synchronization is irregular:
/// after a barrier all invocations of a workgroup share one view.

#include "emulator/race/group_views.h"
#include "emulator/race/order.h"

namespace heddle::race {

/// The order where no tags count, with what every access asks for at hand.
class KernelOrder : public Order<GroupViews> {
  using Group = GroupViews::Group;

 public:
  /// `chains` and `one_class_each` as in KernelOptions.
  KernelOrder(bool chains, bool one_class_each) : Order(std::make_shared<Shared>(), chains, one_class_each) {}
  using Order::Order;

  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) {
    Order::agents_begin(first, count, place, subgroups);
    look_again();
  }
  void dependency(bool memory) {
    Order::dependency(memory);
    if (memory) look_again();
  }
  /// `arrive` and `passes` of `count` agents from the operation's on in one step.
  /// False, and nothing happened, where they have to be looked at one by one.
  bool meets(const Operation& operation, std::uint32_t count) { return views().meets(operation, count); }

  /// The view of an agent that has not ended.
  const ViewPointer& view(std::uint32_t agent) const { return views().view(agent); }
  /// Whether no agent's operations are before those of the agent, which is in this group.
  bool knows_nobody(std::uint32_t agent, GroupId group) const {
    const Group& of = quick_.groups[group];
    return of.agents.empty() ? views().knows_nobody(of) : view(agent) == nobody();
  }
  /// The view of an agent that knows nobody.
  using Order::nobody;
  /// From now on it need not keep what all who may ever ask for it know already: if the agents of a
  /// workgroup begin together, before its first barrier.
  void expect_whole_workgroups() {
    views().expect_whole_workgroups();
    cut();
  }
  /// The agent's workgroup counts as having come to so many barriers, acquires and releases, at least.
  void skip_to(AgentId agent, Stamp stamp) {
    Group& group = views().group_of(static_cast<std::uint32_t>(agent));
    group.now = std::max(group.now, stamp);
  }
  /// Whether agents of a workgroup began after its first barrier: then nothing is taken for unordered.
  bool is_lost() const { return views().is_lost(); }
  std::uint32_t first_agent(GroupId group) const { return quick_.groups[group].first_agent; }
  /// Agents with consecutive numbers, all of one group, and what every access asks of the group.
  class Near {
   public:
    bool has(std::uint32_t agent) const { return agent - first_ < count_; }
    GroupId group() const { return group_; }
    Stamp now() const { return state_->now; }
    /// The address of `now()`.
    const Stamp* clock() const { return &state_->now; }
    const Settled& settled(std::size_t storage_class) const { return state_->settled[storage_class]; }

   private:
    friend class KernelOrder;
    std::uint32_t first_ = 0;
    std::uint32_t count_ = 0;
    GroupId group_ = 0;
    const Group* state_ = nullptr;
  };
  /// The agents near this one, itself at least; valid until an agent begins.
  const Near& near(std::uint32_t agent) {
    if (!near_.has(agent)) look_near(agent);
    return near_;
  }
  using Order::ignores_relaxed;
  /// Whether no agent near need tell relaxed atomics, on any allocation; false also if that is not known at once.
  bool ignores_relaxed(const Near& near) const { return nothing_is_offered() && near.state_->agents.empty(); }
  /// What `near` answered last; without agents if an agent has begun since.
  const Near& last_near() const { return near_; }
  /// As places().group(agent).
  GroupId group(std::uint32_t agent) const { return quick_.agents[agent - quick_.first].group; }
  Stamp now(GroupId group) const { return quick_.groups[group].now; }
  const Settled& settled(GroupId group, std::size_t storage_class) const {
    return quick_.groups[group].settled[storage_class];
  }

 private:
  /// Pointers to what every access asks for.
  struct Quick {
    const Places::Agent* agents = nullptr;
    Group* groups = nullptr;
    std::uint32_t first = 0;
  };
  void look_again() {
    quick_ = {places().agents(), groups().data(), places().first()};
    near_ = {};
  }
  [[gnu::noinline]] void look_near(std::uint32_t agent) {
    near_.group_ = group(agent);
    near_.state_ = &quick_.groups[near_.group_];
    const bool in_row = agent - near_.state_->first_agent < near_.state_->agents_in_row;
    near_.first_ = in_row ? near_.state_->first_agent : agent;
    near_.count_ = in_row ? near_.state_->agents_in_row : 1;
  }

  Quick quick_;
  Near near_;
};

}  // namespace heddle::race
