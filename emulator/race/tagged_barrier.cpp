// What control barriers do where tags count, and what system-synchronizes.

#include <algorithm>

#include "emulator/race/system_order.h"
#include "emulator/race/tagged_order.h"

namespace heddle::race {

//= vk:memory-model-synchronizes-with
void TaggedOrder::arrive(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  auto instance = instances_.rbegin();
  while (instance != instances_.rend() && instance->number != operation.barrier_instance) ++instance;
  if (instance == instances_.rend()) {
    instances_.emplace_back().number = operation.barrier_instance;
    instance = instances_.rbegin();
  }
  Arrival arrival;
  arrival.index = index;
  arrival.agent = agent;
  arrival.lane = lanes_.of(operation.tags);
  arrival.ordering = ordering_of(operation);
  arrival.stamp = now(agent);
  const bool orders = arrival.ordering.acquires || arrival.ordering.releases;
  if (orders) order(agent, arrival.lane, arrival.ordering, arrival.stamp);
  if (const Agent* own = find(agent)) arrival.fences = fences_of(*own);
  instance->arrivals.push_back(std::move(arrival));
}

void TaggedOrder::passes(model::OperationIndex index, std::span<const model::OperationIndex> synchronizing) {
  for (std::size_t at_instance = instances_.size(); at_instance-- > 0;) {
    BarrierInstance& instance = instances_[at_instance];
    const auto is_it = [&](const Arrival& arrival) { return arrival.index == index; };
    const auto at = std::find_if(instance.arrivals.begin(), instance.arrivals.end(), is_it);
    if (at == instance.arrivals.end()) continue;
    if (!instance.opened) instance.synchronizing.assign(synchronizing.begin(), synchronizing.end());
    instance.opened = true;
    if (!at->settled) settle(instance);
    for (const Arrival& from : instance.arrivals) {
      if (!releases_at(instance, from) || !arrivals_synchronize(places_, from, *at)) continue;
      for (const Offer& fence : from.fences) see(at->agent, fence, 0, true);
    }
    // A barrier with a quorum stays: somebody may still come.
    if (++instance.passed == instance.arrivals.size() && instance.synchronizing.empty())
      instances_.erase(instances_.begin() + static_cast<std::ptrdiff_t>(at_instance));
    return;
  }
}

// An agent may end at a barrier: the others that came there have synchronized with it all the same.
void TaggedOrder::leave_unmet(std::uint32_t agent) {
  for (BarrierInstance& instance : instances_) {
    if (!waits_at(instance, agent)) continue;
    instance.opened = true;
    settle(instance);
  }
}

// The arrivals synchronize with each other in turn, so what one of them acquires it passes on: until no arrival
// learns anything more. MakeVisible stands behind all that.
//= vk:memory-model-synchronizes-with
void TaggedOrder::settle(BarrierInstance& instance) {
  for (bool more = true; more;) {
    more = false;
    for (Arrival& to : instance.arrivals)
      if (!to.settled && to.ordering.acquires) more = acquire_at(instance, to) || more;
  }
  for (Arrival& arrival : instance.arrivals) {
    if (!arrival.settled && arrival.ordering.makes_visible)
      make_visible(arrival.agent, arrival.lane, arrival.ordering.bulk(), arrival.stamp);
    arrival.settled = true;
  }
}

bool TaggedOrder::acquire_at(const BarrierInstance& instance, Arrival& to) {
  Offers offers;
  for (const Arrival& from : instance.arrivals) {
    if (!releases_at(instance, from) || !arrivals_synchronize(places_, from, to)) continue;
    for (const Offer& fence : from.fences)
      if (in_scope(places_, fence, to.agent, to.ordering.level)) offers.push_back(fence);
  }
  if (offers.empty() || !acquire(to.agent, to.lane, to.ordering.mask, offers)) return false;
  if (to.ordering.releases) release_again(to);
  return true;
}

// What it releases has what it has acquired, too; the time of its own operations ended when it arrived.
void TaggedOrder::release_again(Arrival& to) {
  const ClassSets sets = sets_in(to.ordering.mask);
  Lane& lane = state(to.agent).lanes[to.lane];
  View published;
  FactSums sums;
  join(published, lane.acquired, sets, sums);
  remember_fence(lane.fences, publish(to.agent, to.lane, to.ordering, std::move(published)));
  to.fences = fences_of(state(to.agent));
}

// All agents so far have ended.
//= vk:memory-model-system-synchronizes-with
void TaggedOrder::dependency(bool memory) {
  instances_.clear();
  if (memory) {
    places_.clear();
    log_.clear();
    use_.clear();
    ended_ = {};
    chains_.set_exact(true);
    history_.clear();
    groups_.clear();
    agents_.clear();
    nothing_ = std::make_shared<const View>();
    return;
  }
  use_.note_system();
  nothing_ = view_behind_dependency(places_, TagLanes::kGroups, ended_);
}

// All that the first did is before all that the second does, whatever the storage class and the tags.
//= vk:memory-model-system-synchronizes-with
void TaggedOrder::system_synchronizes(AgentId first, AgentId second) {
  const auto from = static_cast<std::uint32_t>(first);
  const auto to = static_cast<std::uint32_t>(second);
  use_.note_system();
  Agent& own = state(to);
  View made = *own.lanes[0].acquired;
  SystemView system = own.system ? *own.system : SystemView{};
  Clock all;
  if (from < places_.first() || places_.has_ended(places_.group(from))) {
    // What the agents of a workgroup that is gone knew is forgotten; it may have been everything.
    all = all_of_everybody(places_, TagLanes::kGroups);
    chains_.learn_all(made, to, ended_, from);
  } else {
    leave_unmet(from);
    const Agent& before = state(from);
    const View known = all_of(before);
    all = all_of_agent(places_, TagLanes::kGroups, from);
    chains_.learn_all(made, to, known, from);
    if (before.system) system.agents.join(before.system->agents);
    for (std::size_t i = 0; i < kClassSets.size(); ++i) system.before[i].join(known.before[i]);
    own.reached.join(before.reached);
  }
  own.reached.join(all);
  come_behind(made, system, all);
  own.system = std::make_shared<const SystemView>(std::move(system));
  own.lanes[0].acquired = std::make_shared<const View>(std::move(made));
  acquired_more(own, 0, kAllClassSets);
}

}  // namespace heddle::race
