#include "emulator/race/tagged_order.h"

#include <algorithm>

namespace heddle::race {

TaggedOrder::TaggedOrder(bool chains, bool one_class_each) : chains_(places_, use_), history_(places_) {
  chains_.set_chains(chains);
  chains_.set_one_class_each(one_class_each);
  chains_.set_lanes(TagLanes::kGroups);
}

KernelLocationOrder::Known TaggedOrder::known() const {
  const auto left = [this](std::uint32_t agent) -> const Left& { return groups_[places_.group(agent)].left; };
  const auto out_of_scope = [](std::uint32_t) -> const Clock& {
    static const Clock kNothing;
    return kNothing;
  };
  return {places_, chains_, log_, left, out_of_scope, &lanes_};
}

template <typename F>
void TaggedOrder::for_each_fitting(std::uint8_t lane, F&& f) const {
  for (std::uint8_t other = 0; other < lanes_.count(); ++other)
    if (lanes_.fit(lane, other)) f(other);
}

void TaggedOrder::reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups) {
  places_.reserve(first, size, groups);
  groups_.resize(places_.groups());
}

void TaggedOrder::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                               std::span<const std::uint32_t> subgroups) {
  const GroupId group = places_.agents_begin(static_cast<std::uint32_t>(first), count, place, subgroups);
  if (group >= groups_.size()) groups_.resize(group + 1);
}

void TaggedOrder::agents_end(AgentId first, std::uint32_t count) {
  const GroupId group = places_.group(static_cast<std::uint32_t>(first));
  if (places_.agents_end(group, count)) group_ends(group);
}

TaggedOrder::Agent& TaggedOrder::state(std::uint32_t agent) {
  const std::size_t at = agent - places_.first();
  if (at >= agents_.size()) agents_.resize(at + 1);
  if (!agents_[at]) {
    agents_[at] = std::make_unique<Agent>();
    // What every agent begins with is before all that the agent does: the empty set fits every set.
    agents_[at]->lanes[0].acquired = nothing_;
    agents_[at]->system = nothing_->system;
    agents_[at]->reached = nothing_->reached;
    groups_[places_.group(agent)].agents.push_back(agent);
  }
  return *agents_[at];
}

const Clock& TaggedOrder::reached(std::uint32_t agent) const {
  const Agent* own = find(agent);
  return own ? own->reached : nothing_->reached;
}

// What reaches no farther than the workgroup orders nothing that is accessed from now on.
void TaggedOrder::group_ends(GroupId group) {
  FactSums sums;
  for (const std::uint32_t agent : groups_[group].agents) {
    std::unique_ptr<Agent>& own = agents_[agent - places_.first()];
    const View left = all_of(*own);
    own = nullptr;
    for (std::size_t i = 0; i < kClassSets.size(); ++i) {
      if (!reach_out_of_workgroup(left.facts[i])) continue;
      chains_.join(ended_, left, i, sums);
      ended_.own = sums.sum(ended_.own, left.facts[i]);
    }
  }
  groups_[group].agents = {};
}

void TaggedOrder::join(View& to, const ViewPointer& more, ClassSets sets, FactSums& sums) const {
  if (!more) return;
  for_each_set(sets, [&](std::size_t i) {
    to.before[i].join(more->before[i]);
    chains_.join(to, *more, i, sums);
  });
}

void TaggedOrder::add(ViewPointer& to, const View& more, ClassSets sets) const {
  FactSums sums;
  View made = to ? *to : View{};
  for_each_set(sets, [&](std::size_t i) {
    made.before[i].join(more.before[i]);
    chains_.join(made, more, i, sums);
  });
  to = std::make_shared<const View>(std::move(made));
}

// What is before any of its operations.
View TaggedOrder::all_of(const Agent& agent) const {
  View all;
  FactSums sums;
  for (const Lane& lane : agent.lanes)
    for (const ViewPointer* view : {&lane.acquired, &lane.constrained, &lane.done})
      join(all, *view, kAllClassSets, sums);
  return all;
}

