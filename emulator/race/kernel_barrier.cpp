// What control barriers do to the views of those who meet at them.

#include <algorithm>

#include "emulator/race/kernel_order.h"

namespace heddle::race {

void KernelOrder::arrive(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const std::uint64_t instance = operation.barrier_instance;
  auto meeting = meetings_.rbegin();
  while (meeting != meetings_.rend() && meeting->instance != instance) ++meeting;
  if (meeting == meetings_.rend()) {
    meetings_.emplace_back();
    if (!spare_meetings_.empty()) {
      meetings_.back() = std::move(spare_meetings_.back());
      spare_meetings_.pop_back();
    }
    meeting = meetings_.rbegin();
    meeting->instance = instance;
    meeting->scope = operation.scope;
    meeting->execution = operation.execution_scope;
    meeting->semantics = operation.semantics;
    meeting->group = places_.group(agent);
  }
  const bool alike = meeting->group == places_.group(agent) && meeting->scope == operation.scope &&
                     meeting->execution == operation.execution_scope &&
                     meeting->semantics == operation.semantics;
  const bool known = alike && !meeting->arrivals.empty();
  meeting->alike = meeting->alike && alike;
  meeting->arrivals.emplace_back();
  Arrival& arrival = meeting->arrivals.back();
  arrival.index = index;
  arrival.agent = agent;
  arrival.ordering = known ? meeting->arrivals.front().ordering : ordering_of(operation);
  const Ordering& ordering = arrival.ordering;
  if (!known && (ordering.acquires || ordering.releases)) log_.note(ordering.mask, 0);
  if (ordering.acquires) acquire_seen(agent, ordering);
}

// They are a whole workgroup of which nobody has anything of its own, neither to acquire nor to release, and
// what the barrier releases nobody else ever acquires: what `open_together` does is all there is to do.
//= vk:memory-model-synchronizes-with
bool KernelOrder::meets(model::OperationIndex first, const Operation& operation, std::uint32_t count) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const GroupId group = places_.group(agent);
  Meeting meeting;
  meeting.group = group;
  meeting.arrivals.resize(1);
  Arrival& arrival = meeting.arrivals.front();
  arrival.index = first + count - 1;
  arrival.agent = agent;
  arrival.ordering = ordering_of(operation);
  const Ordering& o = arrival.ordering;
  const auto has_nothing = [](const Agent& one) {
    return !one.view && one.fences.empty() && one.seen.empty() && !one.seen_together;
  };
  if (!whole_workgroups_ || count != places_.agents_of(group) || group != places_.group(agent + count - 1) ||
      !are_whole_workgroups(o, agent) || (o.releases && o.level != kWorkgroup) ||
      !std::all_of(groups_[group].agents.begin(), groups_[group].agents.end(), has_nothing))
    return false;
  if (o.acquires || o.releases) log_.note(o.mask, 0);
  open_together(meeting);
  return true;
}

// Nearly always the arrivals at one instance are told one after the other.
bool KernelOrder::is_at(const Meeting& meeting, model::OperationIndex index) const {
  const std::vector<Arrival>& arrivals = meeting.arrivals;
  const std::size_t place = index - arrivals.front().index;
  if (index < arrivals.front().index || index > arrivals.back().index) return false;
  if (place < arrivals.size() && arrivals[place].index == index) return true;
  const auto at = std::lower_bound(
      arrivals.begin(), arrivals.end(), index,
      [](const Arrival& arrival, model::OperationIndex wanted) { return arrival.index < wanted; });
  return at != arrivals.end() && at->index == index;
}

std::size_t KernelOrder::meeting_with(model::OperationIndex index) const {
  if (last_meeting_ < meetings_.size() && is_at(meetings_[last_meeting_], index))
    return last_meeting_;
  std::size_t i = meetings_.size();
  while (i-- > 0)
    if (is_at(meetings_[i], index)) return i;
  return meetings_.size();
}

