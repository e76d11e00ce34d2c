#include "emulator/race/group_views.h"

#include "emulator/race/meeting.h"
#include "emulator/race/ordering.h"

namespace heddle::race {

// A group that there is, or for which there is room.
void AgentViews::grow(Group& group, std::uint32_t agent, std::uint32_t count) {
  make_room(group, agent);
  // An agent that begins again is no more than one.
  const std::uint32_t row = group.agents_in_row + count;
  const bool follows =
      agent == group.first_agent + group.agents_in_row && places().agents_of(places().group(agent)) == row;
  group.agents_in_row = follows ? row : 0;
  if (group.view || !group.tail.empty())
    for (std::uint32_t i = 0; i < count; ++i) state(agent + i).view = nothing();
  // What barriers settled so far is not so for one that was not there.
  if (group.now != kFirstStamp) {
    group.settled = {};
    lost_ = lost_ || whole_workgroups_;
  }
}

// Chains of agents that are gone go on behind a dependency: what reaches no farther than their workgroup orders nothing
// that is accessed from now on.
void AgentViews::end(Group& group) {
  const auto leave_view = [&](const ViewPointer& view, std::uint32_t agent, bool everybody) {
    if (!view || !std::any_of(view->facts.begin(), view->facts.end(), reach_out_of_workgroup)) return;
    // What others did is apart from what the agent did itself: agents that learnt of each other know the same of
    // others.
    View left = *view;
    View own;
    chains().part_own(left, own, {agent, places().group(agent), everybody});
    leave(left);
    leave(own);
  };
  // Barriers that are not in the view yet are of the scope of the workgroup.
  leave_view(group.view, group.first_agent, true);
  const ViewPointer* last = nullptr;
  for (std::size_t i = 0; i < group.agents.size(); ++i) {
    const ViewPointer& view = group.agents[i].view;
    if (last && *last == view) continue;
    last = &view;
    leave_view(view, group.first_agent + static_cast<std::uint32_t>(i), !chains().is_exact());
  }
  if (!group.agents.empty()) group.agents = {};
}

// What it did when it did it the last time, knowing the same: its own reads since then.
void AgentViews::finish(std::uint32_t agent) {
  const Agent* own = find(agent);
  if (!own || own->last_visibility.again == 0) return;
  const LastVisibility last = std::move(state(agent).last_visibility);
  state(agent).last_visibility = {};
  View made = *view(agent);
  chains().make_visible(made, performer(agent), last.operation, last.again);
  state(agent).view = std::make_shared<const View>(std::move(made));
}

void AgentViews::make_available(std::uint32_t agent, std::uint8_t, const ViewPointer& known, BulkOperation operation,
                                Stamp stamp) {
  View made = *view(agent);
  chains().make_available(made, *known, performer(agent), operation, stamp);
  state(agent).view = std::make_shared<const View>(std::move(made));
}

// An agent that waits makes the same visible again and again.
void AgentViews::make_visible(std::uint32_t agent, std::uint8_t, BulkOperation operation, Stamp stamp) {
  LastVisibility& last = state(agent).last_visibility;
  if (last.known && last.known == view(agent) && last.operation == operation) {
    last.again = stamp;
    return;
  }
  finish(agent);
  View made = *view(agent);
  chains().make_visible(made, performer(agent), operation, stamp);
  Agent& own = state(agent);
  own.view = std::make_shared<const View>(std::move(made));
  own.last_visibility = {own.view, operation, 0};
}

// The agent's operations up to now, and what is before them, for each set of classes in the mask.
//= vk:memory-model-inter-thread-happens-before
std::shared_ptr<const Release> AgentViews::release(std::uint32_t agent, std::uint8_t, const Ordering& ordering,
                                                   Stamp stamp) {
  const GroupId group = places().group(agent);
  const ClassSets sets = sets_in(ordering.mask);
  finish(agent);
  View published = *view(agent);
  Clock own;
  own.add(group, agent, stamp);
  // Clocks that are the same stay the same.
  FactSums sums = chains().sums();
  for_each_set(sets, [&](std::size_t i) { published.before[i] = sums.sum(published.before[i], own); });
  if (ordering.mask != 0) published.reached = sums.sum(published.reached, own);
  chains().publish(published, performer(agent), sets, ordering.level, group_of(agent).left);
  return std::make_shared<const Release>(
      Release{ordering.mask, ordering.level, std::make_shared<const View>(std::move(published)), stamp});
}

// What it releases has what it has acquired, too; the time of its own operations ended when it arrived.
void AgentViews::release_again(Arrival& to) {
  const Ordering& o = to.ordering;
  View published = *view(to.agent);
  for (const Offer& own : to.fences) {
    if (own.release->mask != o.mask || own.release->level != o.level) continue;
    for_each_set(sets_in(o.mask), [&](std::size_t i) { published.before[i].join(own.release->view->before[i]); });
    published.reached.join(own.release->view->reached);
  }
  chains().publish(published, performer(to.agent), sets_in(o.mask), o.level, group_of(to.agent).left);
  const auto view = std::make_shared<const View>(std::move(published));
  remember_fence(state(to.agent).fences, {to.agent, std::make_shared<const Release>(Release{o.mask, o.level, view})});
  to.fences = state(to.agent).fences;
}

//= vk:memory-model-inter-thread-happens-before
bool AgentViews::acquire(std::uint32_t agent, std::uint8_t, Classes mask, std::span<const Offer> offers) {
  if (offers.empty()) return false;
  finish(agent);
  View made = *view(agent);
  if (!learn(made, agent, mask, offers)) return false;
  state(agent).view = std::make_shared<const View>(std::move(made));
  return true;
}

// Adds to what the agent knows what it acquires. Whether that is anything new.
//= vk:memory-model-inter-thread-happens-before
bool AgentViews::learn(View& made, std::uint32_t agent, Classes mask, std::span<const Offer> offers) const {
  bool more = false;
  std::array<FactsJoin, kClassSets.size()> facts;
  // The latest come first: they mostly have the others, which in a long release sequence are many. Those that know
  // nothing of each other are joined together.
  for (const Offer& offer : offers) {
    const ClassSets both = sets_in(mask & offer.release->mask);
    if (both == 0) continue;
    const View& from = *offer.release->view;
    const GroupId group = places().group(offer.agent);
    const Stamp stamp = offer.release->stamp;
    // (What is visible in its own workgroup an agent may learn from others only in part.)
    bool has_all = stamp != kForEver && group != places().group(agent) && made.reached.has(group, offer.agent, stamp);
    if (has_all)
      for_each_set(both, [&](std::size_t i) { has_all = has_all && made.before[i].has(group, offer.agent, stamp); });
    if (has_all) continue;
    const auto join = [&](Clock& to, const Clock& what) {
      const Clock known = to;
      to.join(what);
      more = more || !to.is_same(known);
    };
    for_each_set(both, [&](std::size_t i) { join(made.before[i], from.before[i]); });
    chains().collect(facts, agent, from, offer.agent, both);
    // What came by chains is only there.
    join(made.reached, from.reached);
  }
  return chains().learn(made, facts) || more;
}

void AgentViews::begin_with(std::uint32_t agent, View view) {
  state(agent).view = std::make_shared<const View>(std::move(view));
}

View AgentViews::all_of(std::uint32_t agent) {
  finish(agent);
  View all = *view(agent);
  chains().name_own(all, performer(agent), kAllClassSets);
  return all;
}

std::shared_ptr<const Release> AgentViews::with(const std::shared_ptr<const Release>& release, std::uint32_t agent,
                                                std::span<const Offer> offers, Level needs) const {
  const Release& kind = *offers.front().release;
  View view = release ? *release->view : View{};
  learn(view, agent, kind.mask, offers);
  Release made{kind.mask, kind.level, std::make_shared<const View>(std::move(view))};
  made.needs = needs;
  return std::make_shared<const Release>(std::move(made));
}

void AgentViews::add_tail(Group& group) const {
  View made = group.view ? *group.view : *nothing();
  for (const WholeBarrier& barrier : group.tail) come_together(made, group, barrier);
  group.tail.clear();
  group.view = std::make_shared<const View>(std::move(made));
}

// What a whole workgroup, of which all know the same, knows behind a barrier.
//= vk:memory-model-synchronizes-with
void AgentViews::come_together(View& view, const Group& group, const WholeBarrier& barrier) const {
  const Ordering& o = barrier.ordering;
  const Performer all{group.first_agent, places().group(group.first_agent), true};
  if (o.makes_available) chains().make_available(view, View(view), all, o.bulk(), barrier.stamp);
  release_together(view, all, o, barrier.stamp);
  if (o.makes_visible) chains().make_visible(view, all, o.bulk(), barrier.stamp);
}

// What everybody did up to now is before what everybody does from now on.
//= vk:memory-model-inter-thread-happens-before
void AgentViews::release_together(View& view, const Performer& all, const Ordering& o, Stamp stamp) const {
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
  chains().name_own(view, all, sets);
}

}  // namespace heddle::race
