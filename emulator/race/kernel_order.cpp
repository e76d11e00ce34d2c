#include "emulator/race/kernel_order.h"

#include <algorithm>
#include <map>

#include "emulator/race/system_order.h"

namespace heddle::race {
namespace {

/// What `release`, which may be null, and learn(view, mask) add up to, as one release with the mask and level of
/// `kind`.
template <typename Learn>
std::shared_ptr<const Release> with(const std::shared_ptr<const Release>& release, const Release& kind, Level needs,
                                    Learn learn) {
  View view = release ? *release->view : View{};
  learn(view, kind.mask);
  Release made{kind.mask, kind.level, std::make_shared<const View>(std::move(view))};
  made.needs = needs;
  return std::make_shared<const Release>(std::move(made));
}

}  // namespace

KernelOrder::KernelOrder(bool chains, bool one_class_each)
    : KernelOrder(std::make_shared<Shared>(), chains, one_class_each) {}

KernelOrder::KernelOrder(std::shared_ptr<Shared> shared, bool chains, bool one_class_each)
    : shared_(std::move(shared)),
      places_(shared_->places_),
      log_(shared_->log_),
      use_(shared_->use_),
      chains_(places_, use_),
      own_history_(places_),
      groups_(shared_->groups_),
      nothing_(shared_->nothing_) {
  chains_.set_chains(chains);
  chains_.set_one_class_each(one_class_each);
}

void KernelOrder::Shared::reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups) {
  places_.reserve(first, size, groups);
  for (std::uint32_t i = 0; i < groups; ++i) {
    groups_.emplace_back();
    groups_.back().first_agent = first + i * size;
  }
}

void KernelOrder::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                               std::span<const std::uint32_t> subgroups) {
  const auto agent = static_cast<std::uint32_t>(first);
  const GroupId number = places_.agents_begin(agent, count, place, subgroups);
  if (number != groups_.size()) {
    look_again();
    return grow(groups_[number], agent, count);
  }
  Group& group = groups_.emplace_back();
  group.first_agent = agent;
  group.agents_in_row = count;
  look_again();
}

// A group that there is, or for which there is room.
void KernelOrder::grow(Group& group, std::uint32_t agent, std::uint32_t count) {
  if (agent < group.first_agent) {
    std::vector<Agent> moved(group.first_agent - agent);
    std::move(group.agents.begin(), group.agents.end(), std::back_inserter(moved));
    group.agents = std::move(moved);
    group.first_agent = agent;
  }
  // An agent that begins again is no more than one.
  const std::uint32_t row = group.agents_in_row + count;
  const bool follows =
      agent == group.first_agent + group.agents_in_row && places_.agents_of(places_.group(agent)) == row;
  group.agents_in_row = follows ? row : 0;
  if (group.view || !group.tail.empty())
    for (std::uint32_t i = 0; i < count; ++i) state(agent + i).view = nothing_;
  // What barriers settled so far is not so for one that was not there.
  if (group.now != kFirstStamp) {
    group.settled = {};
    lost_ = lost_ || whole_workgroups_;
  }
}

void KernelOrder::look_near(std::uint32_t agent) {
  near_.group_ = group(agent);
  near_.state_ = &groups_[near_.group_];
  const bool in_row = agent - near_.state_->first_agent < near_.state_->agents_in_row;
  near_.first_ = in_row ? near_.state_->first_agent : agent;
  near_.count_ = in_row ? near_.state_->agents_in_row : 1;
}

//= vk:memory-model-system-synchronizes-with
void KernelOrder::dependency(bool memory) {
  if (!meetings_.empty()) meetings_.clear();
  if (memory) return forget_all();
  use_.note_system();
  nothing_ = view_behind_dependency(places_, 1, shared_->ended_);
}

void KernelOrder::forget_all() {
  places_.clear();
  log_.clear();
  use_.clear();
  shared_->ended_ = {};
  chains_.set_exact(true);
  history_->clear();
  groups_.clear();
  if (nothing_ != nobody()) nothing_ = nobody();
  whole_workgroups_ = lost_ = false;
  look_again();
}

// Chains of agents that are gone go on in those that system-synchronize with them: what reaches no farther than their
// workgroup orders nothing that is accessed from now on.
void KernelOrder::group_ends(Group& group) {
  const auto leave = [&](const ViewPointer& view, std::uint32_t agent, bool everybody) {
    if (!view || !std::any_of(view->facts.begin(), view->facts.end(), reach_out_of_workgroup)) return;
    View left = *view;
    chains_.name_own(left, {agent, places_.group(agent), everybody}, kAllClassSets);
    const std::lock_guard lock(shared_->ended_mutex_);
    FactSums sums;
    View& all = shared_->ended_;
    for (std::size_t i = 0; i < kClassSets.size(); ++i) {
      chains_.join(all, left, i, sums);
      all.own = sums.sum(all.own, left.facts[i]);
    }
  };
  // Barriers that are not in the view yet are of the scope of the workgroup.
  leave(group.view, group.first_agent, true);
  const ViewPointer* last = nullptr;
  for (std::size_t i = 0; i < group.agents.size(); ++i) {
    const ViewPointer& view = group.agents[i].view;
    if (last && *last == view) continue;
    last = &view;
    leave(view, group.first_agent + static_cast<std::uint32_t>(i), !chains_.is_exact());
  }
  if (!group.agents.empty()) group.agents = {};
}