ViewPointer TaggedOrder::view(std::uint32_t agent, std::uint8_t lane) {
  if (!find(agent)) return nothing_;
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
ViewPointer TaggedOrder::view_of_release(std::uint32_t agent, std::uint8_t lane, const Operation& atomic) {
  View made = *view(agent, lane);
  if (const Agent* own = find(agent)) {
    FactSums sums;
    const ClassSets sets = sets_in(classes_of(atomic.semantics));
    for_each_fitting(lane, [&](std::uint8_t other) { join(made, own->lanes[other].constrained, sets, sums); });
  }
  return std::make_shared<const View>(std::move(made));
}

// Program order between an acquire and an operation whose tags do not fit it does not count.
//= mmra:happens-before
void TaggedOrder::acquired_more(Agent& agent, std::uint8_t lane, ClassSets sets) {
  for_each_fitting(lane, [&](std::uint8_t other) {
    agent.lanes[other].pending = static_cast<ClassSets>(agent.lanes[other].pending | sets);
    agent.lanes[other].known = nullptr;
  });
}

//= vk:memory-model-inter-thread-happens-before
void TaggedOrder::constrain(std::uint32_t agent, std::uint8_t lane, ClassSets sets) {
  if (!find(agent)) return;
  Agent& own = state(agent);
  Lane& of = own.lanes[lane];
  const auto now = static_cast<ClassSets>(of.pending & sets);
  if (now == 0) return;
  of.pending = static_cast<ClassSets>(of.pending & ~now);
  FactSums sums;
  View made = of.constrained ? *of.constrained : View{};
  for_each_fitting(lane, [&](std::uint8_t other) { join(made, own.lanes[other].acquired, now, sums); });
  of.constrained = std::make_shared<const View>(std::move(made));
}

void TaggedOrder::add_done(std::uint32_t agent, std::uint8_t lane, View done) {
  Agent& own = state(agent);
  Lane& of = own.lanes[lane];
  const Performer by = performer(agent, lane);
  FactSums sums;
  chains_.name_own(done, by, kAllClassSets);
  add(of.constrained, done, kAllClassSets);
  View made = of.done ? *of.done : View{};
  for (std::size_t i = 0; i < kClassSets.size(); ++i) chains_.join(made, done, i, sums);
  made.own = sums.sum(made.own, chains_.named(done.own, by, sums));
  of.done = std::make_shared<const View>(std::move(made));
  for_each_fitting(lane, [&](std::uint8_t other) { own.lanes[other].known = nullptr; });
}

//= vk:memory-model-availability-visibility-semantics
void TaggedOrder::make_available(std::uint32_t agent, std::uint8_t lane, BulkOperation operation, Stamp stamp) {
  if (operation.mask == 0 || operation.level == kOwn) return;
  constrain(agent, lane, sets_on(operation.mask, 0));
  View done;
  chains_.make_available(done, *view(agent, lane), performer(agent, lane), operation, stamp);
  add_done(agent, lane, std::move(done));
}

//= vk:memory-model-availability-visibility-semantics
void TaggedOrder::make_visible(std::uint32_t agent, std::uint8_t lane, BulkOperation operation, Stamp stamp) {
  if (operation.mask == 0 || operation.level == kOwn) return;
  constrain(agent, lane, sets_on(operation.mask, 0));
  View done;
  chains_.make_visible(done, *view(agent, lane), performer(agent, lane), operation, stamp);
  add_done(agent, lane, std::move(done));
}

// The agent's operations up to now that fit it, and what is before them, for each set of classes in the mask.
//= vk:memory-model-inter-thread-happens-before
//= mmra:happens-before
Offer TaggedOrder::release(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering, Stamp stamp) {
  const GroupId group = places_.group(agent);
  const ClassSets sets = sets_in(ordering.mask);
  Agent& own = state(agent);
  View published;
  FactSums sums;
  for_each_fitting(lane, [&](std::uint8_t other) {
    join(published, own.lanes[other].acquired, sets, sums);
    join(published, own.lanes[other].constrained, sets, sums);
    for_each_set(sets, [&](std::size_t i) {
      for (const std::uint8_t lane_of : {other, TagLanes::acquiring(other)})
        published.before[i].add(TagLanes::group(group, lane_of), agent, stamp);
    });
  });
  if (ordering.mask != 0)
    for (std::uint8_t any = 0; any < lanes_.count(); ++any)
      for (const std::uint8_t lane_of : {any, TagLanes::acquiring(any)})
        own.reached.add(TagLanes::group(group, lane_of), agent, stamp);
  return publish(agent, lane, ordering, std::move(published));
}

// The release itself is an operation of its lane.
Offer TaggedOrder::publish(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering, View published) {
  const ClassSets sets = sets_in(ordering.mask);
  Agent& own = state(agent);
  add(own.lanes[lane].constrained, published, sets);
  chains_.publish(published, performer(agent, lane), sets, ordering.level, groups_[places_.group(agent)].left);
  published.reached = own.reached;
  const auto view = std::make_shared<const View>(std::move(published));
  return {agent, std::make_shared<const Release>(Release{ordering.mask, ordering.level, view, kForEver, lane})};
}

// Adds what the offers have, and what acquires before it had that fit it. Whether that is anything new.
//= vk:memory-model-inter-thread-happens-before
//= mmra:happens-before
bool TaggedOrder::acquire(std::uint32_t agent, std::uint8_t lane, Classes mask, std::span<const Offer> offers) {
  Agent& own = state(agent);
  const ClassSets sets = sets_in(mask);
  View made = own.lanes[lane].acquired ? *own.lanes[lane].acquired : View{};
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
    const ViewPointer& from = own.lanes[other].acquired;
    if (!from || other == lane) return;
    add_before(*from, sets);
    for_each_set(sets, [&](std::size_t i) { facts[i].add(from->facts[i]); });
  });
  for (const Offer& offer : offers) {
    const ClassSets both = sets_in(mask & offer.release->mask);
    const View& from = *offer.release->view;
    own.reached.join(from.reached);
    add_before(from, both);
    chains_.collect(facts, agent, from, offer.agent, both);
  }
  more = chains_.learn(made, facts) || more;
  if (!more) return false;
  own.lanes[lane].acquired = std::make_shared<const View>(std::move(made));
  acquired_more(own, lane, sets);
  return true;
}

