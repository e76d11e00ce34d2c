#include "emulator/race/order.h"

#include <algorithm>
#include <stdexcept>

#include "emulator/race/group_views.h"
#include "emulator/race/lane_views.h"
#include "emulator/race/meeting.h"
#include "emulator/race/ordering.h"
#include "emulator/race/system_order.h"

namespace heddle::race {

template <typename Views>
Order<Views>::Order(std::shared_ptr<Shared> shared, bool chains, bool one_class_each)
    : shared_(std::move(shared)),
      chains_(shared_->places_, shared_->use_),
      views_(*shared_, chains_),
      own_history_(shared_->places_),
      meetings_(std::make_unique<Meetings>()) {
  chains_.set_chains(chains);
  chains_.set_one_class_each(one_class_each);
  chains_.set_lanes(Views::kNumbers);
}

template <typename Views>
Order<Views>::~Order() = default;

template <typename Views>
void Order<Views>::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                                std::span<const std::uint32_t> subgroups) {
  const auto agent = static_cast<std::uint32_t>(first);
  const GroupId number = shared_->places_.agents_begin(agent, count, place, subgroups);
  const bool is_first = number == groups().size();
  if (is_first) groups().emplace_back();
  views_.begin(groups()[number], agent, count, is_first);
}

//= vk:memory-model-system-synchronizes-with
template <typename Views>
void Order<Views>::dependency(bool memory) {
  meetings_->clear();
  if (memory) return forget_all();
  shared_->use_.note_system();
  shared_->nothing_ = view_behind_dependency(places(), Views::kNumbers, shared_->ended_);
}

template <typename Views>
void Order<Views>::forget_all() {
  shared_->places_.clear();
  shared_->log_.clear();
  shared_->use_.clear();
  shared_->ended_ = {};
  chains_.set_exact(true);
  history_->clear();
  groups().clear();
  if (shared_->nothing_ != nobody()) shared_->nothing_ = nobody();
  views_.clear();
}

// All that the first did is before all that the second does, whatever the storage class and the tags.
//= vk:memory-model-system-synchronizes-with
template <typename Views>
void Order<Views>::system_synchronizes(AgentId first, AgentId second) {
  const auto from = static_cast<std::uint32_t>(first);
  const auto to = static_cast<std::uint32_t>(second);
  if (from < places().first() || places().has_ended(places().group(from)))
    throw std::invalid_argument(
        "a detector of races heard of system-synchronization with an agent whose workgroup had ended; it is to be told "
        "before the workgroup ends, since what its agents knew is forgotten then");
  shared_->use_.note_system();
  View made = views_.beginning(to);
  SystemView system;
  if (made.system) system = *made.system;
  leave_unmet(from);
  const View before = views_.all_of(from);
  const Clock all = all_of_agent(places(), Views::kNumbers, from);
  chains_.learn_all(made, to, before, from);
  if (before.system) system.agents.join(before.system->agents);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) system.before[i].join(before.before[i]);
  made.reached.join(before.reached);
  made.reached.join(all);
  come_behind(made, system, all);
  made.system = std::make_shared<const SystemView>(std::move(system));
  views_.begin_with(to, std::move(made));
}

// The agent ended at a barrier: others that came there have synchronized with it all the same.
template <typename Views>
void Order<Views>::leave_unmet(std::uint32_t agent) {
  for (Meeting& meeting : meetings_->all()) {
    if (!waits_at(meeting, agent) || meeting.together) continue;
    meeting.opened = true;
    settle(meeting);
  }
}

template <typename Views>
std::shared_ptr<const Release> Order<Views>::release(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering) {
  return views_.release(agent, lane, ordering, views_.group_of(agent).now++);
}

// What a barrier releases; what has no release ends the time of its stamp as well.
template <typename Views>
void Order<Views>::release_by_barrier(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering) {
  if (!ordering.releases) {
    ++views_.group_of(agent).now;
    return;
  }
  remember_fence(views_.state(agent).fences, {agent, release(agent, lane, ordering)});
  if (ordering.acquires) views_.acquire_own_release(agent, lane, ordering.mask);
}

