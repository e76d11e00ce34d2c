// What control barriers do where tags count, and what system-synchronizes.

#include <algorithm>

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
      if (!releases_at(instance, from) || !arrivals_synchronize(from, *at)) continue;
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
    const bool waits = std::any_of(instance.arrivals.begin(), instance.arrivals.end(),
                                   [&](const Arrival& arrival) { return arrival.agent == agent && !arrival.settled; });
    if (!waits) continue;
    instance.opened = true;
    settle(instance);
  }
}

bool TaggedOrder::releases_at(const BarrierInstance& instance, const Arrival& arrival) {
  return instance.synchronizing.empty() || std::find(instance.synchronizing.begin(), instance.synchronizing.end(),
                                                     arrival.index) != instance.synchronizing.end();
}

// The arrivals have to be in each other's memory scopes, and in the execution scope.
//= vk:memory-model-synchronizes-with
bool TaggedOrder::arrivals_synchronize(const Arrival& from, const Arrival& to) const {
  return places_.same_instance(from.agent, to.agent, from.ordering.level) &&
         places_.same_instance(from.agent, to.agent, to.ordering.level) &&
         places_.same_instance(from.agent, to.agent, from.ordering.execution);
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
    if (!releases_at(instance, from) || !arrivals_synchronize(from, to)) continue;
    for (const Offer& fence : from.fences)
      if (in_scope(fence, to.agent, to.ordering.level)) offers.push_back(fence);
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
  remember_fence(lane, publish(to.agent, to.lane, to.ordering, std::move(published)));
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
  View made;
  SystemView system;
  for (GroupId group = 0; group < places_.groups(); ++group)
    for (std::uint32_t lane = 0; lane < TagLanes::kGroups; ++lane)
      system.agents.add_everybody(TagLanes::group(group, lane), kForEver);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) made.before[i] = system.before[i] = system.agents;
  made.reached = system.agents;
  made.facts = ended_.facts;
  made.own = ended_.own;
  made.system = std::make_shared<const SystemView>(std::move(system));
  nothing_ = std::make_shared<const View>(std::move(made));
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
    for (GroupId any = 0; any < places_.groups(); ++any)
      for (std::uint32_t lane = 0; lane < TagLanes::kGroups; ++lane)
        all.add_everybody(TagLanes::group(any, lane), kForEver);
    chains_.learn_all(made, to, ended_, from);
  } else {
    leave_unmet(from);
    const Agent& before = state(from);
    const View known = all_of(before);
    for (std::uint32_t lane = 0; lane < TagLanes::kGroups; ++lane)
      all.add(TagLanes::group(places_.group(from), lane), from, kForEver);
    chains_.learn_all(made, to, known, from);
    if (before.system) system.agents.join(before.system->agents);
    for (std::size_t i = 0; i < kClassSets.size(); ++i) system.before[i].join(known.before[i]);
    own.reached.join(before.reached);
  }
  system.agents.join(all);
  own.reached.join(all);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    system.before[i].join(all);
    made.before[i].join(system.before[i]);
  }
  own.system = std::make_shared<const SystemView>(std::move(system));
  own.lanes[0].acquired = std::make_shared<const View>(std::move(made));
  acquired_more(own, 0, kAllClassSets);
}

}  // namespace heddle::race