// What it did when it did it the last time, knowing the same: its own reads since then.
void KernelOrder::finish_visibility(std::uint32_t agent) {
  const Agent* own = find_state(agent);
  if (!own || own->last_visibility.again == 0) return;
  const LastVisibility last = std::move(state(agent).last_visibility);
  state(agent).last_visibility = {};
  View made = *view(agent);
  chains_.make_visible(made, performer(agent), last.operation, last.again);
  state(agent).view = std::make_shared<const View>(std::move(made));
}

void KernelOrder::make_available(std::uint32_t agent, const ViewPointer& known, BulkOperation operation, Stamp stamp) {
  View made = *view(agent);
  chains_.make_available(made, *known, performer(agent), operation, stamp);
  state(agent).view = std::make_shared<const View>(std::move(made));
}

// An agent that waits makes the same visible again and again.
void KernelOrder::make_visible(std::uint32_t agent, BulkOperation operation, Stamp stamp) {
  LastVisibility& last = state(agent).last_visibility;
  if (last.known && last.known == view(agent) && last.operation == operation) {
    last.again = stamp;
    return;
  }
  finish_visibility(agent);
  View made = *view(agent);
  chains_.make_visible(made, performer(agent), operation, stamp);
  Agent& own = state(agent);
  own.view = std::make_shared<const View>(std::move(made));
  own.last_visibility = {own.view, operation, 0};
}

void KernelOrder::miss(std::uint32_t agent, const Release& release) {
  state(agent).out_of_scope.join(release.view->reached);
}

// All that the first did is before all that the second does, whatever the storage class.
//= vk:memory-model-system-synchronizes-with
void KernelOrder::system_synchronizes(AgentId first, AgentId second) {
  const auto from = static_cast<std::uint32_t>(first);
  use_.note_system();
  View made = *view(static_cast<std::uint32_t>(second));
  SystemView system = made.system ? *made.system : SystemView{};
  Clock all;
  if (from < places_.first() || places_.has_ended(places_.group(from))) {
    // What the agents of a workgroup that is gone knew is forgotten; it may have been everything.
    all = all_of_everybody(places_, 1);
    chains_.learn_all(made, static_cast<std::uint32_t>(second), shared_->ended_, from);
  } else {
    leave_unmet(from);
    finish_visibility(from);
    View before = *view(from);
    all = all_of_agent(places_, 1, from);
    chains_.name_own(before, performer(from), kAllClassSets);
    chains_.learn_all(made, static_cast<std::uint32_t>(second), before, from);
    if (before.system) system.agents.join(before.system->agents);
    for (std::size_t i = 0; i < kClassSets.size(); ++i) system.before[i].join(before.before[i]);
    made.reached.join(before.reached);
  }
  made.reached.join(all);
  come_behind(made, system, all);
  made.system = std::make_shared<const SystemView>(std::move(system));
  state(static_cast<std::uint32_t>(second)).view = std::make_shared<const View>(std::move(made));
}

// The agent ended at a barrier: others that came there have synchronized with it all the same.
void KernelOrder::leave_unmet(std::uint32_t agent) {
  for (Meeting& meeting : meetings_) {
    if (!waits_at(meeting, agent) || meeting.together) continue;
    meeting.opened = true;
    settle_one_by_one(meeting);
  }
}

// The agent's operations up to now, and what is before them, for each set of classes in the mask.
//= vk:memory-model-inter-thread-happens-before
std::shared_ptr<const Release> KernelOrder::release(std::uint32_t agent, Classes mask, Level level) {
  const GroupId group = places_.group(agent);
  const Stamp stamp = groups_[group].now++;
  finish_visibility(agent);
  View published = *view(agent);
  for_each_set(sets_in(mask), [&](std::size_t i) { published.before[i].add(group, agent, stamp); });
  chains_.publish(published, performer(agent), sets_in(mask), level, groups_[group].left);
  if (mask != 0) published.reached.add(group, agent, stamp);
  return std::make_shared<const Release>(
      Release{mask, level, std::make_shared<const View>(std::move(published)), stamp});
}

