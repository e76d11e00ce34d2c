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
                     meeting->execution == operation.execution_scope && meeting->semantics == operation.semantics;
  const bool known = alike && !meeting->arrivals.empty();
  meeting->alike = meeting->alike && alike;
  meeting->arrivals.emplace_back();
  Arrival& arrival = meeting->arrivals.back();
  arrival.index = index;
  arrival.agent = agent;
  arrival.ordering = known ? meeting->arrivals.front().ordering : ordering_of(operation);
  const Ordering& ordering = arrival.ordering;
  if (!known && (ordering.acquires || ordering.releases)) note(ordering, 0);
  finish_visibility(agent);
  arrival.known = view(agent);
  if (ordering.acquires) acquire_seen(agent, ordering);
}

// They are a whole workgroup none of which has anything of its own, neither to acquire nor to release, and
// what the barrier releases no other agent ever acquires: what `open_together` does is all there is to do.
//= vk:memory-model-synchronizes-with
bool KernelOrder::meets(const Operation& operation, std::uint32_t count) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const GroupId number = places_.group(agent);
  Group& group = groups_[number];
  const Ordering o = ordering_of(operation);
  if (!whole_workgroups_ || (use_.subgroups() && count <= kFewAgents) || count != places_.agents_of(number) ||
      number != places_.group(agent + count - 1) || !are_whole_workgroups(o, agent) ||
      (o.releases && o.level != kWorkgroup) ||
      !std::all_of(group.agents.begin(), group.agents.end(), [](const Agent& one) { return one.has_nothing(); }))
    return false;
  if (!o.releases) return true;
  note(o, 0);
  const Stamp stamp = group.now++;
  settle(number, stamp, o);
  if (o.mask == 0) return true;
  // One that does again what the last one did has all that that one has.
  if (group.tail.empty() || !(group.tail.back().ordering == o)) {
    if (group.tail.size() == kLongestTail) add_tail(group);
    group.tail.push_back({o, stamp});
  }
  group.tail.back().stamp = stamp;
  return true;
}

void KernelOrder::add_tail(Group& group) const {
  View made = group.view ? *group.view : *nothing_;
  for (const WholeBarrier& barrier : group.tail) come_together(made, group, barrier);
  group.tail.clear();
  group.view = std::make_shared<const View>(std::move(made));
}

// What a whole workgroup, of which all know the same, knows behind a barrier.
//= vk:memory-model-synchronizes-with
void KernelOrder::come_together(View& view, const Group& group, const WholeBarrier& barrier) const {
  const Ordering& o = barrier.ordering;
  const Performer all{group.first_agent, places_.group(group.first_agent), true};
  if (o.makes_available) chains_.make_available(view, View(view), all, o.bulk(), barrier.stamp);
  release_together(view, all, o, barrier.stamp);
  if (o.makes_visible) chains_.make_visible(view, all, o.bulk(), barrier.stamp);
}

// What everybody did up to now is before what everybody does from now on.
//= vk:memory-model-inter-thread-happens-before
void KernelOrder::release_together(View& view, const Performer& all, const Ordering& o, Stamp stamp) const {
  const ClassSets sets = sets_in(o.mask);
  if (sets == 0) return;
  const Clock reached = view.reached;
  view.reached.add_everybody(all.group, stamp);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (((sets >> i) & 1) == 0) continue;
    // Mostly the clocks are one and the same.
    Clock& clock = view.before[i];
    if (clock.is_same(reached)) {
      clock = view.reached;
      continue;
    }
    clock.add_everybody(all.group, stamp);
    for (std::size_t same = 0; same < i; ++same)
      if (((sets >> same) & 1) != 0) clock.share(view.before[same]);
    clock.share(view.reached);
  }
  chains_.name_own(view, all, sets);
}

// Nearly always the arrivals at one instance are told one after the other.
bool KernelOrder::is_at(const Meeting& meeting, model::OperationIndex index) const {
  const std::vector<Arrival>& arrivals = meeting.arrivals;
  const std::size_t place = index - arrivals.front().index;
  if (index < arrivals.front().index || index > arrivals.back().index) return false;
  if (place < arrivals.size() && arrivals[place].index == index) return true;
  const auto at =
      std::lower_bound(arrivals.begin(), arrivals.end(), index,
                       [](const Arrival& arrival, model::OperationIndex wanted) { return arrival.index < wanted; });
  return at != arrivals.end() && at->index == index;
}

