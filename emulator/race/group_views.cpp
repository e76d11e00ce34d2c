#include "emulator/race/group_views.h"

#include <map>

#include "emulator/race/meeting.h"
#include "emulator/race/ordering.h"

namespace heddle::race {

// All that they say, one for each mask and each reader(who offers), who shares all instances with those for whom it is.
// Only those stay as they are whose scope some of a workgroup are not in.
std::vector<Offer> GroupViews::joined(std::span<const Offer> offers,
                                      const std::function<std::uint32_t(std::uint32_t)>& reader) const {
  std::vector<Offer> made;
  std::map<std::pair<std::uint32_t, Classes>, std::vector<Offer>> alike;
  for (const Offer& offer : offers) {
    if (has_whole_workgroups(offer.release->level)) {
      alike[{reader(offer.agent), offer.release->mask}].push_back(offer);
    } else {
      made.push_back(offer);
    }
  }
  for (const auto& [who, some] : alike) {
    View view;
    learn(view, who.first, who.second, some);
    const Release release{who.second, kWorkgroup, std::make_shared<const View>(std::move(view))};
    made.push_back({who.first, std::make_shared<const Release>(release)});
  }
  return made;
}

// Each of a workgroup would look at what each has left.
std::span<const Offer> GroupViews::left_together(LeftTogether& left, std::uint32_t agent, Level level) const {
  if (!has_whole_workgroups(level)) return left.all;
  const std::uint32_t reader = places().one_of_instance(agent, kSubgroup);
  const auto [known, fresh] = left.to_subgroup.try_emplace(reader);
  if (!fresh) return known->second;
  if (left.of_subgroups.empty())
    left.of_subgroups = joined(left.all, [&](std::uint32_t from) { return places().one_of_instance(from, kSubgroup); });
  return known->second = joined(left.of_subgroups, [&](std::uint32_t) { return reader; });
}

// They are a whole workgroup none of which has anything of its own, neither to acquire nor to release, and
// what the barrier releases no other agent ever acquires: what `open_together` does is all there is to do.
//= vk:memory-model-synchronizes-with
bool GroupViews::meets(const Operation& operation, std::uint32_t count) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const GroupId number = places().group(agent);
  Group& group = groups()[number];
  const Ordering o = ordering_of(operation);
  if (!expects_whole_workgroups() || (use().subgroups() && count <= kFewAgents) ||
      count != places().agents_of(number) || number != places().group(agent + count - 1) ||
      !are_whole_workgroups(o, agent) || (o.releases && o.level != kWorkgroup) ||
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

void GroupViews::open(Meeting& meeting) {
  meeting.together = can_open_together(meeting);
  if (meeting.together) open_together(meeting);
}

// Whether all who meet are a whole workgroup that does one and the same.
bool GroupViews::can_open_together(const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  if (!meeting.alike || !meeting.synchronizing.empty()) return false;
  if (meeting.arrivals.size() != places().agents_of(meeting.group)) return false;
  // What is so of a subgroup alone all of them do not have in common; of operations of its scope some may still come.
  if ((use().subgroups() || chains().is_exact()) && meeting.arrivals.size() <= kFewAgents) return false;
  return are_whole_workgroups(o, first.agent);
}

// Whether it orders both ways, for all of a workgroup.
bool GroupViews::are_whole_workgroups(const Ordering& o, std::uint32_t agent) const {
  if (o.acquires != o.releases) return false;
  if (places().place(agent).kind != model::AgentKind::Shader) return false;
  return has_whole_workgroups(o.level) && has_whole_workgroups(o.execution);
}

// What everybody did up to now is before what everybody does from now on.
//= vk:memory-model-synchronizes-with
void GroupViews::open_together(Meeting& meeting) {
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  collect_fences(meeting);
  if (!o.releases) {
    meeting.done = !meeting.fences;
    return;
  }
  const GroupId group = places().group(first.agent);
  const Stamp stamp = groups()[group].now++;
  meeting.stamp = stamp;
  meeting.before = view_of(groups()[group]);
  join_views(meeting);
  meeting.done = learn_together(meeting);
  if (!meeting.done) {
    View published = *meeting.joined;
    chains().publish(published, {first.agent, group, true}, sets_in(o.mask), o.level, groups()[group].left);
    meeting.own =
        std::make_shared<const Release>(Release{o.mask, o.level, std::make_shared<const View>(std::move(published))});
  }
  settle(group, stamp, o);
}

// The view of a whole workgroup is kept once, as long as none of it knows more. What the barrier releases they
// have all acquired, and if its scope is the workgroup no other agent ever does.
bool GroupViews::learn_together(Meeting& meeting) {
  Group& group = groups()[meeting.group];
  if (std::any_of(group.agents.begin(), group.agents.end(),
                  [](const Agent& agent) { return agent.view || !agent.fences.empty(); }))
    return false;
  group.view = meeting.after;
  return expects_whole_workgroups() && meeting.arrivals.front().ordering.level == kWorkgroup && !meeting.fences;
}

// Whatever an agent knows that has a view of its own, it knows what the group did before.
void GroupViews::join_views(Meeting& meeting) const {
  Group& group = groups()[meeting.group];
  const Ordering& o = meeting.arrivals.front().ordering;
  const Performer all{group.first_agent, meeting.group, true};
  const ClassSets sets = sets_in(o.mask);
  View made = *meeting.before;
  if (o.makes_available) chains().make_available(made, *meeting.before, all, o.bulk(), meeting.stamp);
  FactSums sums;
  const Arrival* last = nullptr;
  for (const Arrival& arrival : meeting.arrivals) {
    const ViewPointer& own = view(arrival.agent);
    const bool is_alike = own == meeting.before && arrival.known == own;
    const bool is_last = last && view(last->agent) == own && last->known == arrival.known;
    if (is_alike || (is_last && !chains().is_exact())) continue;
    last = &arrival;
    View one = *own;
    if (o.makes_available)
      chains().make_available(one, *arrival.known, performer(arrival.agent), o.bulk(), meeting.stamp);
    chains().name_own(one, performer(arrival.agent), sets);
    for (std::size_t i = 0; i < kClassSets.size(); ++i) {
      if (((sets >> i) & 1) == 0) continue;
      made.before[i].join(one.before[i]);
      chains().join(made, one, i, sums);
    }
    if (sets != 0) made.reached.join(one.reached);
  }
  release_together(made, all, o, meeting.stamp);
  meeting.joined = std::make_shared<const View>(made);
  if (o.makes_visible) chains().make_visible(made, all, o.bulk(), meeting.stamp);
  meeting.after = std::make_shared<const View>(std::move(made));
}

// Each arrival makes available what its agent did and shows its agent what the others did.
//= vk:memory-model-location-ordered
void GroupViews::settle(GroupId group, Stamp stamp, const Ordering& ordering) {
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (((ordering.mask >> c) & 1) == 0) continue;
    Settled& settled = groups()[group].settled[c];
    settled.settle(SettledBy::Order, stamp);
    if (ordering.makes_available) settled.settle(SettledBy::Availability, stamp);
    if (!ordering.makes_visible) continue;
    settled.settle(SettledBy::OwnVisibility, stamp);
    settled.settle(SettledBy::Visibility, settled.by(SettledBy::Availability));
  }
}

// The release barriers before the control barrier, of all. Of those whose classes the barrier has, it
// releases and acquires everything itself.
void GroupViews::collect_fences(Meeting& meeting) {
  const Ordering& o = meeting.arrivals.front().ordering;
  std::vector<Offer> all;
  for (const Agent& agent : groups()[meeting.group].agents)
    for (const Offer& fence : agent.fences)
      if (!o.acquires || (fence.release->mask & ~o.mask) != 0) all.push_back(fence);
  if (!all.empty()) meeting.fences = std::make_shared<LeftTogether>(LeftTogether{std::move(all), {}, {}});
}

// What it knows of other classes than the barrier's stays its own.
//= vk:memory-model-inter-thread-happens-before
ViewPointer GroupViews::view_after(Meeting& meeting, const Arrival& arrival) const {
  const Ordering& o = meeting.arrivals.front().ordering;
  const ViewPointer& own = view(arrival.agent);
  const ClassSets sets = sets_in(o.mask);
  const bool learnt_nothing = arrival.known == own;
  if (learnt_nothing && (own == meeting.before || has_all_but(*meeting.after, *own, sets))) return meeting.after;
  if (own == meeting.other_before && learnt_nothing && !chains().is_exact()) return meeting.other_after;
  Performer by = performer(arrival.agent);
  by.everybody = !chains().is_exact();
  View made = *own;
  if (o.makes_available) chains().make_available(made, *arrival.known, by, o.bulk(), meeting.stamp);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (((sets >> i) & 1) == 0) continue;
    made.before[i] = meeting.joined->before[i];
    made.facts[i] = meeting.joined->facts[i];
  }
  if (o.mask != 0) made.reached = meeting.joined->reached;
  if (o.makes_visible) chains().make_visible(made, by, o.bulk(), meeting.stamp);
  const auto after = std::make_shared<const View>(std::move(made));
  if (learnt_nothing) {
    meeting.other_before = own;
    meeting.other_after = after;
  }
  return after;
}