// What it acquires with all its classes it need not look at again.
//= vk:memory-model-synchronizes-with
void TaggedOrder::acquire_seen(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering) {
  Offers acquired;
  state(agent).seen.take([&](const SeenReleases::Seen& s) {
    const bool meets = s.at_barrier || (s.storage != 0 && (s.storage & ~ordering.mask) == 0);
    if (meets && in_scope(places_, s.offer, agent, ordering.level)) acquired.push_back(s.offer);
    return false;
  });
  acquire(agent, lane, ordering.mask, acquired);
}

// Leaves a release to the acquire barriers that follow. (What one acquire has of it another one need not have, to which
// that does not fit.)
void TaggedOrder::see(std::uint32_t agent, const Offer& offer, Classes storage, bool at_barrier) {
  Offer& known = state(agent).seen.of_kind(offer, storage, at_barrier);
  // The later of two of one lane has all of the earlier.
  if (known.release != offer.release && !known.release->view->reached.includes(offer.release->view->reached))
    known = offer;
}

void TaggedOrder::note(const Ordering& ordering, Classes storage) {
  log_.note(ordering.mask, storage);
  use_.note(sets_in(ordering.mask));
  use_.note_level(ordering.level);
}

TaggedOrder::Offers TaggedOrder::fences_of(const Agent& agent) {
  Offers all;
  for (const Lane& lane : agent.lanes) all.insert(all.end(), lane.fences.begin(), lane.fences.end());
  return all;
}

// What a barrier acquires at once, and what it releases: all but what MakeVisible adds.
void TaggedOrder::order(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering, Stamp stamp) {
  note(ordering, 0);
  if (ordering.makes_available) make_available(agent, lane, ordering.bulk(), stamp);
  if (ordering.acquires) acquire_seen(agent, lane, ordering);
  if (ordering.releases) {
    Offer made = release(agent, lane, ordering, stamp);
    Agent& own = state(agent);
    remember_fence(own.lanes[lane].fences, std::move(made));
    if (ordering.acquires) {
      // What comes before the release comes before the acquire, which is one with it.
      const ViewPointer released = own.lanes[lane].constrained;
      add(own.lanes[lane].acquired, *released, sets_in(ordering.mask));
      acquired_more(own, lane, sets_in(ordering.mask));
    }
  }
  ++groups_[places_.group(agent)].now;
}

