#include "emulator/memory/chains.h"

#include <algorithm>

namespace heddle::memory {

namespace {

// Whether an event happened before a bulk operation of an agent that knows so much: by the class of the write that it
// is about, or by any class of the operation's if the event is not ordered by that of the write alone; or because
// system-synchronization comes between, which knows no classes.
//= vk:memory-model-inter-thread-happens-before
template <typename Knowing>
bool happened_before(const Knowing& known, const Event& event, bool by_any_class, unsigned class_index,
                     MemorySemantics classes) {
  if (known.knows(kSystemPassed, event)) return true;
  if (!by_any_class) return known.knows(kHappened + class_index, event);
  bool happened = false;
  for_each(constrained_classes(classes), [&](unsigned k) { happened = happened || known.knows(kHappened + k, event); });
  return happened;
}

// Whether an event happened before an access of an agent that is ordered by this class. An availability operation in
// bulk may have several classes: behind system-synchronization it counts by each of them.
bool happened_before_access(const Agent& agent, const Event& event, bool bulk, unsigned class_index) {
  return agent.knows(kHappened + class_index, event) || (bulk && agent.knowledge().knows(kSystemPassed, event));
}

// The narrowest level whose instance the agent shares with the agent of an event, which is in `place`.
CacheLevel narrowest_shared(const Event& event, const model::Place& place, const Agent& agent) {
  return event.agent == agent.id ? CacheLevel::Agent : memory::narrowest_shared(place, agent.place);
}

}  // namespace

void Chains::use_one_slot() {
  one_slot_ = true;
  const auto move = [](Event& event) {
    event.slot = 0;
    event.epoch = 1;
    event.tags = TagSetId::Empty;
  };
  for (Waiting& waiting : outbox_) {
    move(waiting.event);
    move(waiting.observation);
  }
  granules_.for_each([&](Granule& granule) {
    for (Observation& observation : granule.observations) move(observation.event);
    for (Version& version : granule.versions) {
      move(version.event);
      for (Event& event : version.on_device) move(event);
      for (Availability& available : version.lifted) move(available.event);
    }
  });
}

// --- What has come by chains ---

// Available to a level, then visible from it: by the read itself, by a visibility operation of its
// agent, or by a chain that ends in one.
//= vk:memory-model-location-ordered
bool Chains::is_visible(const Version& version, const GranuleAccess& reading, CacheLevel own) const {
  const Agent& agent = reading.agent;
  const Knowledge& knowledge = agent.knowledge();
  if (version.is_on_device([&](const Event& event) { return knowledge.knows(kDeviceVisible, event); })) return true;
  if (!version.non_private || !reading.non_private() || version.reference != reading.operation.reference) return false;
  const unsigned k = class_of_pair(version.class_index, reading.class_index());
  const unsigned ordered_by = class_of_pair(version.class_index, reading.ordered_by());
  const auto comes = [&](const Availability& available, bool bulk) {
    const Event& event = available.event;
    // The level from which on the reader shares the instance that it has come to, if any.
    const CacheLevel shared = available.narrowest(narrowest_shared(event, available.place, agent));
    if (shared == kNoLevel) return false;
    const unsigned by_class = bulk ? reading.ordered_by() : ordered_by;
    if (own != CacheLevel::Agent && own >= shared && happened_before_access(agent, event, bulk, by_class)) return true;
    const Row visible = bulk ? kVisibleBulk : kVisible;
    const Row chained = bulk ? kChainedBulk : kChained;
    const unsigned of_class = bulk ? reading.class_index() : k;
    for (CacheLevel level = shared; level <= CacheLevel::Shader; level = wider(level))
      if (knowledge.knows(row_of(visible, level, of_class), event)) return true;
    // The read's own visibility operation goes on with chains that have come to its agent.
    for (unsigned i = 0; i < first_chain(wider(own)); ++i) {
      const CacheLevel taken_from = std::max(shared, wider(kChains[i].apart));
      if (taken_from <= std::min(kChains[i].level, available.level) &&
          knowledge.knows(row_of_chain(chained, i, of_class), event))
        return true;
    }
    return false;
  };
  // Where all share one slot, `lift` passes over versions that are available on the device. They count as available by
  // themselves, and by a bulk availability operation, too.
  return version.available([&](const Availability& available) {
    return comes(available, available.by_any_class) || (one_slot_ && comes(available, true));
  });
}

// A write comes after all that is available and happened before it, visible or not.
//= vk:memory-model-location-ordered
bool Chains::is_available(const Version& version, const GranuleAccess& writing) const {
  const Agent& agent = writing.agent;
  if (version.is_on_device([&](const Event& event) { return agent.knows(kHappened + kAnyClass, event); })) return true;
  if (!version.non_private || !writing.non_private() || version.reference != writing.operation.reference) return false;
  const unsigned k = class_of_pair(version.class_index, writing.ordered_by());
  return version.available([&](const Availability& available) {
    const bool bulk = available.by_any_class;
    return happened_before_access(agent, available.event, bulk, bulk ? writing.ordered_by() : k) &&
           (available.event.agent == agent.id || share(available.place, agent.place, available.level));
  });
}

// --- Availability operations ---

namespace {

// Whether an availability operation moves a write that waits, if it is one of those whose operation it is.
//= mmra:happens-before
bool makes_available(const Operation& operation, const Waiting& waiting) {
  return waiting.non_private && waiting.class_index != kAnyClass &&
         constrains(operation.semantics, waiting.class_index) && fit(waiting.tags, operation.tags);
}

// What makes itself available is so even while it waits; it comes as far as that.
CacheLevel no_further() {
  return CacheLevel::Agent;
}

}  // namespace

// The first element of a chain is the writer's own; the next ones take up what happened before them in
// their own instance of the level that the chain has reached.
//= vk:memory-model-availability-visibility
void Chains::make_available(Agent& agent, const Operation& operation) {
  if (cache_of(operation.scope) == CacheLevel::Agent) return;
  ++report_.availability_operations;
  const Event event = synchronization_.event(agent);
  report_.made_available +=
      outbox_.place_those([&](const Waiting& w) { return w.agent == agent.id && makes_available(operation, w); },
                          [&] { return cache_of(operation.scope); }, trace::MoveReason::Availability);
  lift(agent, event, operation);
}

namespace {

// Above which level an operation makes a version available as an element of a chain; kNoLevel if it is none. The first
// element is of an agent whose `own` the version is; of each way in which the version was made available before,
// `follows` says above which level the operation goes on with it. What an agent did not make available itself its own
// operations do only if they fit it.
//= vk:memory-model-availability-visibility
//= mmra:happens-before
template <typename Follows>
CacheLevel lifted_above(const Version& version, const Operation& operation, bool own, Follows follows) {
  if (own && fit(version.tags, operation.tags)) return CacheLevel::Agent;
  CacheLevel least = kNoLevel;
  const auto look = [&](const Availability& available) {
    least = std::min(least, follows(available));
    return false;
  };
  if (!own || version.makes_itself_available()) {
    (void)version.available(look);
  } else {
    (void)std::any_of(version.lifted.begin(), version.lifted.end(), look);
  }
  return least;
}

bool has_several_classes(MemorySemantics semantics) {
  unsigned classes = 0;
  for (unsigned k = 0; k < kAnyClass; ++k) classes += constrains(semantics, k) ? 1 : 0;
  return classes > 1;
}

}  // namespace

// As for each agent of the cohort, one after the other. What one of them wrote, or what all of them know
// of, is lifted by an agent of them that shares the cache that it is in; what others know of, by those.
//= vk:memory-model-availability-visibility
void Chains::make_available(const Cohort& cohort, Common& common, const Operation& barrier) {
  common.lifted = true;
  const CacheLevel level = cache_of(barrier.scope);
  const MemorySemantics classes = barrier.semantics;
  report_.availability_operations += cohort.count;
  report_.made_available +=
      outbox_.place_those([&](const Waiting& w) { return cohort.contains(w.agent) && makes_available(barrier, w); },
                          [&] { return level; }, trace::MoveReason::Availability);
  const auto place_in = [&](const model::Place& cache) {
    model::Place place = cohort.place;
    place.subgroup = cache.subgroup;
    return place;
  };
  // Above which level some agent of the cohort goes on with it.
  const auto known = [&](const Written& write, const Availability& a) {
    if (cohort.contains(a.event.agent)) return a.narrowest(CacheLevel::Agent);
    const auto happened = [&](const auto& knowing) {
      return happened_before(knowing, a.event, a.by_any_class, write.class_index, classes);
    };
    if (happened(common.knowledge)) return a.narrowest(memory::narrowest_shared(a.place, place_in(a.place)));
    CacheLevel least = kNoLevel;
    for (const Agent* agent : common.others)
      if (happened(*agent)) least = std::min(least, a.narrowest(memory::narrowest_shared(a.place, agent->place)));
    return least;
  };
  outbox_.place_those(
      [&](const Waiting& w) {
        return w.makes_itself_available() && constrains(classes, w.class_index) &&
               known(w, {w.event, w.place, w.available_level, w.by_any_class}) != kNoLevel;
      },
      no_further, trace::MoveReason::Availability);
  order_.for_each_narrow([&](Granule& granule, Version& version) {
    if (!version.non_private || !constrains(classes, version.class_index)) return;
    const bool own = cohort.contains(version.agent);
    const CacheLevel above =
        lifted_above(version, barrier, own, [&](const Availability& a) { return known(version, a); });
    const AgentId agent = own ? version.agent : cohort.first;
    const auto is_link = [&](const Availability& a) {
      return a.by_any_class && a.event.agent == agent && a.level >= level && a.above <= above;
    };
    if (level <= above || version.available(is_link)) return;
    version.lifted.push_back({{agent, 0, synchronization_.epoch()}, place_in(version.place), level, true, above});
    if (level > version.level) ++report_.made_available;
    order_.raise(granule, version, level, trace::MoveReason::Availability);
  });
}

// Versions that came as far as they can profit, too: where operations have several classes, one may happen before the
// second by one class, and that before a third by another, by which the first does not. So it is where there are tags.
void Chains::lift(Agent& agent, const Event& event, const Operation& operation) {
  const CacheLevel level = cache_of(operation.scope);
  const MemorySemantics classes = operation.semantics;
  const bool has_lifted = agent.lifted || agent.cohort->lifted;
  agent.lifted = true;
  const auto take_up = [&](Granule& granule, Version& version) {
    if (!version.non_private) return;
    const CacheLevel above = lifts_above(agent, version, operation);
    if (level <= above) return;
    const auto is_link = [&](const Availability& known) {
      return known.by_any_class && known.event.agent == agent.id && known.event.slot == event.slot &&
             known.level >= level && known.above <= above;
    };
    if ((has_lifted || version.agent == agent.id) && version.available(is_link)) return;
    version.lifted.push_back({event, agent.place, level, true, above});
    if (level <= version.level) return;
    ++report_.made_available;
    order_.raise(granule, version, level, trace::MoveReason::Availability);
  };
  outbox_.place_those(
      [&](const Waiting& w) {
        return w.makes_itself_available() && constrains(classes, w.class_index) &&
               happened_before(agent, w.event, w.by_any_class, w.class_index, classes) &&
               (w.agent == agent.id || share(w.place, agent.place, w.available_level));
      },
      no_further, trace::MoveReason::Availability);
  links_classes_ = links_classes_ || has_several_classes(classes) || synchronization_.has_tags();
  if (!one_slot_ && links_classes_) {
    granules_.for_each([&](Granule& granule) {
      for (Version& version : granule.versions) take_up(granule, version);
    });
    return;
  }
  order_.for_each_narrow(take_up);
}

CacheLevel Chains::lifts_above(const Agent& agent, const Version& version, const Operation& operation) const {
  const MemorySemantics classes = operation.semantics;
  if (!constrains(classes, version.class_index)) return kNoLevel;
  return lifted_above(version, operation, version.agent == agent.id, [&](const Availability& available) {
    return happened_before(agent, available.event, available.by_any_class, version.class_index, classes)
               ? available.narrowest(narrowest_shared(available.event, available.place, agent))
               : kNoLevel;
  });
}

//= vk:memory-model-vulkan-availability-visibility
void Chains::make_available_on_device(Agent& agent) {
  outbox_.place_those([&](const Waiting& w) { return agent.knows(kHappened + kAnyClass, w.event); },
                      [] { return CacheLevel::Shader; }, trace::MoveReason::Availability);
  const Event event = synchronization_.event(agent);
  granules_.for_each([&](Granule& granule) {
    for (Version& version : granule.versions) {
      const auto is_mine = [&](const Event& known) { return known.agent == event.agent && known.slot == event.slot; };
      if (!agent.knows(kHappened + kAnyClass, version.event) || version.is_on_device(is_mine)) continue;
      any_on_device_ = true;
      version.on_device.push_back(event);
      order_.raise(granule, version, CacheLevel::Shader, trace::MoveReason::Flush);
    }
  });
}

}  // namespace heddle::memory