// What it acquires with all its classes it need not look at again. (What one acquire has of a release another one need
// not have, whose tags do not fit it; and what acquires before it had that fit it becomes its own.)
//= vk:memory-model-synchronizes-with
template <typename Views>
void Order<Views>::acquire_seen(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering) {
  std::vector<Offer> acquired;
  const auto take = [&](const Offer& offer) {
    if (!in_scope(places(), offer, agent, ordering.level)) {
      views_.miss(agent, *offer.release);
      return false;
    }
    acquired.push_back(offer);
    return kOneLane && (offer.release->mask & ~ordering.mask) == 0;
  };
  const typename Views::Agent* own = views_.find(agent);
  if (own && !own->seen.empty())
    views_.state(agent).seen.take([&](const SeenReleases::Seen& s) {
      const bool meets = s.at_barrier || (s.storage != 0 && (s.storage & ~ordering.mask) == 0);
      return meets && take(s.offer);
    });
  if constexpr (kOneLane) views_.take_left(agent, ordering.level, take);
  views_.acquire(agent, lane, ordering.mask, acquired);
}

// Leaves a release to the acquire barriers that follow, unless all of it has been acquired: without tags.
template <typename Views>
void Order<Views>::see(std::uint32_t agent, const Offer& offer, Classes storage, bool at_barrier,
                       const Ordering& reader) {
  if constexpr (kOneLane) {
    if (offer.agent == agent) return;
    if (reader.acquires && (offer.release->mask & ~reader.mask) == 0 && in_scope(places(), offer, agent, reader.level))
      return;
  }
  Offer& known = views_.state(agent).seen.of_kind(offer, storage, at_barrier);
  // The later of two by one agent has all of the earlier.
  if (known.release == offer.release || has_all_of(*known.release, *offer.release)) return;
  if constexpr (kOneLane) {
    if (!has_all_of(*offer.release, *known.release)) {
      const Level needs = std::max(known.release->needs, offer.release->needs);
      known.release = views_.with(known.release, offer.agent, {&offer, 1}, needs);
      return;
    }
  }
  known = offer;
}

// MakeAvailable stands before the barrier, MakeVisible behind it.
//= vk:memory-model-availability-visibility-semantics
template <typename Views>
void Order<Views>::barrier(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  if (operation.kind != OperationKind::MemoryBarrier) return domain_operation(index, operation);
  const Ordering ordering = ordering_of(operation);
  if (!ordering.acquires && !ordering.releases) return;
  views_.note(ordering, 0);
  views_.finish(agent);
  const std::uint8_t lane = views_.lane_of(operation.tags);
  const Stamp stamp = views_.group_of(agent).now;
  if (ordering.makes_available) views_.make_available(agent, lane, views_.view(agent, lane), ordering.bulk(), stamp);
  if (ordering.acquires) acquire_seen(agent, lane, ordering);
  release_by_barrier(agent, lane, ordering);
  if (ordering.makes_visible) views_.make_visible(agent, lane, ordering.bulk(), stamp);
}

//= vk:memory-model-vulkan-availability-visibility
template <typename Views>
void Order<Views>::domain_operation(model::OperationIndex index, const Operation& operation) {
  if (operation.kind == OperationKind::Free) return;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const std::uint8_t lane = views_.lane_of(operation.tags);
  views_.constrain(agent, lane, kAllClassSets);
  const Stamp stamp = views_.group_of(agent).now++;
  shared_->log_.add(
      DomainEvent{operation.kind, agent, stamp, std::uint64_t{index} * 2 + 1, views_.view(agent, lane), lane});
}

// What MakeAvailable makes available is before the atomic itself: that has another stamp.
//= vk:memory-model-availability-visibility-semantics
template <typename Views>
void Order<Views>::atomic_begins(const Operation& operation) {
  const Ordering ordering = ordering_of(operation);
  if (!operation.writes() || !ordering.makes_available) return;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const std::uint8_t lane = views_.lane_of(operation.tags);
  views_.note(ordering, class_of(operation.storage_class));
  views_.finish(agent);
  Stamp& now = views_.group_of(agent).now;
  views_.make_available(agent, lane, views_.view(agent, lane), ordering.bulk(), now);
  ++now;
}