//= vk:memory-model-availability-visibility-semantics
void TaggedOrder::barrier(model::OperationIndex index, const Operation& operation) {
  if (operation.kind != OperationKind::MemoryBarrier) return domain_operation(index, operation);
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const Ordering ordering = ordering_of(operation);
  if (!ordering.acquires && !ordering.releases) return;
  const std::uint8_t lane = lanes_.of(operation.tags);
  const Stamp stamp = now(agent);
  order(agent, lane, ordering, stamp);
  if (ordering.makes_visible) make_visible(agent, lane, ordering.bulk(), stamp);
}

//= vk:memory-model-vulkan-availability-visibility
void TaggedOrder::domain_operation(model::OperationIndex index, const Operation& operation) {
  if (operation.kind == OperationKind::Free) return;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const std::uint8_t lane = lanes_.of(operation.tags);
  constrain(agent, lane, kAllClassSets);
  Group& group = groups_[places_.group(agent)];
  log_.add(DomainEvent{operation.kind, agent, group.now++, std::uint64_t{index} * 2 + 1, view(agent, lane), lane});
}

// What MakeAvailable makes available is before the atomic itself: that has another stamp.
//= vk:memory-model-availability-visibility-semantics
void TaggedOrder::atomic_begins(const Operation& operation) {
  const Ordering ordering = ordering_of(operation);
  if (!operation.writes() || !ordering.makes_available) return;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  note(ordering, class_of(operation.storage_class));
  Stamp& now = groups_[places_.group(agent)].now;
  make_available(agent, lanes_.of(operation.tags), ordering.bulk(), now);
  ++now;
}

// Operations behind an atomic with MakeVisible have another stamp than the atomic.
//= vk:memory-model-availability-visibility-semantics
void TaggedOrder::atomic_ends(const Operation& operation) {
  const Ordering ordering = ordering_of(operation);
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  Stamp& now = groups_[places_.group(agent)].now;
  if (!operation.reads() || !ordering.makes_visible) return;
  make_visible(agent, lanes_.of(operation.tags), ordering.bulk(), now);
  ++now;
}

//= vk:memory-model-synchronizes-with
void TaggedOrder::atomic_reads(const Operation& operation, std::span<const trace::Source> sources) {
  const Ordering reader = ordering_of(operation);
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const Classes storage = class_of(operation.storage_class);
  if (reader.acquires) note(reader, storage);
  Offers acquired;
  const auto see_head = [&](const Head& head) {
    take_up(
        head, reader, storage, [&](const Offer& fence) { return in_scope(places_, fence, agent, reader.level); },
        [&](const Offer& offer) { acquired.push_back(offer); },
        [&](const Offer& offer, Classes of) { see(agent, offer, of, false); });
  };
  if (!history_.empty())
    for (const trace::Source& source : sources)
      history_.for_each_head(operation, source.write, see_head, [](const Head&) {});
  if (!reader.acquires) return;
  const std::uint8_t lane = lanes_.of(operation.tags);
  acquire(agent, lane, reader.mask, acquired);
  // What it is before comes before what later acquires are before.
  Lane& own = state(agent).lanes[lane];
  const GroupId group = TagLanes::group(places_.group(agent), TagLanes::acquiring(lane));
  View made = own.acquired ? *own.acquired : View{};
  for_each_set(sets_in(reader.mask), [&](std::size_t i) { made.before[i].add(group, agent, now(agent)); });
  own.acquired = std::make_shared<const View>(std::move(made));
  acquired_more(state(agent), lane, sets_in(reader.mask));
}

//= vk:memory-model-release-sequence
void TaggedOrder::atomic_writes(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const Ordering writer = ordering_of(operation);
  const Agent* own = find(agent);
  Head head = head_of(index, operation, own ? fences_of(*own) : Offers());
  if (writer.releases) {
    note(writer, head.storage);
    Stamp& now = groups_[places_.group(agent)].now;
    head.own = release(agent, lanes_.of(operation.tags), writer, now).release;
    ++now;
  }
  history_.write(operation, std::move(head));
}

}  // namespace heddle::race