std::size_t KernelOrder::meeting_with(model::OperationIndex index) const {
  if (last_meeting_ < meetings_.size() && is_at(meetings_[last_meeting_], index)) return last_meeting_;
  std::size_t i = meetings_.size();
  while (i-- > 0)
    if (is_at(meetings_[i], index)) return i;
  return meetings_.size();
}

void KernelOrder::passes(model::OperationIndex index, std::span<const model::OperationIndex> synchronizing) {
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
      if (!arrival.settled) {
        meeting.settled_as_one = settle_as_one(meeting);
        if (!meeting.settled_as_one) settle_one_by_one(meeting);
      }
      if (!meeting.settled_as_one) leave_to_later(meeting, arrival);
    }
  }
  // A barrier with a quorum stays: somebody may still come.
  if (++meeting.passed != meeting.arrivals.size() || !meeting.synchronizing.empty()) return;
  if (meeting.together && meeting.after && !meeting.done) come_to_one_view(meeting);
  close(number);
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

// Whether all who meet are a whole workgroup that does one and the same.
bool KernelOrder::can_open_together(const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  if (!meeting.alike || !meeting.synchronizing.empty()) return false;
  if (meeting.arrivals.size() != places_.agents_of(meeting.group)) return false;
  // What is so of a subgroup alone all of them do not have in common; of operations of its scope some may still come.
  if ((use_.subgroups() || chains_.is_exact()) && meeting.arrivals.size() <= kFewAgents) return false;
  return are_whole_workgroups(o, first.agent);
}

// Whether it orders both ways, for all of a workgroup.
bool KernelOrder::are_whole_workgroups(const Ordering& o, std::uint32_t agent) const {
  if (o.acquires != o.releases) return false;
  if (places_.place(agent).kind != model::AgentKind::Shader) return false;
  return has_whole_workgroups(o.level) && has_whole_workgroups(o.execution);
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
  meeting.stamp = stamp;
  meeting.before = view_of(groups_[group]);
  join_views(meeting);
  meeting.done = learn_together(meeting);
  if (!meeting.done) {
    View published = *meeting.joined;
    chains_.publish(published, {first.agent, group, true}, sets_in(o.mask), o.level, groups_[group].left);
    meeting.own =
        std::make_shared<const Release>(Release{o.mask, o.level, std::make_shared<const View>(std::move(published))});
  }
  settle(group, stamp, o);
}

// The view of a whole workgroup is kept once, as long as none of it knows more. What the barrier releases they
// have all acquired, and if its scope is the workgroup no other agent ever does.
bool KernelOrder::learn_together(Meeting& meeting) {
  Group& group = groups_[meeting.group];
  if (std::any_of(group.agents.begin(), group.agents.end(),
                  [](const Agent& agent) { return agent.view || !agent.fences.empty(); }))
    return false;
  group.view = meeting.after;
  return whole_workgroups_ && meeting.arrivals.front().ordering.level == kWorkgroup && !meeting.fences;
}

// Whatever an agent knows that has a view of its own, it knows what the group did before.
void KernelOrder::join_views(Meeting& meeting) const {
  Group& group = groups_[meeting.group];
  const Ordering& o = meeting.arrivals.front().ordering;
  const Performer all{group.first_agent, meeting.group, true};
  const ClassSets sets = sets_in(o.mask);
  View made = *meeting.before;
  if (o.makes_available) chains_.make_available(made, *meeting.before, all, o.bulk(), meeting.stamp);
  FactSums sums;
  const Arrival* last = nullptr;
  for (const Arrival& arrival : meeting.arrivals) {
    const ViewPointer& own = view(arrival.agent);
    const bool is_alike = own == meeting.before && arrival.known == own;
    const bool is_last = last && view(last->agent) == own && last->known == arrival.known;
    if (is_alike || (is_last && !chains_.is_exact())) continue;
    last = &arrival;
    View one = *own;
    if (o.makes_available)
      chains_.make_available(one, *arrival.known, performer(arrival.agent), o.bulk(), meeting.stamp);
    chains_.name_own(one, performer(arrival.agent), sets);
    for (std::size_t i = 0; i < kClassSets.size(); ++i) {
      if (((sets >> i) & 1) == 0) continue;
      made.before[i].join(one.before[i]);
      chains_.join(made, one, i, sums);
    }
    if (sets != 0) made.reached.join(one.reached);
  }
  release_together(made, all, o, meeting.stamp);
  meeting.joined = std::make_shared<const View>(made);
  if (o.makes_visible) chains_.make_visible(made, all, o.bulk(), meeting.stamp);
  meeting.after = std::make_shared<const View>(std::move(made));
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
  if (!all.empty()) meeting.fences = std::make_shared<LeftTogether>(LeftTogether{std::move(all), {}, {}});
}

