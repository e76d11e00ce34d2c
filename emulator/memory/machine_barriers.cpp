// Barriers of a machine, and the availability and visibility operations that come with them.

#include <algorithm>
#include <stdexcept>

#include "emulator/memory/machine.h"

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
  for_each(classes_of(classes), [&](unsigned k) { happened = happened || known.knows(kHappened + k, event); });
  return happened;
}

}  // namespace

// --- Barriers ---

//= vk:memory-model-memory-semantics
void Machine::barrier(const Operation& operation) {
  tick();
  Agent& agent = this->agent(operation);
  if (telling_.is_on()) telling_.operation(operation, 0, 0);
  switch (operation.kind) {
    case OperationKind::MemoryBarrier:
      before(operation);
      acquire(agent, operation);
      if (releases(operation.semantics)) synchronization_.release_barrier(agent, operation);
      after(agent, operation, operation.semantics);
      break;
    case OperationKind::DeviceAvailability:
      device_availability(agent);
      break;
    case OperationKind::DeviceVisibility:
      synchronization_.make_device_visible(agent);
      break;
    // Orders nothing; an agent that comes too late finds the bytes as they were.
    case OperationKind::Free:
      break;
    default:
      throw std::invalid_argument("the weak machine runs no such operation");
  }
}

namespace {

// A control barrier of a tessellation control shader orders what it does to its outputs, whatever its
// scope and semantics; here it orders everything.
//= vk:memory-model-tessellation-output-ordering
Operation as_ordered(const Operation& operation) {
  Operation ordered = operation;
  ordered.scope = Scope::Device;
  ordered.semantics = MemorySemantics::AcquireRelease | kStorageClassBits;
  return ordered;
}

bool orders_outputs(const Agent& agent) {
  return agent.place.stage == model::Stage::TessellationControl;
}

}  // namespace

void Machine::arrive(const Operation& operation) {
  tick();
  Agent& agent = this->agent(operation);
  const trace::OperationIndex index = telling_.is_on() ? telling_.operation(operation, 0, 0) : 0;
  before(operation);
  acquire(agent, operation);
  if (orders_outputs(agent)) {
    device_availability(agent);
    synchronization_.arrive(agent, as_ordered(operation), index);
  } else {
    synchronization_.arrive(agent, operation, index);
  }
}

// Where the operations at one control barrier differ, an agent that is in the scope of the second only learns of the
// first through it. They meet in one moment, so that all of it is done before anybody leaves.
//= vk:memory-model-synchronizes-with
void Machine::open(const Operation& barrier) {
  auto arrivals = synchronization_.different_arrivals(barrier.barrier_instance);
  // Some agents may have passed an instance with a quorum, and ended.
  std::erase_if(arrivals, [&](const auto& arrival) { return synchronization_.find(arrival.event.agent) == nullptr; });
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const auto& a, const auto& b) { return !includes(a.scope, b.scope); });
  Operation operation = barrier;
  for (std::size_t round = 0; round + 1 < arrivals.size(); ++round) {
    for (const auto& arrival : arrivals) {
      operation.scope = arrival.scope;
      operation.semantics = arrival.semantics;
      synchronization_.pass_on(arrival, operation);
    }
  }
}

void Machine::leave(const Operation& operation, std::span<const AgentId> synchronizing) {
  open(operation);
  Agent& agent = this->agent(operation);
  const Synchronization::Passage passage =
      synchronization_.leave(agent, orders_outputs(agent) ? as_ordered(operation) : operation, synchronizing);
  if (orders_outputs(agent)) synchronization_.make_device_visible(agent);
  if (telling_.is_on()) telling_.passes(passage.arrival, passage.synchronizing);
  synchronization_.leave_to_later(agent, operation);
  after(agent, operation, operation.semantics);
}