void KernelOrder::passes(model::OperationIndex index,
                         std::span<const model::OperationIndex> synchronizing) {
  const std::size_t number = meeting_with(index);
  if (number == meetings_.size()) return;
  last_meeting_ = number;
  Meeting& meeting = meetings_[number];
  if (!meeting.opened) {
    meeting.opened = true;
    meeting.synchronizing.assign(synchronizing.begin(), synchronizing.end());
    meeting.together = can_open_together(meeting);
    if (meeting.together) open_together(meeting);
  }
  if (!meeting.done) {
    std::size_t place = index - meeting.arrivals.front().index;
    if (place >= meeting.arrivals.size() || meeting.arrivals[place].index != index)
      for (place = 0; meeting.arrivals[place].index != index;) ++place;
    Arrival& arrival = meeting.arrivals[place];
    if (meeting.together) {
      pass_together(meeting, arrival);
    } else {
      if (!arrival.settled) settle_one_by_one(meeting);
      leave_to_later(meeting, arrival);
    }
  }
  // A barrier with a quorum stays: somebody may still come.
  if (++meeting.passed == meeting.arrivals.size() && meeting.synchronizing.empty()) close(number);
}

void KernelOrder::close(std::size_t number) {
  Meeting& meeting = meetings_[number];
  std::vector<Arrival> room = std::move(meeting.arrivals);
  room.clear();
  meeting = {};
  meeting.arrivals = std::move(room);
  spare_meetings_.push_back(std::move(meeting));
  meetings_.erase(meetings_.begin() + static_cast<std::ptrdiff_t>(number));
}

bool KernelOrder::releases_at(const Meeting& meeting, const Arrival& arrival) const {
  return meeting.synchronizing.empty() ||
         std::find(meeting.synchronizing.begin(), meeting.synchronizing.end(), arrival.index) !=
             meeting.synchronizing.end();
}

// The arrivals have to be in each other's memory scopes, and in the execution scope.
//= vk:memory-model-synchronizes-with
bool KernelOrder::arrivals_synchronize(const Arrival& from, const Arrival& to) const {
  return places_.same_instance(from.agent, to.agent, from.ordering.level) &&
         places_.same_instance(from.agent, to.agent, to.ordering.level) &&
         places_.same_instance(from.agent, to.agent, from.ordering.execution);
}

// Whether all who meet are a whole workgroup that does one and the same.
bool KernelOrder::can_open_together(const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  if (!meeting.alike || !meeting.synchronizing.empty()) return false;
  if (meeting.arrivals.size() != places_.agents_of(meeting.group)) return false;
  return are_whole_workgroups(o, first.agent);
}

// Whether it orders both ways, for all of a workgroup.
bool KernelOrder::are_whole_workgroups(const Ordering& o, std::uint32_t agent) const {
  if (o.acquires != o.releases) return false;
  if (places_.place(agent).kind != model::AgentKind::Shader) return false;
  // Scopes of ray tracing and of interlock need not include the workgroup.
  const auto wide = [](Level level) { return level == kWorkgroup || level + 1 >= kDevice; };
  return wide(o.level) && wide(o.execution);
}

// What everybody did up to now is before what everybody does from now on.
//= vk:memory-model-synchronizes-with
void KernelOrder::open_together(Meeting& meeting) {
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  collect_fences(meeting);
  if (!o.releases) {
    meeting.done = !meeting.fences;
    return;
  }
  const GroupId group = places_.group(first.agent);
  const Stamp stamp = groups_[group].now++;
  meeting.before = view(first.agent);
  meeting.after = joined_view(meeting, stamp);
  meeting.done = learn_together(meeting);
  if (!meeting.done) meeting.own = std::make_shared<const Release>(Release{o.mask, o.level, meeting.after});
  settle(group, stamp, o);
  log_arrival(meeting.arrivals.back(), kEverybody, stamp, meeting.after);
}

// The view of a whole workgroup is kept once, as long as nobody knows more. What the barrier releases they
// have all acquired, and if its scope is the workgroup nobody else ever does.
bool KernelOrder::learn_together(Meeting& meeting) {
  Group& group = groups_[meeting.group];
  if (std::any_of(group.agents.begin(), group.agents.end(),
                  [](const Agent& agent) { return agent.view || !agent.fences.empty(); }))
    return false;
  group.view = meeting.after;
  return whole_workgroups_ && meeting.arrivals.front().ordering.level == kWorkgroup && !meeting.fences;
}