// Accesses that follow MakeVisible have another stamp than the atomic.
//= vk:memory-model-availability-visibility-semantics
template <typename Views>
void Order<Views>::atomic_ends(const Operation& operation) {
  const Ordering ordering = ordering_of(operation);
  if (!operation.reads() || !ordering.makes_visible) return;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  Stamp& now = views_.group_of(agent).now;
  views_.make_visible(agent, views_.lane_of(operation.tags), ordering.bulk(), now);
  ++now;
}

// Where agents of a workgroup share what they take up of the heads of release sequences, which lanes cannot. A barrier
// of a subgroup acquires from its subgroup alone: then heads of a workgroup are not taken up together.
template <typename Views>
std::span<const Head> Order<Views>::heads_together(const Operation& reader, model::OperationIndex write) {
  if constexpr (kOneLane) {
    if (shared_->use_.subgroups()) return {};
    return history_->all_heads(reader, write,
                               [&](const std::shared_ptr<const Release>& release, std::span<const Offer> more,
                                   std::uint32_t by, Level needs) { return views_.with(release, by, more, needs); });
  }
  return {};
}

//= vk:memory-model-synchronizes-with
template <typename Views>
void Order<Views>::atomic_reads(const Operation& operation, std::span<const trace::Source> sources) {
  if (!acquires(operation.semantics) && !history_->may_offer(operation.locations.allocation)) return;
  Ordering reader = ordering_of(operation);
  if (!reader.acquires) reader.mask = 0;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const Classes storage = class_of(operation.storage_class);
  if (reader.acquires) views_.note(reader, storage);
  std::vector<Offer> acquired;
  const auto see_head = [&](const Head& head) {
    take_up(
        head, reader, storage, [&](const Offer& fence) { return in_scope(places(), fence, agent, reader.level); },
        [&](const Offer& offer) { acquired.push_back(offer); },
        [&](const Offer& offer, Classes of) { see(agent, offer, of, false, reader); });
  };
  const auto miss_head = [&](const Head& head) {
    if (head.own) views_.miss(agent, *head.own);
    for (const Offer& fence : head.fences) views_.miss(agent, *fence.release);
  };
  took_up_all_ = true;
  for (const trace::Source& source : sources) {
    if (history_->empty()) break;
    if (const Head* const last = history_->head_with_all(operation, source.write, reader.mask)) {
      see_head(*last);
      continue;
    }
    const std::span<const Head> all = heads_together(operation, source.write);
    std::for_each(all.begin(), all.end(), see_head);
    if (all.empty() && !history_->for_each_head(operation, source.write, see_head, miss_head)) took_up_all_ = false;
  }
  if (!reader.acquires) return;
  const std::uint8_t lane = views_.lane_of(operation.tags);
  views_.acquire(agent, lane, reader.mask, acquired);
  views_.acquire_by_atomic(agent, lane, reader.mask, views_.group_of(agent).now);
}

//= vk:memory-model-release-sequence
template <typename Views>
void Order<Views>::atomic_writes(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  // Where nothing is offered yet, a write that offers nothing adds nothing.
  if (!releases(operation.semantics) && ignores_relaxed(agent, operation.locations.allocation)) return;
  const Ordering writer = ordering_of(operation);
  Head head = head_of(index, operation, views_.fences(agent));
  head.acquires_all = kOneLane && head.modifies && writer.acquires && writer.releases && took_up_all_;
  if (writer.releases) {
    views_.note(writer, head.storage);
    head.own = release(agent, views_.lane_of(operation.tags), writer);
  }
  history_->write(operation, std::move(head));
}

//= vk:memory-model-synchronizes-with
template <typename Views>
void Order<Views>::arrive(model::OperationIndex index, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const GroupId group = places().group(agent);
  Meeting& meeting = meetings_->of(operation, group);
  const bool alike = meeting.group == group && meeting.scope == operation.scope &&
                     meeting.execution == operation.execution_scope && meeting.semantics == operation.semantics;
  const bool known = alike && !meeting.arrivals.empty();
  meeting.alike = meeting.alike && alike;
  Arrival& arrival = meeting.arrivals.emplace_back();
  arrival.index = index;
  arrival.agent = agent;
  arrival.lane = views_.lane_of(operation.tags);
  arrival.ordering = known ? meeting.arrivals.front().ordering : ordering_of(operation);
  const Ordering& ordering = arrival.ordering;
  if (!known && (ordering.acquires || ordering.releases)) views_.note(ordering, 0);
  views_.finish(agent);
  arrival.known = views_.view(agent, arrival.lane);
  if (ordering.acquires) acquire_seen(agent, arrival.lane, ordering);
}