// Where all know the same behind a barrier, and have nothing else of their own, the workgroup has one view again.
void GroupViews::close(const Meeting& meeting) {
  if (!meeting.together || !meeting.after || meeting.done) return;
  Group& group = groups()[meeting.group];
  const auto knows_it = [&](const Agent& agent) { return agent.view == meeting.after; };
  if (!expects_whole_workgroups() || group.agents.size() != places().agents_of(meeting.group) ||
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

void GroupViews::pass(Meeting& meeting, const Arrival& arrival) {
  Agent& agent = state(arrival.agent);
  const Ordering& o = arrival.ordering;
  if (o.releases && (agent.view || group_of(arrival.agent).view != meeting.after))
    agent.view = view_after(meeting, arrival);
  // What it saw at the barrier before is part of what it sees at this one.
  if (meeting.fences) agent.seen_together = meeting.fences;
  if (!meeting.own) return;
  if (!expects_whole_workgroups() || o.level != kWorkgroup)
    return remember_fence(agent.fences, {arrival.agent, meeting.own});
  const auto known_to_all = [&](const Offer& fence) {
    return fence.release->level <= kWorkgroup && (fence.release->mask & ~o.mask) == 0;
  };
  agent.fences.erase(std::remove_if(agent.fences.begin(), agent.fences.end(), known_to_all), agent.fences.end());
}

// Whether all who meet are in one subgroup, so that no fact tells them apart, and do one and the same.
bool GroupViews::is_one_subgroup(const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals.front();
  const auto has_subgroups = [](Level level) { return level == kSubgroup || has_whole_workgroups(level); };
  if (!meeting.alike || !meeting.synchronizing.empty() || !first.ordering.acquires || !first.ordering.releases ||
      !has_subgroups(first.ordering.level) || !has_subgroups(first.ordering.execution) ||
      places().place(first.agent).kind != model::AgentKind::Shader)
    return false;
  return std::all_of(meeting.arrivals.begin(), meeting.arrivals.end(), [&](const Arrival& arrival) {
    return !arrival.settled && places().same_instance(first.agent, arrival.agent, kSubgroup);
  });
}

// Whether they know one and the same, and have released nothing but what they release at barriers of this kind.
bool GroupViews::know_the_same(const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  if (first.known->own &&
      std::any_of(first.known->own->begin(), first.known->own->end(), [](const Fact& fact) { return fact.own != 0; }))
    return false;
  return std::all_of(meeting.arrivals.begin(), meeting.arrivals.end(), [&](const Arrival& arrival) {
    if (arrival.known != first.known || view(arrival.agent) != first.known) return false;
    const Agent* own = find(arrival.agent);
    return !own || own->fences.empty() ||
           (own->fences.size() == 1 && own->fences.front().release->mask == o.mask &&
            own->fences.front().release->level == o.level);
  });
}

// A subgroup that meets at barriers has one view, and releases it once: what each of them did up to now is before what
// each does from now on.
//= vk:memory-model-synchronizes-with
bool GroupViews::settle_as_one(Meeting& meeting) {
  if (meeting.arrivals.size() < 2 || !is_one_subgroup(meeting) || !know_the_same(meeting)) return false;
  const Arrival& first = meeting.arrivals.front();
  const Ordering& o = first.ordering;
  Group& group = groups()[meeting.group];
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
  if (o.makes_available) chains().make_available(made, *first.known, by, o.bulk(), stamp);
  FactSums sums;
  for_each_set(sets, [&](std::size_t i) { made.before[i] = sums.sum(made.before[i], all); });
  if (o.mask != 0) made.reached = sums.sum(made.reached, all);
  chains().name_own(made, by, sets);
  View published = made;
  chains().publish(published, by, sets, o.level, group.left);
  const auto release =
      std::make_shared<const Release>(Release{o.mask, o.level, std::make_shared<const View>(std::move(published))});
  if (o.makes_visible) chains().make_visible(made, by, o.bulk(), stamp);
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

// Arrivals that do the same stand together where they synchronize with each other.
std::vector<std::vector<Arrival*>> GroupViews::companies(Meeting& meeting) const {
  std::vector<std::vector<Arrival*>> companies;
  for (Arrival& arrival : meeting.arrivals) {
    const auto company = std::find_if(companies.begin(), companies.end(), [&](const std::vector<Arrival*>& some) {
      return arrivals_synchronize(places(), *some.front(), arrival);
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
bool GroupViews::acquire_at_once(Meeting& meeting) {
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
void GroupViews::acquire_in_company(const std::vector<Arrival*>& company) {
  const Ordering& o = company.front()->ordering;
  std::vector<Offer> offers;
  for (const Arrival* from : company)
    for (const Offer& fence : from->fences)
      if (fence.release->mask == o.mask && fence.release->level == o.level) offers.push_back(fence);
  const auto share_instances = [&](std::uint32_t a, std::uint32_t b) {
    for (Level level = 1; level < kLevelCount; ++level)
      if (!places().same_instance(a, b, level)) return false;
    return true;
  };
  std::vector<Offer> together;
  for (const Arrival* to : company) {
    auto all = std::find_if(together.begin(), together.end(),
                            [&](const Offer& some) { return share_instances(some.agent, to->agent); });
    if (all == together.end()) {
      View joined;
      learn(joined, to->agent, o.mask, offers);
      const Release release{o.mask, o.level, std::make_shared<const View>(std::move(joined))};
      all = together.insert(together.end(), {to->agent, std::make_shared<const Release>(release)});
    }
    acquire(to->agent, 0, o.mask, std::span(&*all, 1));
  }
}

}  // namespace heddle::race