// What it knows of other classes than the barrier's stays its own.
//= vk:memory-model-inter-thread-happens-before
ViewPointer KernelOrder::view_after(Meeting& meeting, const Arrival& arrival) const {
  const Ordering& o = meeting.arrivals.front().ordering;
  const ViewPointer& own = view(arrival.agent);
  const ClassSets sets = sets_in(o.mask);
  const bool learnt_nothing = arrival.known == own;
  if (learnt_nothing && (own == meeting.before || has_all_but(*meeting.after, *own, sets))) return meeting.after;
  if (own == meeting.other_before && learnt_nothing && !chains_.is_exact()) return meeting.other_after;
  Performer by = performer(arrival.agent);
  by.everybody = !chains_.is_exact();
  View made = *own;
  if (o.makes_available) chains_.make_available(made, *arrival.known, by, o.bulk(), meeting.stamp);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (((sets >> i) & 1) == 0) continue;
    made.before[i] = meeting.joined->before[i];
    made.facts[i] = meeting.joined->facts[i];
  }
  if (o.mask != 0) made.reached = meeting.joined->reached;
  if (o.makes_visible) chains_.make_visible(made, by, o.bulk(), meeting.stamp);
  const auto after = std::make_shared<const View>(std::move(made));
  if (learnt_nothing) {
    meeting.other_before = own;
    meeting.other_after = after;
  }
  return after;
}

// Where all know the same behind a barrier, and have nothing else of their own, the workgroup has one view again.
void KernelOrder::come_to_one_view(const Meeting& meeting) {
  Group& group = groups_[meeting.group];
  const auto knows_it = [&](const Agent& agent) { return agent.view == meeting.after; };
  if (!whole_workgroups_ || group.agents.size() != places_.agents_of(meeting.group) ||
      !std::all_of(group.agents.begin(), group.agents.end(), knows_it))
    return;
  group.view = meeting.after;
  bool nothing = true;
  for (Agent& agent : group.agents) {
    agent.view = nullptr;
    agent.last_visibility = {};
    nothing = nothing && agent.has_nothing() && agent.out_of_scope.empty();
  }
  if (nothing) group.agents = {};
}

void KernelOrder::pass_together(Meeting& meeting, const Arrival& arrival) {
  Agent& agent = state(arrival.agent);
  const Ordering& o = arrival.ordering;
  if (o.releases && (agent.view || group_of(arrival.agent).view != meeting.after))
    agent.view = view_after(meeting, arrival);
  // What it saw at the barrier before is part of what it sees at this one.
  if (meeting.fences) agent.seen_together = meeting.fences;
  if (!meeting.own) return;
  if (!whole_workgroups_ || o.level != kWorkgroup) return remember_fence(agent.fences, {arrival.agent, meeting.own});
  const auto known_to_all = [&](const Offer& fence) {
    return fence.release->level <= kWorkgroup && (fence.release->mask & ~o.mask) == 0;
  };
  agent.fences.erase(std::remove_if(agent.fences.begin(), agent.fences.end(), known_to_all), agent.fences.end());
}

// Whether all who meet are in one subgroup, so that no fact tells them apart, and do one and the same.
bool KernelOrder::is_one_subgroup(const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals.front();
  const auto has_subgroups = [](Level level) { return level == kSubgroup || has_whole_workgroups(level); };
  if (!meeting.alike || !meeting.synchronizing.empty() || !first.ordering.acquires || !first.ordering.releases ||
      !has_subgroups(first.ordering.level) || !has_subgroups(first.ordering.execution) ||
      places_.place(first.agent).kind != model::AgentKind::Shader)
    return false;
  return std::all_of(meeting.arrivals.begin(), meeting.arrivals.end(), [&](const Arrival& arrival) {
    return !arrival.settled && places_.same_instance(first.agent, arrival.agent, kSubgroup);
  });
}

