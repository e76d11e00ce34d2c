#include "emulator/race/lane_views.h"

#include "emulator/race/meeting.h"
#include "emulator/race/ordering.h"

namespace heddle::race {

template <typename F>
void LaneViews::for_each_fitting(std::uint8_t lane, F&& f) const {
  for (std::uint8_t other = 0; other < lanes_.count(); ++other)
    if (lanes_.fit(lane, other)) f(other);
}

// What every agent begins with is before all that the agent does: the empty set fits every set.
std::vector<Lane>& LaneViews::lanes_of(std::uint32_t agent) {
  Agent& own = state(agent);
  if (own.lanes.empty()) {
    own.lanes.resize(TagLanes::kMost);
    own.lanes.front().acquired = nothing();
    own.system = nothing()->system;
    own.reached.join(nothing()->reached);
  }
  return own.lanes;
}

const Clock& LaneViews::reached(std::uint32_t agent) const {
  return has_lanes(agent) ? find(agent)->reached : nothing()->reached;
}

// What reaches no farther than the workgroup orders nothing that is accessed from now on.
void LaneViews::end(Group& group) {
  for (const Agent& agent : group.agents)
    if (!agent.lanes.empty()) leave(all_of(agent));
  group.agents = {};
}

void LaneViews::join(View& to, const ViewPointer& more, ClassSets sets, FactSums& sums) const {
  if (!more) return;
  for_each_set(sets, [&](std::size_t i) {
    to.before[i].join(more->before[i]);
    chains().join(to, *more, i, sums);
  });
}

void LaneViews::add(ViewPointer& to, const View& more, ClassSets sets) const {
  FactSums sums;
  View made = to ? *to : View{};
  for_each_set(sets, [&](std::size_t i) {
    made.before[i].join(more.before[i]);
    chains().join(made, more, i, sums);
  });
  to = std::make_shared<const View>(std::move(made));
}

// What is before any of its operations.
View LaneViews::all_of(const Agent& agent) const {
  View all;
  FactSums sums;
  for (const Lane& lane : agent.lanes)
    for (const ViewPointer* view : {&lane.acquired, &lane.constrained, &lane.done})
      join(all, *view, kAllClassSets, sums);
  all.reached = agent.reached;
  all.system = agent.system;
  return all;
}

View LaneViews::all_of(std::uint32_t agent) const {
  return has_lanes(agent) ? all_of(*find(agent)) : *nothing();
}

View LaneViews::beginning(std::uint32_t agent) {
  View made = *lanes_of(agent)[0].acquired;
  made.reached = state(agent).reached;
  made.system = state(agent).system;
  return made;
}

void LaneViews::begin_with(std::uint32_t agent, View view) {
  std::vector<Lane>& own = lanes_of(agent);
  state(agent).reached = std::move(view.reached);
  state(agent).system = std::move(view.system);
  own[0].acquired = std::make_shared<const View>(std::move(view));
  acquired_more(own, 0, kAllClassSets);
}

ViewPointer LaneViews::view(std::uint32_t agent, std::uint8_t lane) {
  if (!has_lanes(agent)) return nothing();
  Agent& own = state(agent);
  ViewPointer& known = own.lanes[lane].known;
  if (known) return known;
  View made;
  FactSums sums;
  made.system = own.system;
  made.reached = own.reached;
  for_each_fitting(lane, [&](std::uint8_t other) {
    const Lane& of = own.lanes[other];
    join(made, of.acquired, kAllClassSets, sums);
    join(made, of.done, kAllClassSets, sums);
    for (const ViewPointer* view : {&of.acquired, &of.done})
      if (*view) made.own = sums.sum(made.own, (*view)->own);
  });
  known = std::make_shared<const View>(std::move(made));
  return known;
}

// What is before operations is before the releases that follow them and fit.
//= mmra:happens-before
ViewPointer LaneViews::view_of_release(std::uint32_t agent, std::uint8_t lane, const Operation& atomic) {
  View made = *view(agent, lane);
  if (has_lanes(agent)) {
    const std::vector<Lane>& own = lanes_of(agent);
    FactSums sums;
    const ClassSets sets = sets_in(classes_of(atomic.semantics));
    for_each_fitting(lane, [&](std::uint8_t other) { join(made, own[other].constrained, sets, sums); });
  }
  return std::make_shared<const View>(std::move(made));
}

// Program order between an acquire and an operation whose tags do not fit it does not count.
//= mmra:happens-before
void LaneViews::acquired_more(std::vector<Lane>& own, std::uint8_t lane, ClassSets sets) const {
  for_each_fitting(lane, [&](std::uint8_t other) {
    own[other].pending = static_cast<ClassSets>(own[other].pending | sets);
    own[other].known = nullptr;
  });
}

//= vk:memory-model-inter-thread-happens-before
void LaneViews::constrain(std::uint32_t agent, std::uint8_t lane, ClassSets sets) {
  if (!has_lanes(agent)) return;
  std::vector<Lane>& own = lanes_of(agent);
  Lane& of = own[lane];
  const auto now = static_cast<ClassSets>(of.pending & sets);
  if (now == 0) return;
  of.pending = static_cast<ClassSets>(of.pending & ~now);
  FactSums sums;
  View made = of.constrained ? *of.constrained : View{};
  for_each_fitting(lane, [&](std::uint8_t other) { join(made, own[other].acquired, now, sums); });
  of.constrained = std::make_shared<const View>(std::move(made));
}

void LaneViews::add_done(std::uint32_t agent, std::uint8_t lane, View done) {
  std::vector<Lane>& own = lanes_of(agent);
  Lane& of = own[lane];
  const Performer by = performer(agent, lane);
  FactSums sums;
  chains().name_own(done, by, kAllClassSets);
  add(of.constrained, done, kAllClassSets);
  View made = of.done ? *of.done : View{};
  for (std::size_t i = 0; i < kClassSets.size(); ++i) chains().join(made, done, i, sums);
  made.own = sums.sum(made.own, chains().named(done.own, by, sums));
  of.done = std::make_shared<const View>(std::move(made));
  for_each_fitting(lane, [&](std::uint8_t other) { own[other].known = nullptr; });
}

//= vk:memory-model-availability-visibility-semantics
void LaneViews::make_available(std::uint32_t agent, std::uint8_t lane, const ViewPointer& known,
                               BulkOperation operation, Stamp stamp) {
  if (operation.mask == 0 || operation.level == kOwn) return;
  constrain(agent, lane, sets_on(operation.mask, 0));
  View done;
  chains().make_available(done, *known, performer(agent, lane), operation, stamp);
  add_done(agent, lane, std::move(done));
}

//= vk:memory-model-availability-visibility-semantics
void LaneViews::make_visible(std::uint32_t agent, std::uint8_t lane, BulkOperation operation, Stamp stamp) {
  if (operation.mask == 0 || operation.level == kOwn) return;
  constrain(agent, lane, sets_on(operation.mask, 0));
  View done;
  chains().make_visible(done, *view(agent, lane), performer(agent, lane), operation, stamp);
  add_done(agent, lane, std::move(done));
}

// The agent's operations up to now that fit it, and what is before them, for each set of classes in the mask.
//= vk:memory-model-inter-thread-happens-before
//= mmra:happens-before
std::shared_ptr<const Release> LaneViews::release(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering,
                                                  Stamp stamp) {
  const GroupId group = places().group(agent);
  const ClassSets sets = sets_in(ordering.mask);
  std::vector<Lane>& own = lanes_of(agent);
  View published;
  FactSums sums;
  for_each_fitting(lane, [&](std::uint8_t other) {
    join(published, own[other].acquired, sets, sums);
    join(published, own[other].constrained, sets, sums);
    for_each_set(sets, [&](std::size_t i) {
      for (const std::uint8_t lane_of : {other, TagLanes::acquiring(other)})
        published.before[i].add(TagLanes::group(group, lane_of), agent, stamp);
    });
  });
  if (ordering.mask != 0)
    for (std::uint8_t any = 0; any < lanes_.count(); ++any)
      for (const std::uint8_t lane_of : {any, TagLanes::acquiring(any)})
        state(agent).reached.add(TagLanes::group(group, lane_of), agent, stamp);
  return publish(agent, lane, ordering, std::move(published));
}

// The release itself is an operation of its lane.
std::shared_ptr<const Release> LaneViews::publish(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering,
                                                  View published) {
  const ClassSets sets = sets_in(ordering.mask);
  add(lanes_of(agent)[lane].constrained, published, sets);
  chains().publish(published, performer(agent, lane), sets, ordering.level, group_of(agent).left);
  published.reached = state(agent).reached;
  const auto view = std::make_shared<const View>(std::move(published));
  return std::make_shared<const Release>(Release{ordering.mask, ordering.level, view, kForEver, lane});
}

// What it releases has what it has acquired, too; the time of its own operations ended when it arrived.
void LaneViews::release_again(Arrival& to) {
  View published;
  FactSums sums;
  join(published, lanes_of(to.agent)[to.lane].acquired, sets_in(to.ordering.mask), sums);
  remember_fence(state(to.agent).fences, {to.agent, publish(to.agent, to.lane, to.ordering, std::move(published))});
  to.fences = state(to.agent).fences;
}

// What comes before the release comes before the acquire, which is one with it.
void LaneViews::acquire_own_release(std::uint32_t agent, std::uint8_t lane, Classes mask) {
  std::vector<Lane>& own = lanes_of(agent);
  const ViewPointer released = own[lane].constrained;
  add(own[lane].acquired, *released, sets_in(mask));
  acquired_more(own, lane, sets_in(mask));
}

// Adds what the offers have, and what acquires before it had that fit it. Whether that is anything new.
//= vk:memory-model-inter-thread-happens-before
//= mmra:happens-before
bool LaneViews::acquire(std::uint32_t agent, std::uint8_t lane, Classes mask, std::span<const Offer> offers) {
  std::vector<Lane>& own = lanes_of(agent);
  const ClassSets sets = sets_in(mask);
  View made = own[lane].acquired ? *own[lane].acquired : View{};
  bool more = false;
  const auto add_before = [&](const View& from, ClassSets both) {
    for_each_set(both, [&](std::size_t i) {
      if (made.before[i].includes(from.before[i])) return;
      more = true;
      made.before[i].join(from.before[i]);
    });
  };
  std::array<FactsJoin, kClassSets.size()> facts;
  for_each_fitting(lane, [&](std::uint8_t other) {
    const ViewPointer& from = own[other].acquired;
    if (!from || other == lane) return;
    add_before(*from, sets);
    for_each_set(sets, [&](std::size_t i) { facts[i].add(from->facts[i]); });
  });
  for (const Offer& offer : offers) {
    const ClassSets both = sets_in(mask & offer.release->mask);
    const View& from = *offer.release->view;
    state(agent).reached.join(from.reached);
    add_before(from, both);
    chains().collect(facts, agent, from, offer.agent, both);
  }
  more = chains().learn(made, facts) || more;
  if (!more) return false;
  own[lane].acquired = std::make_shared<const View>(std::move(made));
  acquired_more(own, lane, sets);
  return true;
}

// What the atomic is before comes before what later acquires are before.
void LaneViews::acquire_by_atomic(std::uint32_t agent, std::uint8_t lane, Classes mask, Stamp stamp) {
  std::vector<Lane>& own = lanes_of(agent);
  const GroupId group = TagLanes::group(places().group(agent), TagLanes::acquiring(lane));
  View made = own[lane].acquired ? *own[lane].acquired : View{};
  for_each_set(sets_in(mask), [&](std::size_t i) { made.before[i].add(group, agent, stamp); });
  own[lane].acquired = std::make_shared<const View>(std::move(made));
  acquired_more(own, lane, sets_in(mask));
}

}  // namespace heddle::race