// An agent that meets so does everything that it does at this barrier in one moment.
void Machine::meet(const Cohort& cohort, const Operation& barrier) {
  Common* common =
      cohort.place.stage == model::Stage::TessellationControl ? nullptr : synchronization_.common_of(cohort, barrier);
  if (!common) return Memory::meet(cohort, barrier);
  if (!lanes_gone_) one_lane();
  tick();
  now_ += cohort.count - 1;
  if (telling_.is_on()) telling_.meeting(cohort, barrier);
  if (has(barrier.semantics, MemorySemantics::MakeAvailable)) make_available(cohort, *common, barrier);
  synchronization_.meet_together(*common, cohort, barrier);
  if (!has(barrier.semantics, MemorySemantics::MakeVisible)) return;
  report_.visibility_operations += cohort.count;
  give_up_copies(cohort.place, barrier);
}

[[gnu::hot, gnu::flatten]] void Machine::settle() {
  if (telling_.hears_moves()) outbox_.place_all();
  // All but the order in which the bytes, and atomics, come to the storage is lost on everybody else.
  order_.forget_narrow();
  for (std::uint32_t record = 0; granules_.used() != 0; ++record) {
    if (!granules_[record].used) continue;
    if (telling_.hears_moves()) {
      forget(record);
    } else {
      order_.fold_all(granules_[record]);
      give_up(record);
    }
  }
  while (!outbox_.empty()) settle(outbox_.take_next());
}

void Machine::settle(Waiting& waiting) {
  Granule& granule = granules_[waiting.granule];
  if (!synchronization_.nobody_is_here())
    if (Agent* agent = synchronization_.find(waiting.agent)) order_.note_placed(*agent, waiting);
  order_.store(granule, waiting);
  if (waiting.released()) [[unlikely]] {
    note_forgotten_release(granule.allocation);
    waiting.heads.clear();
  }
  if (telling_.is_on() && waiting.atomic) [[unlikely]]
    telling_.placed(waiting.operation);
}

// --- Availability ---

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
void Machine::make_available(Agent& agent, const Operation& operation) {
  if (level_of(operation.scope) == CacheLevel::Agent) return;
  ++report_.availability_operations;
  const Event event = synchronization_.event(agent);
  report_.made_available +=
      outbox_.place_those([&](const Waiting& w) { return w.agent == agent.id && makes_available(operation, w); },
                          [&] { return level_of(operation.scope); }, trace::MoveReason::Availability);
  lift(agent, event, operation);
}