template <typename Views>
void Order<Views>::passes(model::OperationIndex index, std::span<const model::OperationIndex> synchronizing) {
  Meeting* const meeting = meetings_->with(index);
  if (!meeting) return;
  if (!meeting->opened) {
    meeting->opened = true;
    meeting->synchronizing.assign(synchronizing.begin(), synchronizing.end());
    if constexpr (kOneLane) views_.open(*meeting);
  }
  if (!meeting->done) pass(*meeting, Meetings::arrival(*meeting, index));
  // A barrier with a quorum stays: somebody may still come.
  if (++meeting->passed != meeting->arrivals.size() || !meeting->synchronizing.empty()) return;
  if constexpr (kOneLane) views_.close(*meeting);
  meetings_->close();
}

template <typename Views>
void Order<Views>::pass(Meeting& meeting, Arrival& arrival) {
  if constexpr (kOneLane) {
    if (meeting.together) return views_.pass(meeting, arrival);
    if (!arrival.settled) meeting.settled_as_one = views_.settle_as_one(meeting);
  }
  if (meeting.settled_as_one) return;
  if (!arrival.settled) settle(meeting);
  for (const Arrival& from : meeting.arrivals) {
    if (!releases_at(meeting, from) || !arrivals_synchronize(places(), from, arrival)) continue;
    for (const Offer& fence : from.fences) see(arrival.agent, fence, 0, true, arrival.ordering);
  }
}

// Those who have come do one by one what their barriers do. MakeVisible stands behind all that they acquire.
//= vk:memory-model-synchronizes-with
template <typename Views>
void Order<Views>::settle(Meeting& meeting) {
  std::vector<Stamp> stamps(meeting.arrivals.size());
  for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
    Arrival& to = meeting.arrivals[i];
    if (to.settled) continue;
    stamps[i] = views_.group_of(to.agent).now;
    if (to.ordering.makes_available) views_.make_available(to.agent, to.lane, to.known, to.ordering.bulk(), stamps[i]);
    release_by_barrier(to.agent, to.lane, to.ordering);
    const std::span<const Offer> fences = views_.fences(to.agent);
    to.fences.assign(fences.begin(), fences.end());
  }
  acquire_at_barrier(meeting);
  for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
    Arrival& to = meeting.arrivals[i];
    if (!to.settled && to.ordering.makes_visible) views_.make_visible(to.agent, to.lane, to.ordering.bulk(), stamps[i]);
    to.settled = true;
  }
}

// The arrivals synchronize with each other in turn, so what one of them acquires it passes on: until
// none learns anything more.
//= vk:memory-model-synchronizes-with
template <typename Views>
void Order<Views>::acquire_at_barrier(Meeting& meeting) {
  if constexpr (kOneLane)
    if (views_.acquire_at_once(meeting)) return;
  bool more = true;
  for (std::size_t round = 0; more && round <= meeting.arrivals.size(); ++round) {
    more = false;
    for (Arrival& to : meeting.arrivals)
      if (!to.settled && to.ordering.acquires) more = acquire_at(meeting, to) || more;
  }
}

// Whether it learns anything.
template <typename Views>
bool Order<Views>::acquire_at(const Meeting& meeting, Arrival& to) {
  std::vector<Offer> offers;
  for (const Arrival& from : meeting.arrivals) {
    if (!releases_at(meeting, from)) continue;
    const bool meet = arrivals_synchronize(places(), from, to);
    for (const Offer& fence : from.fences) {
      if (meet && in_scope(places(), fence, to.agent, to.ordering.level)) {
        offers.push_back(fence);
      } else {
        views_.miss(to.agent, *fence.release);
      }
    }
  }
  if (offers.empty() || !views_.acquire(to.agent, to.lane, to.ordering.mask, offers)) return false;
  if (to.ordering.releases) views_.release_again(to);
  return true;
}

template class Order<GroupViews>;
template class Order<LaneViews>;

}  // namespace heddle::race
