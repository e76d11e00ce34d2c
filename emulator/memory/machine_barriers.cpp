// Barriers of a machine, and the availability and visibility operations that come with them.

#include <algorithm>
#include <stdexcept>

#include "emulator/memory/machine.h"

namespace heddle::memory {

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
      chains_.make_available_on_device(agent);
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
    chains_.make_available_on_device(agent);
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
  std::erase_if(arrivals,
                [&](const auto& arrival) { return synchronization_.residents().find(arrival.event.agent) == nullptr; });
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
  if (!chains_.has_one_slot()) chains_.use_one_slot();
  tick();
  now_ += cohort.count - 1;
  if (telling_.is_on()) telling_.meeting(cohort, barrier);
  if (has(barrier.semantics, MemorySemantics::MakeAvailable)) chains_.make_available(cohort, *common, barrier);
  synchronization_.meet_together(*common, cohort, barrier);
  if (!has(barrier.semantics, MemorySemantics::MakeVisible)) return;
  report_.visibility_operations += cohort.count;
  visibility_.copies().give_up(cohort.place, barrier);
}

[[gnu::hot, gnu::flatten]] void Machine::settle() {
  if (telling_.hears_moves()) outbox_.place_all();
  // All but the order in which the bytes, and atomics, come to the storage is lost on everybody else.
  order_.forget_narrow();
  for (std::uint32_t record = 0; granules_.used() != 0; ++record) {
    if (!granules_[record].used) continue;
    if (telling_.hears_moves()) {
      records_.forget(record);
    } else {
      order_.fold_all(granules_[record]);
      records_.give_up(record);
    }
  }
  while (!outbox_.empty()) settle(outbox_.take_next());
}

void Machine::hand_over() {
  for (std::uint32_t record = 0; record < granules_.size(); ++record)
    if (granules_[record].used) order_.fold_wide(granules_[record]);
}

void Machine::settle(Waiting& waiting) {
  Granule& granule = granules_[waiting.granule];
  if (!synchronization_.residents().empty())
    if (Agent* agent = synchronization_.residents().find(waiting.agent)) order_.note_placed(*agent, waiting);
  order_.store(granule, waiting);
  if (waiting.released()) [[unlikely]] {
    releases_.note_forgotten(granule.allocation);
    waiting.heads.clear();
  }
  if (telling_.is_on() && waiting.atomic) [[unlikely]]
    telling_.placed(waiting.operation);
}

void Machine::make_visible(Agent& agent, const Operation& operation, MemorySemantics semantics) {
  ++report_.visibility_operations;
  synchronization_.make_visible(agent, operation.scope, semantics);
  visibility_.copies().give_up(agent.place, operation);
}

}  // namespace heddle::memory