ViewPointer KernelOrder::joined_view(const Meeting& meeting, Stamp stamp) const {
  const Group& group = groups_[meeting.group];
  const ClassSets sets = sets_in(meeting.arrivals.front().ordering.mask);
  View made = *meeting.before;
  if (sets == 0) return std::make_shared<const View>(std::move(made));
  const View* last = meeting.before.get();
  const auto join = [&](const View* next) {
    if (next == last) return;
    last = next;
    for (std::size_t i = 0; i < kClassSets.size(); ++i)
      if (((sets >> i) & 1) != 0) made.before[i].join(next->before[i]);
    made.reached.join(next->reached);
  };
  // Whatever an agent knows that has a view of its own, it knows what the group did before.
  join(view_of(group).get());
  for (const Agent& agent : group.agents)
    if (agent.view) join(agent.view.get());
  const Clock reached = made.reached;
  made.reached.add_everybody(meeting.group, stamp);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (((sets >> i) & 1) == 0) continue;
    // Mostly the clocks are one and the same.
    Clock& clock = made.before[i];
    if (clock.is_same(reached)) {
      clock = made.reached;
      continue;
    }
    clock.add_everybody(meeting.group, stamp);
    for (std::size_t same = 0; same < i; ++same)
      if (((sets >> same) & 1) != 0) clock.share(made.before[same]);
    clock.share(made.reached);
  }
  return std::make_shared<const View>(std::move(made));
}

// Each arrival makes available what its agent did and shows its agent what the others did.
//= vk:memory-model-location-ordered
void KernelOrder::settle(GroupId group, Stamp stamp, const Ordering& ordering) {
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (((ordering.mask >> c) & 1) == 0) continue;
    Settled& settled = groups_[group].settled[c];
    settled.settle(SettledBy::Order, stamp);
    if (ordering.makes_available) settled.settle(SettledBy::Availability, stamp);
    if (!ordering.makes_visible) continue;
    settled.settle(SettledBy::OwnVisibility, stamp);
    settled.settle(SettledBy::Visibility, settled.by(SettledBy::Availability));
  }
}

// The release barriers before the control barrier, of all. Of those whose classes the barrier has, it
// releases and acquires everything itself.
void KernelOrder::collect_fences(Meeting& meeting) {
  const Ordering& o = meeting.arrivals.front().ordering;
  Offers all;
  for (const Agent& agent : groups_[meeting.group].agents)
    for (const Offer& fence : agent.fences)
      if (!o.acquires || (fence.release->mask & ~o.mask) != 0) all.push_back(fence);
  if (!all.empty()) meeting.fences = std::make_shared<const Offers>(std::move(all));
}

// What it knows of other classes than the barrier's stays its own.
//= vk:memory-model-inter-thread-happens-before
const ViewPointer& KernelOrder::view_after(Meeting& meeting, const ViewPointer& own) const {
  const Ordering& o = meeting.arrivals.front().ordering;
  if (own == meeting.before || same_but(*own, *meeting.after, sets_in(o.mask))) return meeting.after;
  if (own == meeting.other_before) return meeting.other_after;
  View made = *own;
  for (std::size_t i = 0; i < kClassSets.size(); ++i)
    if (((sets_in(o.mask) >> i) & 1) != 0) made.before[i] = meeting.after->before[i];
  if (o.mask != 0) made.reached = meeting.after->reached;
  meeting.other_before = own;
  meeting.other_after = std::make_shared<const View>(std::move(made));
  return meeting.other_after;
}

void KernelOrder::pass_together(Meeting& meeting, const Arrival& arrival) {
  Agent& agent = state(arrival.agent);
  const Ordering& o = arrival.ordering;
  if (o.releases && (agent.view || group_of(arrival.agent).view != meeting.after))
    agent.view = view_after(meeting, agent.view ? agent.view : view_of(group_of(arrival.agent)));
  // What it saw at the barrier before is part of what it sees at this one.
  if (meeting.fences) agent.seen_together = meeting.fences;
  if (!meeting.own) return;
  if (!whole_workgroups_ || o.level != kWorkgroup)
    return remember_fence(agent, {arrival.agent, meeting.own});
  const auto known_to_all = [&](const Offer& fence) {
    return fence.release->level <= kWorkgroup && (fence.release->mask & ~o.mask) == 0;
  };
  agent.fences.erase(std::remove_if(agent.fences.begin(), agent.fences.end(), known_to_all),
                     agent.fences.end());
}