// Whether they know one and the same, and have released nothing but what they release at barriers of this kind.
bool KernelOrder::know_the_same(const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  if (first.known->own &&
      std::any_of(first.known->own->begin(), first.known->own->end(), [](const Fact& fact) { return fact.own != 0; }))
    return false;
  return std::all_of(meeting.arrivals.begin(), meeting.arrivals.end(), [&](const Arrival& arrival) {
    if (arrival.known != first.known || view(arrival.agent) != first.known) return false;
    const Agent* own = find_state(arrival.agent);
    return !own || own->fences.empty() ||
           (own->fences.size() == 1 && own->fences.front().release->mask == o.mask &&
            own->fences.front().release->level == o.level);
  });
}

// A subgroup that meets at barriers has one view, and releases it once: what each of them did up to now is before what
// each does from now on.
//= vk:memory-model-synchronizes-with
bool KernelOrder::settle_as_one(Meeting& meeting) {
  if (meeting.arrivals.size() < 2 || !is_one_subgroup(meeting) || !know_the_same(meeting)) return false;
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  Group& group = groups_[meeting.group];
  const Stamp stamp = group.now++;
  const ClassSets sets = sets_in(o.mask);
  std::vector<std::uint32_t> company;
  Clock all;
  for (const Arrival& arrival : meeting.arrivals) {
    company.push_back(arrival.agent);
    all.add(meeting.group, arrival.agent, stamp);
  }
  Performer by = performer(first.agent);
  by.company = company;
  View made = *first.known;
  if (o.makes_available) chains_.make_available(made, *first.known, by, o.bulk(), stamp);
  FactSums sums;
  for_each_set(sets, [&](std::size_t i) { made.before[i] = sums.sum(made.before[i], all); });
  if (o.mask != 0) made.reached = sums.sum(made.reached, all);
  chains_.name_own(made, by, sets);
  View published = made;
  chains_.publish(published, by, sets, o.level, group.left);
  const auto release =
      std::make_shared<const Release>(Release{o.mask, o.level, std::make_shared<const View>(std::move(published))});
  if (o.makes_visible) chains_.make_visible(made, by, o.bulk(), stamp);
  const auto after = std::make_shared<const View>(std::move(made));
  for (Arrival& arrival : meeting.arrivals) {
    Agent& agent = state(arrival.agent);
    agent.view = after;
    agent.last_visibility = {};
    remember_fence(agent.fences, {arrival.agent, release});
    arrival.settled = true;
  }
  return true;
}

//= vk:memory-model-synchronizes-with
void KernelOrder::settle_one_by_one(Meeting& meeting) {
  std::vector<Stamp> stamps(meeting.arrivals.size());
  for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
    Arrival& arrival = meeting.arrivals[i];
    if (arrival.settled) continue;
    stamps[i] = now(places_.group(arrival.agent));
    if (arrival.ordering.makes_available)
      make_available(arrival.agent, arrival.known, arrival.ordering.bulk(), stamps[i]);
    if (arrival.ordering.releases) {
      remember_fence(state(arrival.agent).fences,
                     {arrival.agent, release(arrival.agent, arrival.ordering.mask, arrival.ordering.level)});
    } else {
      ++group_of(arrival.agent).now;
    }
    arrival.fences = state(arrival.agent).fences;
  }
  if (!acquire_at_once(meeting)) acquire_in_turns(meeting);
  for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
    Arrival& arrival = meeting.arrivals[i];
    if (!arrival.settled && arrival.ordering.makes_visible)
      make_visible(arrival.agent, arrival.ordering.bulk(), stamps[i]);
    arrival.settled = true;
  }
}

// The arrivals synchronize with each other in turn, so what one of them acquires it passes on: until
// none learns anything more.
//= vk:memory-model-synchronizes-with
void KernelOrder::acquire_in_turns(Meeting& meeting) {
  for (std::size_t round = 0; round < meeting.arrivals.size() + 1; ++round) {
    bool more = false;
    for (Arrival& to : meeting.arrivals) {
      if (to.settled || !to.ordering.acquires) continue;
      const ViewPointer before = view(to.agent);
      acquire_at(meeting, to);
      more = more || !same_knowledge(*before, *view(to.agent));
    }
    if (!more) break;
  }
}

// Arrivals that do the same stand together where they synchronize with each other.
std::vector<std::vector<KernelOrder::Arrival*>> KernelOrder::companies(Meeting& meeting) const {
  std::vector<std::vector<Arrival*>> companies;
  for (Arrival& arrival : meeting.arrivals) {
    const auto company = std::find_if(companies.begin(), companies.end(), [&](const std::vector<Arrival*>& some) {
      return arrivals_synchronize(places_, *some.front(), arrival);
    });
    if (company == companies.end()) {
      companies.push_back({&arrival});
    } else {
      company->push_back(&arrival);
    }
  }
  return companies;
}