namespace {

// Whether one of the ways in which a write was made available is such that `lifts` is true of it. What an agent did not
// make available itself its own operations do only if they fit it.
//= mmra:happens-before
template <typename Lifts>
bool is_lifted(const Version& version, const Operation& operation, bool own, Lifts lifts) {
  if (!own || version.makes_itself_available() || fit(version.tags, operation.tags)) return version.available(lifts);
  return std::any_of(version.lifted.begin(), version.lifted.end(), lifts);
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
void Machine::make_available(const Cohort& cohort, Common& common, const Operation& barrier) {
  common.lifted = true;
  const CacheLevel level = level_of(barrier.scope);
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
  const auto known = [&](const Written& write, const Availability& a) {
    const auto happened = [&](const auto& knowing) {
      return happened_before(knowing, a.event, a.by_any_class, write.class_index, classes);
    };
    const auto knows_and_shares = [&](const Agent* agent) {
      return happened(*agent) && share(a.place, agent->place, a.level);
    };
    return cohort.contains(a.event.agent) ||
           (happened(common.knowledge) && share(a.place, place_in(a.place), a.level)) ||
           std::any_of(common.others.begin(), common.others.end(), knows_and_shares);
  };
  outbox_.place_those(
      [&](const Waiting& w) {
        return w.makes_itself_available() && constrains(classes, w.class_index) &&
               known(w, {w.event, w.place, w.available_level, w.by_any_class});
      },
      no_further, trace::MoveReason::Availability);
  order_.for_each_narrow([&](Granule& granule, Version& version) {
    const auto lifts = [&](const Availability& a) {
      return constrains(classes, version.class_index) && known(version, a);
    };
    const AgentId agent = cohort.contains(version.agent) ? version.agent : cohort.first;
    const auto is_link = [&](const Availability& a) {
      return a.by_any_class && a.event.agent == agent && a.level >= level;
    };
    if (version.non_private && is_lifted(version, barrier, cohort.contains(version.agent), lifts) &&
        !version.available(is_link)) {
      version.lifted.push_back({{agent, 0, synchronization_.epoch()}, place_in(version.place), level, true});
      if (level > version.level) ++report_.made_available;
      order_.raise(granule, version, level, trace::MoveReason::Availability);
    }
  });
}

// Versions that came as far as they can profit, too: where operations have several classes, one may happen before the
// second by one class, and that before a third by another, by which the first does not. So it is where there are tags.
void Machine::lift(Agent& agent, const Event& event, const Operation& operation) {
  const CacheLevel level = level_of(operation.scope);
  const MemorySemantics classes = operation.semantics;
  const bool has_lifted = agent.lifted || agent.cohort->lifted;
  agent.lifted = true;
  const auto is_link = [&](const Availability& known) {
    return known.by_any_class && known.event.agent == agent.id && known.event.lane == event.lane &&
           known.level >= level;
  };
  const auto take_up = [&](Granule& granule, Version& version) {
    if (!version.non_private || !lifts(agent, version, operation)) return;
    if ((has_lifted || version.agent == agent.id) && version.available(is_link)) return;
    version.lifted.push_back({event, agent.place, level, true});
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
  if (!lanes_gone_ && links_classes_) {
    granules_.for_each([&](Granule& granule) {
      for (Version& version : granule.versions) take_up(granule, version);
    });
    return;
  }
  order_.for_each_narrow(take_up);
}

bool Machine::lifts(const Agent& agent, const Version& version, const Operation& operation) const {
  const MemorySemantics classes = operation.semantics;
  if (!constrains(classes, version.class_index)) return false;
  return is_lifted(version, operation, version.agent == agent.id, [&](const Availability& available) {
    return happened_before(agent, available.event, available.by_any_class, version.class_index, classes) &&
           (available.event.agent == agent.id || share(available.place, agent.place, available.level));
  });
}

void Machine::make_visible(Agent& agent, const Operation& operation, MemorySemantics semantics) {
  ++report_.visibility_operations;
  synchronization_.make_visible(agent, operation.scope, semantics);
  give_up_copies(agent.place, operation);
}

// Copies stay where the operation's tags do not fit the reads that they serve.
void Machine::give_up_copies(const model::Place& place, const Operation& operation) {
  if (!policy_.shared_copies || level_of(operation.scope) <= CacheLevel::Workgroup) return;
  Generation& now = generation_of(place);
  // Without tags all of them go.
  if (now.copies != 0 && synchronization_.has_tags()) return give_up_fitting(now, operation.tags);
  report_.given_up += now.copies;
  now.copies = 0;
  ++now.generation;
}

// Copies whose tags fit are given up; the other copies move on to the next generation.
void Machine::give_up_fitting(Generation& now, TagSetId tags) {
  std::uint32_t stay = 0;
  granules_.for_each([&](Granule& granule) {
    for (Copy& copy : granule.copies) {
      if (copy.workgroup != now.workgroup || copy.queue_family != now.queue_family ||
          copy.generation != now.generation || fit(copy.tags, tags))
        continue;
      copy.generation = now.generation + 1;
      ++stay;
    }
  });
  report_.given_up += now.copies - stay;
  now.copies = stay;
  ++now.generation;
}

//= vk:memory-model-vulkan-availability-visibility
void Machine::device_availability(Agent& agent) {
  outbox_.place_those([&](const Waiting& w) { return agent.knows(kHappened + kAnyClass, w.event); },
                      [] { return CacheLevel::Shader; }, trace::MoveReason::Availability);
  const Event event = synchronization_.event(agent);
  granules_.for_each([&](Granule& granule) {
    for (Version& version : granule.versions) {
      const auto is_mine = [&](const Event& known) { return known.agent == event.agent && known.lane == event.lane; };
      if (!agent.knows(kHappened + kAnyClass, version.event) || version.is_on_device(is_mine)) continue;
      any_on_device_ = true;
      version.on_device.push_back(event);
      order_.raise(granule, version, CacheLevel::Shader, trace::MoveReason::Flush);
    }
  });
}

}  // namespace heddle::memory
