#include "emulator/memory/machine.h"

#include <algorithm>
#include <cstring>

namespace heddle::memory {

namespace {

// So many accesses wear a record out as an update does, which takes as long and, since it finds the newest,
// meets nothing stale.
constexpr std::uint32_t kAccessesAsUpdate = 4;

Operation failed(Operation operation, MemorySemantics semantics) {
  operation.kind = OperationKind::Read;
  operation.semantics = semantics;
  return operation;
}

// How far a write is available by itself.
//= vk:memory-model-atomic-operation
//= vk:memory-model-instruction-av-vis
CacheLevel available_level(const Operation& write) {
  if (write.atomic) return std::max(cache_of(write.scope), CacheLevel::Subgroup);
  const bool has_own = has(write.operands, MemoryOperands::MakePointerAvailable);
  return has_own ? cache_of(write.available_scope) : CacheLevel::Agent;
}

}  // namespace

Machine::Machine(const MemoryPolicy& policy, Choice& choice, ClockLimits limits)
    : policy_(policy),
      draws_(choice),
      synchronization_(limits),
      order_(granules_, telling_, report_, now_),
      outbox_(policy_, granules_, order_, draws_, synchronization_, report_),
      evictions_(policy_, outbox_, order_, draws_, now_),
      chains_(granules_, outbox_, order_, synchronization_, report_),
      visibility_(policy_, granules_, outbox_, order_, chains_, draws_, synchronization_, telling_, report_),
      releases_(*this, granules_, synchronization_),
      records_(policy_, *this, granules_, order_, visibility_.copies(), releases_, synchronization_.residents(), draws_,
               report_) {
  may_tell_others_ = &synchronization_.somebody_tells_others();
}

void Machine::restart() {
  synchronization_.restart();
  outbox_.restart();
  order_.restart();
  evictions_.restart();
  chains_.restart();
  visibility_.restart();
  records_.restart();
  granules_.restart();
  drop_all_released();
  now_ = agents_ = 0;
  submission_begins_ = true;
  telling_.restart();
}

// --- Allocations ---

void Machine::add(AllocationId id, std::span<std::byte> storage) {
  granules_.add(id, storage);
  telling_.forget(id);
  releases_.begin(id);
}

void Machine::note_initialized(AllocationId id, const detail::InitializedBytes& initialized) {
  granules_.note_initialized(id, initialized);
}

void Machine::remove(AllocationId id) {
  outbox_.remove(id);
  order_.remove(id);
  telling_.forget(id);
  records_.remove(id);
  granules_.remove(id);
}

// --- Agents ---

[[gnu::hot, gnu::flatten]] void Machine::begin(const Cohort& cohort) {
  if (submission_begins_) first_of_submission_ = static_cast<std::uint32_t>(cohort.first);
  submission_begins_ = false;
  synchronization_.begin(cohort);
  evictions_.agents_are(agents_ += cohort.count);
  if (telling_.is_on()) [[unlikely]]
    telling_.begin(cohort);
}

[[gnu::hot, gnu::flatten]] void Machine::end(const Cohort& cohort) {
  synchronization_.end(cohort);
  evictions_.agents_are(agents_ -= cohort.count);
  visibility_.copies().forget_ended();
  if (telling_.is_on()) [[unlikely]]
    telling_.end(cohort);
}

//= vk:memory-model-vulkan-availability-visibility
[[gnu::hot]] void Machine::depend(Dependency dependency) {
  if (dependency == Dependency::Memory) {
    telling_.begin_memory_dependency();
    settle();
    telling_.end_memory_dependency();
    // All are the same for everybody who is to come: nothing is worth remembering.
    synchronization_.restart();
    chains_.restart();
    records_.begin_anew();
    submission_begins_ = true;
    releases_.restart();
  } else {
    synchronization_.all_synchronize();
  }
  if (telling_.is_on()) telling_.dependency(dependency == Dependency::Memory);
}

void Machine::system_synchronizes(AgentId first, AgentId second) {
  synchronization_.system_synchronizes(first, second);
  if (telling_.is_on()) telling_.system_synchronizes(first, second);
}

// --- Accesses ---

// The operation that MakeAvailable adds stands before its instruction, which therefore does not hand on what it
// acquires itself.
//= vk:memory-model-availability-visibility-semantics
void Machine::before(const Operation& operation) {
  if (has(operation.semantics, MemorySemantics::MakeAvailable)) [[unlikely]]
    chains_.make_available(agent(operation), operation);
}

void Machine::acquire(Agent& agent, const Operation& barrier) {
  if (acquires(barrier.semantics) && agent.has_met()) synchronization_.acquire_barrier(agent, barrier);
}

// The operation that MakeVisible adds stands behind its instruction, so that the instruction's own release does not
// pass on what it made visible.
//= vk:memory-model-availability-visibility-semantics
void Machine::after(Agent& agent, const Operation& operation, MemorySemantics semantics) {
  if (has(semantics, MemorySemantics::MakeVisible)) [[unlikely]]
    make_visible(agent, operation, semantics);
  if (agent.tagged && acquires(semantics)) [[unlikely]]
    synchronization_.hand_on(agent, semantics);
}

MemoryReport Machine::report() const {
  MemoryReport report = report_;
  report.reads += reads_;
  report.writes += writes_;
  report.updates += updates_;
  return report;
}

std::byte* Machine::give_in_time(std::byte* bytes) {
  evictions_.pass_time();
  return bytes;
}

const std::byte* Machine::read_in_place(AllocationId id, std::uint64_t offset_bytes) {
  if (telling_.is_on() || synchronization_.has_tags() || granules_.has_record(id, offset_bytes)) return nullptr;
  return give(id, offset_bytes, report_.reads);
}

std::byte* Machine::write_in_place(emulation::Site site, AllocationId id, std::uint64_t offset_bytes) {
  if (telling_.is_on() || synchronization_.has_tags() || records_.may_make(site) || keeps_order() ||
      granules_.has_record(id, offset_bytes))
    return nullptr;
  --until_record_;
  return give(id, offset_bytes, report_.writes);
}

// Where the storage has no forgotten releases, and the agent has none that others could learn from.
//= vk:memory-model-synchronizes-with
[[gnu::hot]] std::byte* Machine::in_place(Relaxed atomic, emulation::Site site, AllocationId id,
                                          std::uint64_t offset_bytes) {
  if (telling_.is_on() || synchronization_.has_tags() || granules_.released(id) ||
      granules_.has_record(id, offset_bytes))
    return nullptr;
  if (atomic.kind == OperationKind::Read) return give(id, offset_bytes, report_.reads);
  if (records_.may_make(site) || keeps_order()) return nullptr;
  if (synchronization_.somebody_tells_others()) [[unlikely]]
    return give_to_releaser(atomic, id, offset_bytes);
  --until_record_;
  return give(id, offset_bytes, atomic.kind == OperationKind::Write ? report_.writes : report_.updates);
}

std::byte* Machine::give_to_releaser(Relaxed atomic, AllocationId id, std::uint64_t offset_bytes) {
  if (synchronization_.carries(atomic.agent, atomic.storage_class, atomic.scope)) return nullptr;
  --until_record_;
  return give(id, offset_bytes, atomic.kind == OperationKind::Write ? report_.writes : report_.updates);
}

[[gnu::hot, gnu::flatten]] void Machine::read(const Operation& operation, void* value) {
  tick(&operation);
  ++report_.reads;
  const std::uint32_t size = operation.locations.size_bytes;
  const std::uint32_t record = granules_.find(operation.locations);
  never_written_ = 0;
  if (record == kNone) [[likely]] {
    const trace::Value stored = load_value(granules_.bytes(operation.locations), size);
    store_value(value, stored, size);
    if (telling_.is_on()) [[unlikely]]
      telling_.read_of_storage(operation, stored);
    if (operation.atomic && takes_agent(operation, operation.semantics)) {
      Agent& agent = this->agent(operation);
      releases_.meet_forgotten(agent, operation, operation.semantics);
      after(agent, operation, operation.semantics);
    }
    return;
  }
  const GranuleAccess reading(operation, agent(operation));
  Granule& granule = granules_[record];
  Found found;
  const trace::Value read = visibility_.read(granule, record, reading, false, found);
  store_value(value, read, size);
  never_written_ = (found.never_written & reading.bytes) >> reading.shift;
  if (telling_.is_on()) [[unlikely]]
    telling_.operation(operation, read, 0);
  if (telling_.is_on() && found.position < found.newest) [[unlikely]]
    visibility_.tell_stale(granule, found);
  if (operation.atomic) {
    releases_.meet(granule, reading, operation.semantics, found);
    after(reading.agent, operation, operation.semantics);
  }
  records_.use_up(granule, record);
}

[[gnu::hot, gnu::flatten]] void Machine::write(const Operation& operation, const void* value) {
  tick(&operation);
  ++report_.writes;
  const std::uint32_t size = operation.locations.size_bytes;
  if (operation.atomic) before(operation);
  const std::uint32_t record = records_.find_or_make(operation);
  const trace::Value fresh = load_value(value, size);
  if (record == kNone) [[likely]] {
    if (policy_.in_order) [[unlikely]]
      outbox_.drain(operation.agent);
    store_value(granules_.bytes(operation.locations), fresh, size);
    if (operation.atomic) releases_.carry(operation);
    if (telling_.is_on()) [[unlikely]]
      telling_.write_to_storage(operation, 0, fresh);
    return;
  }
  ++report_.recorded;
  const GranuleAccess writing(operation, agent(operation));
  Granule& granule = granules_[record];
  if (granule.waiting != 0) [[unlikely]] {
    before_write(granule, record, writing);
  } else {
    visibility_.raise_floor_to_available(granule, writing);
  }
  const trace::OperationIndex index = telling_.is_on() ? telling_.operation(operation, 0, fresh) : 0;
  //= vk:memory-model-instruction-av-vis
  const bool drains = policy_.in_order && has(operation.operands, MemoryOperands::MakePointerAvailable);
  if (drains) [[unlikely]]
    outbox_.drain(operation.agent);
  if (!drains && (draws_.chance(policy_.delay) || (policy_.in_order && outbox_.has(operation.agent)))) {
    fill(outbox_.wait(granule, record), writing, fresh, index);
  } else {
    if (granule.late_updates != 0) [[unlikely]]
      outbox_.let_updates_go_first(record, writing);
    Version& made = granule.versions.next();
    fill(made, writing, fresh, index);
    order_.place(granule, record, made, &writing.agent, std::max(outbox_.climb(), made.least_level()),
                 trace::MoveReason::Eviction);
  }
  note_moves();
  records_.use_up(granule, record);
}

void Machine::fill(Written& made, const GranuleAccess& writing, trace::Value value, trace::OperationIndex index) {
  const Operation& operation = writing.operation;
  made.operation = index;
  made.value = value << writing.shift;
  made.bytes = writing.bytes;
  made.atomic = operation.atomic;
  made.non_private = writing.non_private();
  made.class_index = writing.class_index();
  made.reference = operation.reference;
  made.agent = writing.agent.id;
  made.place = writing.agent.place;
  made.scope = operation.scope;
  made.tags = operation.tags;
  made.event = synchronization_.event(writing.agent);
  made.born = order_.time();
  made.forgotten = false;
  made.by_any_class = false;
  made.available_level = available_level(operation);
  if (!operation.atomic) return;
  made.by_any_class = releases(operation.semantics);
  if (made.by_any_class) chains_.note_link();
  synchronization_.heads(writing.agent, operation, operation.semantics, made.heads);
}

// What the agent has to know of before it adds to the granule, of which something waits.
[[gnu::hot]] void Machine::before_write(Granule& granule, std::uint32_t record, const GranuleAccess& writing) {
  const ByteMask own = outbox_.show_known(record, writing);
  visibility_.raise_floor_to_available(granule, writing);
  if (own != 0) outbox_.overwrite(record, writing);
}

[[gnu::hot, gnu::flatten]] void Machine::read_modify_write(const Operation& operation, MemorySemantics unequal,
                                                           Modify modify, void* context) {
  tick(&operation);
  ++report_.updates;
  never_written_ = 0;
  const std::uint32_t size = operation.locations.size_bytes;
  before(operation);
  if (policy_.in_order) [[unlikely]]
    outbox_.drain(operation.agent);
  const std::uint32_t record = records_.find_or_make(operation);
  if (record == kNone) {
    modify_storage(operation, unequal, modify, context);
    return;
  }
  ++report_.recorded;
  const GranuleAccess updating(operation, agent(operation));
  Granule& granule = granules_[record];
  if (granule.waiting != 0 && outbox_.show_known(record, updating) != 0) outbox_.overwrite(record, updating);
  Found found;
  trace::Value old = visibility_.read(granule, record, updating, true, found);
  trace::Value fresh = 0;
  bool writes = modify(context, &old, &fresh);
  if (granule.late_updates != 0 && !leaves_as_it_is(granule, record, updating, old, writes, fresh)) [[unlikely]] {
    outbox_.let_updates_go_first(record, updating);
    old = visibility_.read(granule, record, updating, true, found);
    fresh = 0;
    writes = modify(context, &old, &fresh);
  }
  never_written_ = (found.never_written & updating.bytes) >> updating.shift;
  if (!writes) {
    const Operation read = failed(operation, unequal);
    if (telling_.is_on()) [[unlikely]]
      telling_.operation(read, old, 0);
    releases_.meet(granule, GranuleAccess(read, updating.agent), unequal, found);
    after(updating.agent, read, unequal);
    records_.use_up(granule, record);
    return;
  }
  fresh = load_value(&fresh, size);
  releases_.meet(granule, updating, operation.semantics, found);
  visibility_.raise_floor_to_available(granule, updating);
  if (may_be_late(granule, old, fresh)) {
    wait_as_update(granule, record, updating, old, fresh);
  } else {
    place_update(granule, record, updating, old, fresh);
  }
  after(updating.agent, operation, operation.semantics);
  note_moves();
  records_.use_up(granule, record, kAccessesAsUpdate);
}

void Machine::place_update(Granule& granule, std::uint32_t record, const GranuleAccess& updating, trace::Value old,
                           trace::Value fresh) {
  // The version that was read may go for it, but not before it has inherited from that.
  Version& made = granule.versions.next();
  fill(made, updating, fresh, 0);
  releases_.inherit(made, granule, updating);
  if (telling_.is_on()) [[unlikely]]
    made.operation = telling_.operation(updating.operation, old, fresh);
  order_.place(granule, record, made, &updating.agent, std::max(outbox_.climb(), made.least_level()),
               trace::MoveReason::Atomic);
  if (granule.late_updates != 0) [[unlikely]]
    outbox_.read_instead(granule, record, InScope(made), order_.last());
}

// One that leaves everything as it is has nothing to be late with. Of releases that the granule remembers somebody who
// comes between could have more than it acquired.
bool Machine::may_be_late(const Granule& granule, trace::Value old, trace::Value fresh) {
  return old != fresh && !policy_.in_order && !granule.versions.released() && !granules_.releases_forgotten(granule) &&
         draws_.chance(policy_.delay);
}

void Machine::wait_as_update(Granule& granule, std::uint32_t record, const GranuleAccess& updating, trace::Value old,
                             trace::Value fresh) {
  fill(outbox_.wait_as_update(granule, record, updating, old), updating, fresh,
       telling_.is_on() ? telling_.operation(updating.operation, old, fresh) : 0);
}

// Whether updates that wait can come behind this one, which read `old`: it writes nothing or what was there, which is
// what they read, and has nothing to tell that they would have acquired. Those that spin are not let through for ever.
//= vk:memory-model-acyclicity
bool Machine::leaves_as_it_is(const Granule& granule, std::uint32_t record, const GranuleAccess& updating,
                              trace::Value old, bool writes, trace::Value fresh) {
  const Operation& operation = updating.operation;
  if (++updating.agent.stale_reads > policy_.most_stale) {
    updating.agent.stale_reads = 0;
    return false;
  }
  if (!writes) return true;
  const ByteMask left = (load_value(&fresh, operation.locations.size_bytes) << updating.shift) & updating.bytes;
  if (left != old << updating.shift || releases(operation.semantics) || granule.versions.released() ||
      granules_.releases_forgotten(granule) ||
      synchronization_.carries(operation.agent, operation.storage_class, operation.scope))
    return false;
  return !outbox_.has_update_of_other(record, updating, left);
}

// --- Accesses to bytes without a record ---

// An agent that does none of this leaves nothing that anybody would ask an agent for.
bool Machine::takes_agent(const Operation& atomic, MemorySemantics semantics) const {
  return releases_.is_met(atomic) || has(semantics, MemorySemantics::MakeVisible) ||
         (synchronization_.has_tags() && acquires(semantics));
}

void Machine::modify_storage(const Operation& operation, MemorySemantics unequal, Modify modify, void* context) {
  const std::uint32_t size = operation.locations.size_bytes;
  std::byte* bytes = granules_.bytes(operation.locations);
  trace::Value old = load_value(bytes, size);
  trace::Value fresh = 0;
  const bool modified = modify(context, &old, &fresh);
  const MemorySemantics semantics = modified ? operation.semantics : unequal;
  Agent* const agent = takes_agent(operation, semantics) ? &this->agent(operation) : nullptr;
  if (agent) releases_.meet_forgotten(*agent, operation, semantics);
  if (modified) {
    store_value(bytes, fresh, size);
    releases_.carry(operation);
    if (telling_.is_on()) [[unlikely]]
      telling_.write_to_storage(operation, old, load_value(&fresh, size));
  } else if (telling_.is_on()) [[unlikely]] {
    telling_.read_of_storage(failed(operation, unequal), old);
  }
  if (agent) after(*agent, operation, semantics);
}

}  // namespace heddle::memory