// The arrivals synchronize with each other in turn, so what one of them acquires it passes on: until
// nobody learns anything more.
//= vk:memory-model-synchronizes-with
void KernelOrder::settle_one_by_one(Meeting& meeting) {
  std::vector<Stamp> stamps(meeting.arrivals.size());
  for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
    Arrival& arrival = meeting.arrivals[i];
    if (arrival.settled) continue;
    stamps[i] = now(places_.group(arrival.agent));
    if (arrival.ordering.releases) {
      remember_fence(state(arrival.agent),
                     {arrival.agent,
                      release(arrival.agent, arrival.ordering.mask, arrival.ordering.level)});
    } else {
      ++group_of(arrival.agent).now;
    }
    arrival.fences = state(arrival.agent).fences;
  }
  for (std::size_t round = 0; round < meeting.arrivals.size() + 1; ++round) {
    bool more = false;
    for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
      Arrival& to = meeting.arrivals[i];
      if (to.settled || !to.ordering.acquires) continue;
      const ViewPointer before = view(to.agent);
      acquire_at(meeting, to);
      more = more || !same_knowledge(*before, *view(to.agent));
    }
    if (!more) break;
  }
  for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
    Arrival& arrival = meeting.arrivals[i];
    if (!arrival.settled) log_arrival(arrival, arrival.agent, stamps[i], view(arrival.agent));
    arrival.settled = true;
  }
}

void KernelOrder::acquire_at(const Meeting& meeting, Arrival& to) {
  Offers offers;
  for (const Arrival& from : meeting.arrivals) {
    if (!releases_at(meeting, from)) continue;
    const bool meet = arrivals_synchronize(from, to);
    for (const Offer& fence : from.fences) {
      if (meet && in_scope(fence, to.agent, to.ordering.level)) {
        offers.push_back(fence);
      } else {
        miss(to.agent, *fence.release);
      }
    }
  }
  if (offers.empty()) return;
  acquire(to.agent, to.ordering.mask, offers);
  if (!to.ordering.releases) return;
  // What it releases has this as well; the time of its own operations ended when it arrived.
  View published = *view(to.agent);
  for (const Offer& own : to.fences) {
    if (own.release->mask != to.ordering.mask || own.release->level != to.ordering.level) continue;
    for (std::size_t i = 0; i < kClassSets.size(); ++i)
      if (((sets_in(to.ordering.mask) >> i) & 1) != 0)
        published.before[i].join(own.release->view->before[i]);
    published.reached.join(own.release->view->reached);
  }
  remember_fence(state(to.agent),
                 {to.agent, std::make_shared<const Release>(
                                Release{to.ordering.mask, to.ordering.level,
                                        std::make_shared<const View>(std::move(published))})});
  to.fences = state(to.agent).fences;
}

void KernelOrder::leave_to_later(const Meeting& meeting, const Arrival& to) {
  for (const Arrival& from : meeting.arrivals) {
    if (!releases_at(meeting, from) || !arrivals_synchronize(from, to)) continue;
    for (const Offer& fence : from.fences) see(to.agent, fence, 0, true, to.ordering);
  }
}

void KernelOrder::log_arrival(const Arrival& arrival, std::uint32_t agent, Stamp stamp,
                              ViewPointer view) {
  const Ordering& o = arrival.ordering;
  SyncEvent event;
  event.agent = agent;
  event.stamp = stamp;
  event.number = std::uint64_t{arrival.index} * 2 + 1;
  event.mask = o.mask;
  if (o.makes_available) event.bulk_availability = o.level;
  if (o.makes_visible) event.bulk_visibility = o.level;
  if (event.bulk_availability == kOwn && event.bulk_visibility == kOwn) return;
  event.view = std::move(view);
  event.last_agent = places_.end() - 1;
  log_.add(places_.group(arrival.agent), std::move(event));
}

}  // namespace heddle::race