//= vk:memory-model-inter-thread-happens-before
void KernelOrder::acquire(std::uint32_t agent, Classes mask, std::span<const Offer> offers) {
  finish_visibility(agent);
  View made = *view(agent);
  if (learn(made, agent, mask, offers)) state(agent).view = std::make_shared<const View>(std::move(made));
}

// Adds to what the agent knows what it acquires. Whether that is anything new.
//= vk:memory-model-inter-thread-happens-before
bool KernelOrder::learn(View& made, std::uint32_t agent, Classes mask, std::span<const Offer> offers) const {
  bool more = false;
  std::array<FactsJoin, kClassSets.size()> facts;
  // The latest come first: they mostly have the others, which in a long release sequence are many. Those that know
  // nothing of each other are joined together.
  for (const Offer& offer : offers) {
    const ClassSets both = sets_in(mask & offer.release->mask);
    if (both == 0) continue;
    const View& from = *offer.release->view;
    const GroupId group = places_.group(offer.agent);
    const Stamp stamp = offer.release->stamp;
    // (What is visible in its own workgroup an agent may learn from others only in part.)
    bool has_all = stamp != kForEver && group != places_.group(agent) && made.reached.has(group, offer.agent, stamp);
    if (has_all)
      for_each_set(both, [&](std::size_t i) { has_all = has_all && made.before[i].has(group, offer.agent, stamp); });
    if (has_all) continue;
    const auto join = [&](Clock& to, const Clock& what) {
      const Clock known = to;
      to.join(what);
      more = more || !to.is_same(known);
    };
    for_each_set(both, [&](std::size_t i) { join(made.before[i], from.before[i]); });
    chains_.collect(facts, agent, from, offer.agent, both);
    // What came by chains is only there.
    join(made.reached, from.reached);
  }
  return chains_.learn(made, facts) || more;
}