// Where all do the same, what each releases at the barrier is all that the others acquire of it: no earlier release of
// its has more of these classes. None learns anything more from what the others acquire.
//= vk:memory-model-synchronizes-with
bool KernelOrder::acquire_at_once(Meeting& meeting) {
  const Ordering& o = meeting.arrivals.front().ordering;
  if (!meeting.alike || !meeting.synchronizing.empty() || !o.acquires || !o.releases ||
      std::any_of(meeting.arrivals.begin(), meeting.arrivals.end(),
                  [](const Arrival& arrival) { return arrival.settled; }))
    return false;
  const std::vector<std::vector<Arrival*>> companies = this->companies(meeting);
  for (const std::vector<Arrival*>& company : companies) acquire_in_company(company);
  for (Arrival& to : meeting.arrivals) release_again(to);
  for (const std::vector<Arrival*>& company : companies)
    for (const std::vector<Arrival*>& others : companies) {
      if (&company == &others) continue;
      for (const Arrival* to : company)
        for (const Arrival* from : others)
          for (const Offer& fence : from->fences) miss(to->agent, *fence.release);
    }
  return true;
}

// Arrivals that share all instances learn one and the same.
void KernelOrder::acquire_in_company(const std::vector<Arrival*>& company) {
  const Ordering& o = company.front()->ordering;
  Offers offers;
  for (const Arrival* from : company)
    for (const Offer& fence : from->fences)
      if (fence.release->mask == o.mask && fence.release->level == o.level) offers.push_back(fence);
  const auto share_instances = [&](std::uint32_t a, std::uint32_t b) {
    for (Level level = 1; level < kLevelCount; ++level)
      if (!places_.same_instance(a, b, level)) return false;
    return true;
  };
  Offers together;
  for (const Arrival* to : company) {
    auto all = std::find_if(together.begin(), together.end(),
                            [&](const Offer& some) { return share_instances(some.agent, to->agent); });
    if (all == together.end()) {
      View joined;
      learn(joined, to->agent, o.mask, offers);
      const Release release{o.mask, o.level, std::make_shared<const View>(std::move(joined))};
      all = together.insert(together.end(), {to->agent, std::make_shared<const Release>(release)});
    }
    acquire(to->agent, o.mask, std::span(&*all, 1));
  }
}

void KernelOrder::acquire_at(const Meeting& meeting, Arrival& to) {
  Offers offers;
  for (const Arrival& from : meeting.arrivals) {
    if (!releases_at(meeting, from)) continue;
    const bool meet = arrivals_synchronize(places_, from, to);
    for (const Offer& fence : from.fences) {
      if (meet && in_scope(places_, fence, to.agent, to.ordering.level)) {
        offers.push_back(fence);
      } else {
        miss(to.agent, *fence.release);
      }
    }
  }
  if (offers.empty()) return;
  acquire(to.agent, to.ordering.mask, offers);
  if (to.ordering.releases) release_again(to);
}

// What it releases has what it has acquired, too; the time of its own operations ended when it arrived.
void KernelOrder::release_again(Arrival& to) {
  View published = *view(to.agent);
  for (const Offer& own : to.fences) {
    if (own.release->mask != to.ordering.mask || own.release->level != to.ordering.level) continue;
    for (std::size_t i = 0; i < kClassSets.size(); ++i)
      if (((sets_in(to.ordering.mask) >> i) & 1) != 0) published.before[i].join(own.release->view->before[i]);
    published.reached.join(own.release->view->reached);
  }
  chains_.publish(published, performer(to.agent), sets_in(to.ordering.mask), to.ordering.level,
                  group_of(to.agent).left);
  remember_fence(
      state(to.agent).fences,
      {to.agent, std::make_shared<const Release>(Release{to.ordering.mask, to.ordering.level,
                                                         std::make_shared<const View>(std::move(published))})});
  to.fences = state(to.agent).fences;
}

void KernelOrder::leave_to_later(const Meeting& meeting, const Arrival& to) {
  for (const Arrival& from : meeting.arrivals) {
    if (!releases_at(meeting, from) || !arrivals_synchronize(places_, from, to)) continue;
    for (const Offer& fence : from.fences) see(to.agent, fence, 0, true, to.ordering);
  }
}

}  // namespace heddle::race
