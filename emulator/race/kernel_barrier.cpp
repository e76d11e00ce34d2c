// What control barriers do to the views of those who meet at them.

#include <algorithm>

#include "emulator/race/kernel_order.h"

namespace heddle::race {

void KernelOrder::arrive(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const Ordering ordering = ordering_of(operation);
  if (ordering.acquires && !agent_of(agent).seen.empty()) acquire_seen(agent, ordering);
  Meeting& meeting = meetings_[operation.barrier_instance];
  meeting.arrivals.push_back({index, agent, ordering, {}, false});
  meeting_of_.emplace(index, operation.barrier_instance);
  agent_of(agent).waits = true;
  agent_of(agent).waits_with = ordering;
}

void KernelOrder::passes(model::OperationIndex index,
                         std::span<const model::OperationIndex> synchronizing) {
  const auto known = meeting_of_.find(index);
  if (known == meeting_of_.end()) return;
  const std::uint64_t instance = known->second;
  meeting_of_.erase(known);
  Meeting& meeting = meetings_[instance];
  if (!meeting.opened) {
    meeting.opened = true;
    meeting.synchronizing.assign(synchronizing.begin(), synchronizing.end());
    meeting.together = can_open_together(meeting);
    if (meeting.together) open_together(meeting);
  }
  // Nearly always they pass in the order in which they arrived, or in one that turns around.
  auto at = meeting.arrivals.begin() + static_cast<std::ptrdiff_t>(
                                           std::min(meeting.passed, meeting.arrivals.size() - 1));
  if (at->index != index)
    at = std::find_if(meeting.arrivals.begin(), meeting.arrivals.end(),
                      [&](const Arrival& arrival) { return arrival.index == index; });
  agent_of(at->agent).waits = false;
  if (meeting.together) {
    pass_together(meeting, *at);
  } else {
    if (!at->settled) settle_one_by_one(meeting);
    leave_to_later(meeting, *at);
  }
  // A barrier with a quorum stays: somebody may still come.
  if (++meeting.passed == meeting.arrivals.size() && meeting.synchronizing.empty())
    meetings_.erase(instance);
}

bool KernelOrder::releases_at(const Meeting& meeting, const Arrival& arrival) const {
  return meeting.synchronizing.empty() ||
         std::find(meeting.synchronizing.begin(), meeting.synchronizing.end(), arrival.index) !=
             meeting.synchronizing.end();
}

// The arrivals have to be in each other's memory scopes, and in the execution scope.
//= vk:memory-model-synchronizes-with
bool KernelOrder::arrivals_synchronize(const Arrival& from, const Arrival& to) const {
  return same_instance(from.agent, to.agent, from.ordering.reach) &&
         same_instance(from.agent, to.agent, to.ordering.reach) &&
         same_instance(from.agent, to.agent, from.ordering.execution);
}

// Whether all who meet are a whole workgroup that does one and the same.
bool KernelOrder::can_open_together(const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals.front();
  const GroupId group = places_[first.agent].group;
  const Ordering& o = first.ordering;
  if (!meeting.synchronizing.empty() || meeting.arrivals.size() != groups_[group].agents)
    return false;
  if (o.reach < kWorkgroup || o.execution < kWorkgroup || o.acquires != o.releases) return false;
  const View& view = *agents_[first.agent]->view;
  for (const Arrival& arrival : meeting.arrivals) {
    if (places_[arrival.agent].group != group || !(arrival.ordering == o)) return false;
    for (const ReleasePointer& fence : agents_[arrival.agent]->fences)
      if (fence->reach < kWorkgroup) return false;
    const View& other = *agents_[arrival.agent]->view;
    if (&other == &view || (o.makes_visible && chains_)) continue;
    for (std::size_t c = 0; c < kClasses; ++c)
      if (((o.mask >> c) & 1) != 0 && other.classes[c] != view.classes[c]) return false;
  }
  return true;
}

void KernelOrder::join_arrivals(const Meeting& meeting, std::size_t c, ClassView& view) const {
  const ClassView* last = meeting.before->classes[c].get();
  view.in_workgroup.join(view.seen);
  for (const Arrival& arrival : meeting.arrivals) {
    const ClassView* next = agents_[arrival.agent]->view->classes[c].get();
    if (next && next != last) view.join(*next, true, true);
    last = next;
  }
}

// What everybody did up to now is before what everybody does from now on.
void KernelOrder::open_together(Meeting& meeting) {
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  merge_fences(meeting);
  if (!o.releases) return;
  const GroupId group = places_[first.agent].group;
  const Stamp stamp = groups_[group].now++;
  meeting.before = agents_[first.agent]->view;
  Edited edited = edit(*meeting.before, o.mask);
  for (std::size_t c = 0; c < kClasses; ++c)
    if (edited[c]) join_arrivals(meeting, c, *edited[c]);
  if (o.makes_available) make_available(edited, first.agent, true, stamp, o.reach);
  for (const auto& view : edited)
    if (view) view->before.add_everybody(group, stamp);
  if (o.makes_visible) make_visible(edited, *meeting.before, o.reach);
  View made = finish(*meeting.before, std::move(edited), group);
  const SystemView* last = made.system.get();
  for (const Arrival& arrival : meeting.arrivals) {
    const SystemView* next = agents_[arrival.agent]->view->system.get();
    if (next && next != last) {
      auto system = made.system ? std::make_shared<SystemView>(*made.system)
                                : std::make_shared<SystemView>();
      system->join(*next);
      made.system = std::move(system);
    }
    last = next;
  }
  meeting.common = std::make_shared<const View>(std::move(made));
  meeting.own = std::make_shared<const Release>(
      Release{first.agent, true, o.mask, o.reach, meeting.common});
}

// The release barriers before the control barrier, of all: one for each mask and scope.
void KernelOrder::merge_fences(Meeting& meeting) {
  std::vector<std::pair<ReleasePointer, std::shared_ptr<View>>> merged;
  const Release* last = nullptr;
  const Ordering& o = meeting.arrivals.front().ordering;
  for (const Arrival& arrival : meeting.arrivals) {
    for (const ReleasePointer& fence : agents_[arrival.agent]->fences) {
      // What the barrier itself releases and acquires has all of a fence whose classes it has.
      if (fence.get() == last || (o.acquires && (fence->mask & ~o.mask) == 0)) continue;
      last = fence.get();
      auto at = std::find_if(merged.begin(), merged.end(), [&](const auto& known) {
        return known.first->mask == fence->mask && known.first->reach == fence->reach;
      });
      if (at == merged.end()) {
        merged.emplace_back(fence, std::make_shared<View>(*fence->view));
        continue;
      }
      for (std::size_t c = 0; c < kClasses; ++c) {
        if (!fence->view->classes[c] || at->second->classes[c] == fence->view->classes[c]) continue;
        auto view = at->second->classes[c] ? std::make_shared<ClassView>(*at->second->classes[c])
                                           : std::make_shared<ClassView>();
        view->join(*fence->view->classes[c], true, true);
        at->second->classes[c] = std::move(view);
      }
    }
  }
  for (auto& [fence, view] : merged)
    meeting.fences.push_back(std::make_shared<const Release>(
        Release{fence->agent, true, fence->mask, fence->reach, std::move(view)}));
}

void KernelOrder::pass_together(const Meeting& meeting, const Arrival& arrival) {
  Agent& agent = agent_of(arrival.agent);
  const Ordering& o = arrival.ordering;
  if (o.releases && agent.view == meeting.before) {
    agent.view = meeting.common;
  } else if (o.releases) {
    View made = *agent.view;
    for (std::size_t c = 0; c < kClasses; ++c)
      if (((o.mask >> c) & 1) != 0) made.classes[c] = meeting.common->classes[c];
    made.system = meeting.common->system;
    agent.view = std::make_shared<const View>(std::move(made));
  }
  for (const ReleasePointer& fence : meeting.fences)
    see(arrival.agent, fence, 0, true, o);
  if (meeting.own) remember_fence(agent, meeting.own);
}

// The arrivals synchronize with each other in turn, so what one of them acquires it passes on.
//= vk:memory-model-synchronizes-with
void KernelOrder::settle_one_by_one(Meeting& meeting) {
  for (Arrival& arrival : meeting.arrivals) {
    if (arrival.settled) continue;
    if (arrival.ordering.releases)
      remember_fence(agent_of(arrival.agent), release(arrival.agent, arrival.ordering));
    arrival.fences = agent_of(arrival.agent).fences;
  }
  bool all_in_scope = true;
  for (const Arrival& from : meeting.arrivals)
    for (const Arrival& to : meeting.arrivals)
      all_in_scope = all_in_scope && arrivals_synchronize(from, to);
  const std::size_t rounds = all_in_scope ? 2 : meeting.arrivals.size() + 1;
  for (std::size_t round = 0; round < rounds; ++round)
    for (Arrival& to : meeting.arrivals)
      if (!to.settled && to.ordering.acquires) acquire_at(meeting, to);
  for (Arrival& arrival : meeting.arrivals) arrival.settled = true;
}

void KernelOrder::acquire_at(const Meeting& meeting, Arrival& to) {
  std::vector<const Release*> releases;
  for (const Arrival& from : meeting.arrivals) {
    if (!releases_at(meeting, from)) continue;
    if (!arrivals_synchronize(from, to)) {
      for (const ReleasePointer& fence : from.fences) miss(to.agent, *fence);
      continue;
    }
    for (const ReleasePointer& fence : from.fences) {
      if (in_scope(*fence, to.agent, to.ordering.reach)) {
        releases.push_back(fence.get());
      } else {
        miss(to.agent, *fence);
      }
    }
  }
  acquire(to.agent, to.ordering, releases);
  if (!to.ordering.releases) return;
  remember_fence(agent_of(to.agent),
                 std::make_shared<const Release>(Release{to.agent, false, to.ordering.mask,
                                                         to.ordering.reach,
                                                         agent_of(to.agent).view}));
  to.fences = agent_of(to.agent).fences;
}

void KernelOrder::leave_to_later(const Meeting& meeting, const Arrival& to) {
  for (const Arrival& from : meeting.arrivals) {
    if (!releases_at(meeting, from) || !arrivals_synchronize(from, to)) continue;
    for (const ReleasePointer& fence : from.fences) see(to.agent, fence, 0, true, to.ordering);
  }
}

}  // namespace heddle::race