// All that they say, one for each mask and each reader(who offers), who shares all instances with those for whom it is.
// Only those stay as they are whose scope some of a workgroup are not in.
KernelOrder::Offers KernelOrder::joined(std::span<const Offer> offers,
                                        const std::function<std::uint32_t(std::uint32_t)>& reader) const {
  Offers made;
  std::map<std::pair<std::uint32_t, Classes>, Offers> alike;
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
std::span<const Offer> KernelOrder::left_together(LeftTogether& left, std::uint32_t agent, Level level) const {
  if (!has_whole_workgroups(level)) return left.all;
  const std::uint32_t reader = places_.one_of_instance(agent, kSubgroup);
  const auto [known, fresh] = left.to_subgroup.try_emplace(reader);
  if (!fresh) return known->second;
  if (left.of_subgroups.empty())
    left.of_subgroups = joined(left.all, [&](std::uint32_t from) { return places_.one_of_instance(from, kSubgroup); });
  return known->second = joined(left.of_subgroups, [&](std::uint32_t) { return reader; });
}

// What it acquires with all its classes it need not look at again.
//= vk:memory-model-synchronizes-with
void KernelOrder::acquire_seen(std::uint32_t agent, const Ordering& ordering) {
  const Agent* own = find_state(agent);
  if (!own || (own->seen.empty() && !own->seen_together)) return;
  Offers acquired;
  const auto take = [&](const Offer& offer) {
    if (!in_scope(places_, offer, agent, ordering.level)) {
      miss(agent, *offer.release);
      return false;
    }
    acquired.push_back(offer);
    return (offer.release->mask & ~ordering.mask) == 0;
  };
  state(agent).seen.take([&](const SeenReleases::Seen& s) {
    const bool meets = s.at_barrier || (s.storage != 0 && (s.storage & ~ordering.mask) == 0);
    return meets && take(s.offer);
  });
  std::shared_ptr<LeftTogether>& together = state(agent).seen_together;
  if (together) {
    bool all = true;
    for (const Offer& offer : left_together(*together, agent, ordering.level)) all = take(offer) && all;
    if (all) together = nullptr;
  }
  if (!acquired.empty()) acquire(agent, ordering.mask, acquired);
}

// Leaves a release to the acquire barriers that follow, unless all of it has been acquired.
void KernelOrder::see(std::uint32_t agent, const Offer& offer, Classes storage, bool at_barrier,
                      const Ordering& reader) {
  if (offer.agent == agent) return;
  if (reader.acquires && (offer.release->mask & ~reader.mask) == 0 && in_scope(places_, offer, agent, reader.level))
    return;
  Offer& known = state(agent).seen.of_kind(offer, storage, at_barrier);
  // The later of two by one agent has all of the earlier.
  if (known.release == offer.release || has_all_of(*known.release, *offer.release)) return;
  if (has_all_of(*offer.release, *known.release)) {
    known = offer;
  } else {
    const auto add = [&](View& view, Classes mask) { learn(view, offer.agent, mask, {&offer, 1}); };
    known.release = with(known.release, *offer.release, std::max(known.release->needs, offer.release->needs), add);
  }
}

// MakeAvailable stands before the barrier, MakeVisible behind it.
//= vk:memory-model-availability-visibility-semantics
void KernelOrder::barrier(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  if (operation.kind != OperationKind::MemoryBarrier) return domain_operation(index, operation);
  const Ordering ordering = ordering_of(operation);
  if (!ordering.acquires && !ordering.releases) return;
  note(ordering, 0);
  finish_visibility(agent);
  const Stamp stamp = now(places_.group(agent));
  if (ordering.makes_available) make_available(agent, view(agent), ordering.bulk(), stamp);
  if (ordering.acquires) acquire_seen(agent, ordering);
  if (ordering.releases) {
    remember_fence(state(agent).fences, {agent, release(agent, ordering.mask, ordering.level)});
  } else {
    ++group_of(agent).now;
  }
  if (ordering.makes_visible) make_visible(agent, ordering.bulk(), stamp);
}

//= vk:memory-model-vulkan-availability-visibility
void KernelOrder::domain_operation(model::OperationIndex index, const Operation& operation) {
  if (operation.kind == OperationKind::Free) return;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  Group& group = group_of(agent);
  log_.add(DomainEvent{operation.kind, agent, group.now++, std::uint64_t{index} * 2 + 1, view(agent)});
}

// What MakeAvailable makes available is before the atomic itself: that has another stamp.
//= vk:memory-model-availability-visibility-semantics
void KernelOrder::atomic_begins(const Operation& operation) {
  const Ordering ordering = ordering_of(operation);
  if (!operation.writes() || !ordering.makes_available) return;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  note(ordering, class_of(operation.storage_class));
  finish_visibility(agent);
  Stamp& now = group_of(agent).now;
  make_available(agent, view(agent), ordering.bulk(), now);
  ++now;
}

// Accesses that follow MakeVisible have another stamp than the atomic.
//= vk:memory-model-availability-visibility-semantics
void KernelOrder::atomic_ends(const Operation& operation) {
  const Ordering ordering = ordering_of(operation);
  if (!operation.reads() || !ordering.makes_visible) return;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  Stamp& now = group_of(agent).now;
  make_visible(agent, ordering.bulk(), now);
  ++now;
}

//= vk:memory-model-synchronizes-with
void KernelOrder::atomic_reads(const Operation& operation, std::span<const trace::Source> sources) {
  if (!acquires(operation.semantics) && !history_->may_offer(operation.locations.allocation)) return;
  Ordering reader = ordering_of(operation);
  if (!reader.acquires) reader.mask = 0;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const Classes storage = class_of(operation.storage_class);
  if (reader.acquires) note(reader, storage);
  Offers acquired;
  const auto see_head = [&](const Head& head) {
    take_up(
        head, reader, storage, [&](const Offer& fence) { return in_scope(places_, fence, agent, reader.level); },
        [&](const Offer& offer) { acquired.push_back(offer); },
        [&](const Offer& offer, Classes of) { see(agent, offer, of, false, reader); });
  };
  const auto miss_head = [&](const Head& head) {
    if (head.own) miss(agent, *head.own);
    for (const Offer& fence : head.fences) miss(agent, *fence.release);
  };
  took_up_all_ = true;
  const auto join = [&](const std::shared_ptr<const Release>& release, std::span<const Offer> more, std::uint32_t by,
                        Level needs) {
    return with(release, *more.front().release, needs, [&](View& view, Classes mask) { learn(view, by, mask, more); });
  };
  for (const trace::Source& source : sources) {
    if (history_->empty()) break;
    // A barrier of a subgroup acquires from its subgroup alone: then heads of a workgroup are not taken up together.
    const std::span<const Head> all =
        use_.subgroups() ? std::span<const Head>() : history_->all_heads(operation, source.write, join);
    std::for_each(all.begin(), all.end(), see_head);
    if (all.empty() && !history_->for_each_head(operation, source.write, see_head, miss_head)) took_up_all_ = false;
  }
  if (!acquired.empty()) acquire(agent, reader.mask, acquired);
}

//= vk:memory-model-release-sequence
void KernelOrder::atomic_writes(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  // Where nothing is offered yet, a write that offers nothing adds nothing.
  if (!releases(operation.semantics) && ignores_relaxed(agent, operation.locations.allocation)) return;
  const Agent* own = find_state(agent);
  const Ordering writer = ordering_of(operation);
  Head head = head_of(index, operation, own ? std::span<const Offer>(own->fences) : std::span<const Offer>());
  head.acquires_all = head.modifies && writer.acquires && writer.releases && took_up_all_;
  if (writer.releases) {
    note(writer, head.storage);
    head.own = release(agent, writer.mask, writer.level);
  }
  history_->write(operation, std::move(head));
}

}  // namespace heddle::race
