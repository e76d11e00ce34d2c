#include "emulator/memory/machine.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace heddle::memory {

namespace {

// An atomic that many update carries the releases of all of them; the last ones say enough.
constexpr std::size_t kMostHeads = 16;

// So many accesses wear a record out as an update does, which takes as long and, since it finds the newest,
// meets nothing stale.
constexpr std::uint32_t kAccessesAsUpdate = 4;

Operation failed(Operation operation, MemorySemantics semantics) {
  operation.kind = OperationKind::Read;
  operation.semantics = semantics;
  return operation;
}

// Of accesses to one granule: what has the same bytes of it has the same locations.
bool mutually_ordered(const Written& write, ByteMask bytes, const Operation& operation,
                      const Agent& agent) {
  return write.atomic && operation.atomic && write.bytes == bytes &&
         write.reference == operation.reference &&
         (write.agent == agent.id || (model::same_instance(write.place, agent.place, write.scope) &&
                                      model::same_instance(agent.place, write.place, operation.scope)));
}

// Whether the versions come after all that the storage holds of releases: what they carry, these carried to them.
bool stand_for_forgotten(const Few<const Version*, Versions::kMost>& versions, const Granule& granule) {
  if (granule.base_releases == BaseReleases::Several) return false;
  // Of another record, that is gone, it is not known which they were: any that is not narrow may follow them all.
  const bool of_this_record = granule.base_releases == BaseReleases::InOrder;
  return std::any_of(versions.begin(), versions.end(), [&](const Version* version) {
    return of_this_record ? mutually_ordered(granule.last_release, *version)
                          : version->forgotten || includes(version->scope, Scope::Device);
  });
}

// Whether an event happened before an operation of whoever knows so much, an acquire or a barrier: by the event's class,
// or because system-synchronization comes between, which knows no classes.
//= vk:memory-model-inter-thread-happens-before
template <typename Knowing>
bool happened_before(const Knowing& known, const Event& event, unsigned class_index) {
  return known.knows(kHappened + class_index, event) || known.knows(kSystemPassed, event);
}

}  // namespace

Machine::Machine(const MemoryPolicy& policy, Choice& choice)
    : policy_(policy),
      first_level_(level_of(policy.first_scope)),
      choice_(&choice),
      seeded_(dynamic_cast<SeededChoice*>(&choice)) {
  may_tell_others_ = &synchronization_.somebody_tells_others();
  first_records_ = kFewRecords;
}

void Machine::restart() {
  synchronization_.restart();
  waiting_.clear();
  narrow_.clear();
  generations_.clear();
  for (std::uint32_t record = 0; record < granules_.size(); ++record)
    if (granules_[record].used) drop(record);
  // The first one is made first again.
  free_records_.clear();
  for (std::uint32_t record = granules_.size(); record-- != 0;) free_records_.add(record);
  next_forgotten_ = 0;
  for (Allocation& allocation : allocations_) {
    allocation.released = false;
    allocation.writers.clear();
  }
  with_writers_.clear();
  stamp_ = now_ = next_flush_ = until_record_ = released_ = 0;
  until_eviction_ = kNotDrawn;
  first_records_ = kFewRecords;
  lanes_gone_ = links_classes_ = any_on_device_ = false;
  told_ = 0;
}

// --- Agents ---

[[gnu::hot, gnu::flatten]] void Machine::begin(const Cohort& cohort) {
  synchronization_.begin(cohort);
  if (listener_) [[unlikely]] tell_begin(cohort);
}

[[gnu::hot, gnu::flatten]] void Machine::end(const Cohort& cohort) {
  synchronization_.end(cohort);
  if (!generations_.empty()) forget_generations();
  if (listener_) [[unlikely]] tell_end(cohort);
}

//= vk:memory-model-vulkan-availability-visibility
[[gnu::hot]] void Machine::depend(Dependency dependency) {
  if (dependency == Dependency::Memory) {
    // Nobody who asks for the sources of atomics alone asks for earlier ones.
    notes_writers_ = plain_sources_;
    settle();
    notes_writers_ = listener_ != nullptr;
    if (!plain_sources_) forget_writers();
    // All are the same for everybody who is to come: nothing is worth remembering.
    synchronization_.restart();
    lanes_gone_ = links_classes_ = any_on_device_ = false;
    first_records_ = kFewRecords;
    until_record_ = 0;
    if (released_ != 0)
      for (Allocation& allocation : allocations_) allocation.released = false;
    released_ = 0;
  } else {
    synchronization_.all_synchronize();
  }
  if (listener_) listener_->dependency(dependency == Dependency::Memory);
}

void Machine::system_synchronizes(AgentId first, AgentId second) {
  synchronization_.system_synchronizes(first, second);
  if (listener_) listener_->system_synchronizes(first, second);
}

void Machine::one_lane() {
  lanes_gone_ = true;
  const auto move = [](Event& event) {
    event.lane = 0;
    event.epoch = 1;
  };
  for (Waiting& waiting : waiting_) {
    move(waiting.event);
    move(waiting.observation);
  }
  for (Granule& granule : granules_) {
    for (Observation& observation : granule.observations) move(observation.event);
    for (Version& version : granule.versions) {
      move(version.event);
      for (Event& event : version.on_device) move(event);
      for (Availability& available : version.lifted) move(available.event);
    }
  }
}

// --- Accesses ---

Machine::Access Machine::access(const Operation& operation, Agent& agent) {
  const unsigned shift = operation.locations.offset_bytes % kGranuleBytes * 8;
  const ByteMask bytes = ~ByteMask{0} >> (64 - operation.locations.size_bytes * 8);
  return {operation, agent, bytes << shift, shift};
}

// An atomic that acquires or releases is ordered by the classes that it names as well.
//= vk:memory-model-inter-thread-happens-before
unsigned Machine::Access::ordered_by() const {
  if (!operation.atomic) return class_index();
  const MemorySemantics named = storage_classes(operation.semantics);
  if (named == MemorySemantics::None) return class_index();
  return has(semantic_of(operation.storage_class), named) ? class_index() : kAnyClass;
}

// What comes before an atomic or a barrier orders anything.
//= vk:memory-model-availability-visibility-semantics
void Machine::before(const Operation& operation) {
  if (has(operation.semantics, MemorySemantics::MakeAvailable)) [[unlikely]]
    make_available(agent(operation.agent), operation.scope, operation.semantics);
}

// And what it has acquired happened before it, too, whoever made that available before: links of chains by which others
// come after it.
//= vk:memory-model-availability-visibility
void Machine::lift_acquired(Agent& agent, const Event& event, const Operation& operation) {
  if (has(operation.semantics, MemorySemantics::MakeAvailable) && acquires(operation.semantics) &&
      level_of(operation.scope) != CacheLevel::Agent)
    lift(agent, event, operation.scope, operation.semantics);
}

void Machine::acquire(Agent& agent, const Operation& barrier) {
  if (!acquires(barrier.semantics) || !agent.has_met()) return;
  synchronization_.acquire_barrier(agent, barrier);
  lift_acquired(agent, synchronization_.event(agent), barrier);
}

// And after it has acquired, before it releases: a release passes on what was made visible, too.
//= vk:memory-model-availability-visibility-semantics
void Machine::after(Agent& agent, const Operation& operation, MemorySemantics semantics) {
  if (!has(semantics, MemorySemantics::MakeVisible)) [[likely]] return;
  // An atomic comes after others by its own class, too, whatever classes it makes visible.
  const MemorySemantics own = operation.atomic ? semantic_of(operation.storage_class) : MemorySemantics::None;
  make_visible(agent, operation.scope, semantics, own);
}

MemoryReport Machine::report() const {
  MemoryReport report = report_;
  report.reads += reads_;
  report.writes += writes_;
  report.updates += updates_;
  return report;
}

std::byte* Machine::give_in_time(std::byte* bytes) {
  pass_time();
  return bytes;
}

const std::byte* Machine::read_in_place(AllocationId id, std::uint64_t offset_bytes) {
  Allocation& allocation = allocation_of(id);
  if (listener_ || has_record(allocation, offset_bytes)) return nullptr;
  return give(allocation, offset_bytes, report_.reads);
}

std::byte* Machine::write_in_place(AllocationId id, std::uint64_t offset_bytes) {
  Allocation& allocation = allocation_of(id);
  if (listener_ || may_make_record() || keeps_order() || has_record(allocation, offset_bytes)) return nullptr;
  --until_record_;
  return give(allocation, offset_bytes, report_.writes);
}

// Where the storage has no forgotten releases, and the agent has none that others could learn from.
//= vk:memory-model-synchronizes-with
[[gnu::hot]] std::byte* Machine::in_place(Relaxed atomic, AllocationId id, std::uint64_t offset_bytes) {
  Allocation& allocation = allocation_of(id);
  if (listener_ || allocation.released || has_record(allocation, offset_bytes)) return nullptr;
  if (atomic.kind == OperationKind::Read) return give(allocation, offset_bytes, report_.reads);
  if (may_make_record() || keeps_order()) return nullptr;
  if (synchronization_.somebody_tells_others()) [[unlikely]]
    return give_to_releaser(atomic, allocation, offset_bytes);
  --until_record_;
  return give(allocation, offset_bytes,
              atomic.kind == OperationKind::Write ? report_.writes : report_.updates);
}

std::byte* Machine::give_to_releaser(Relaxed atomic, const Allocation& allocation,
                                     std::uint64_t offset_bytes) {
  if (synchronization_.carries(atomic.agent, atomic.storage_class, atomic.scope)) return nullptr;
  --until_record_;
  return give(allocation, offset_bytes,
              atomic.kind == OperationKind::Write ? report_.writes : report_.updates);
}

[[gnu::hot, gnu::flatten]] void Machine::read(const Operation& operation, void* value) {
  tick();
  ++report_.reads;
  const std::uint32_t size = operation.locations.size_bytes;
  const std::uint32_t record = find(operation.locations);
  if (record == kNone) [[likely]] {
    const trace::Value stored = load_value(storage_of(operation.locations), size);
    store_value(value, stored, size);
    if (listener_) [[unlikely]] tell_read_storage(operation, stored);
    if (operation.atomic && takes_agent(operation, operation.semantics)) {
      Agent& agent = this->agent(operation.agent);
      meet_forgotten(agent, operation, operation.semantics);
      after(agent, operation, operation.semantics);
    }
    return;
  }
  const Access reading = access(operation, agent(operation.agent));
  Granule& granule = granules_[record];
  Found found;
  const trace::Value read = read_granule(granule, record, reading, false, found);
  store_value(value, read, size);
  if (listener_) [[unlikely]] tell(operation, read, 0);
  if (listener_ && found.position < found.newest) [[unlikely]] tell_stale(record, reading, found);
  if (operation.atomic) {
    acquire(granule, reading, operation.semantics, found);
    after(reading.agent, operation, operation.semantics);
  }
  use_up(granule, record);
}

[[gnu::hot, gnu::flatten]] void Machine::write(const Operation& operation, const void* value) {
  tick();
  ++report_.writes;
  const std::uint32_t size = operation.locations.size_bytes;
  if (operation.atomic) before(operation);
  const std::uint32_t record = find_or_make(operation.locations, false);
  const trace::Value fresh = load_value(value, size);
  if (record == kNone) [[likely]] {
    if (policy_.in_order) [[unlikely]] drain(operation.agent);
    store_value(storage_of(operation.locations), fresh, size);
    if (operation.atomic) carry_forgotten(operation);
    if (listener_) [[unlikely]] tell_write_storage(operation, 0, fresh);
    return;
  }
  const Access writing = access(operation, agent(operation.agent));
  Granule& granule = granules_[record];
  if (granule.waiting != 0) [[unlikely]] {
    before_write(granule, record, writing);
  } else {
    raise_floor_to_available(granule, writing);
  }
  const trace::OperationIndex index = listener_ ? tell(operation, 0, fresh) : 0;
  //= vk:memory-model-instruction-av-vis
  const bool made_available = has(operation.operands, MemoryOperands::MakePointerAvailable) &&
                              level_of(operation.available_scope) != CacheLevel::Agent;
  const bool waits =
      !made_available && (chance(policy_.delay) || (policy_.in_order && has_waiting(operation.agent)));
  if (made_available && policy_.in_order) [[unlikely]] drain(operation.agent);
  if (waits && waiting_.size() == WaitingList::kMost) [[unlikely]]
    place_waiting(0, CacheLevel::Shader, trace::MoveReason::Flush);
  Version* const version = waits ? nullptr : &granule.versions.next();
  Written& made = version ? static_cast<Written&>(*version) : wait(granule, record);
  fill(made, writing, fresh, index);
  if (made_available) [[unlikely]] {
    place(granule, record, *version, &writing.agent, level_of(operation.available_scope),
          trace::MoveReason::Availability);
  } else if (version) {
    place(granule, record, *version, &writing.agent, std::max(climb(), least_level(made)),
          trace::MoveReason::Eviction);
  }
  use_up(granule, record);
}

// What the agent has to know of before it adds to the granule, of which something waits.
[[gnu::hot]] void Machine::before_write(Granule& granule, std::uint32_t record, const Access& writing) {
  const ByteMask own = show_known(record, writing);
  raise_floor_to_available(granule, writing);
  if (own != 0) overwrite_waiting(record, writing);
}

[[gnu::hot, gnu::flatten]] void Machine::read_modify_write(const Operation& operation, MemorySemantics unequal,
                                                           Modify modify, void* context) {
  tick();
  ++report_.updates;
  const std::uint32_t size = operation.locations.size_bytes;
  before(operation);
  if (policy_.in_order) [[unlikely]] drain(operation.agent);
  const std::uint32_t record = find_or_make(operation.locations, true);
  if (record == kNone) {
    modify_storage(operation, unequal, modify, context);
    return;
  }
  const Access updating = access(operation, agent(operation.agent));
  Granule& granule = granules_[record];
  if (granule.waiting != 0 && show_known(record, updating) != 0) overwrite_waiting(record, updating);
  Found found;
  const trace::Value old = read_granule(granule, record, updating, true, found);
  trace::Value fresh = 0;
  if (!modify(context, &old, &fresh)) {
    const Operation read = failed(operation, unequal);
    if (listener_) [[unlikely]] tell(read, old, 0);
    acquire(granule, {read, updating.agent, updating.bytes, updating.shift}, unequal, found);
    after(updating.agent, read, unequal);
    use_up(granule, record);
    return;
  }
  fresh = load_value(&fresh, size);
  acquire(granule, updating, operation.semantics, found);
  note_updated(granule, record, found);
  lift_acquired(updating.agent, synchronization_.event(updating.agent), operation);
  updated_record_ = kNone;
  after(updating.agent, operation, operation.semantics);
  raise_floor_to_available(granule, updating);
  // The version that was read may go for it, but not before it has inherited from that.
  Version& made = granule.versions.next();
  fill(made, updating, fresh, 0);
  inherit(made, granule, updating);
  if (listener_) [[unlikely]] made.operation = tell(operation, old, fresh);
  place(granule, record, made, &updating.agent, std::max(climb(), least_level(made)),
        trace::MoveReason::Atomic);
  use_up(granule, record, kAccessesAsUpdate);
}

template <typename Visit>
bool Machine::for_each_of_several(const Granule& granule, const Access& access, const Found& found,
                                  Visit visit) const {
  ByteMask missing = access.bytes;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend(); ++version) {
    if (version->stamp > found.stamp || (version->bytes & missing) == 0 || !reaches(*version, access)) continue;
    visit(*version);
    missing &= ~version->bytes;
  }
  return missing != 0;
}

void Machine::go_on_with(Written& made, const Version& before) {
  made.forgotten = made.forgotten || before.forgotten;
  for (const Head& head : before.heads) {
    const auto same = std::find_if(made.heads.begin(), made.heads.end(),
                                   [&](const Head& other) { return other.means_the_same(head); });
    if (same == made.heads.end()) {
      made.heads.push_back(head);
    } else if (same->number < head.number) {
      *same = head;
    }
  }
}

// A read-modify-write goes on with the release sequences of the writes before it in scoped modification order, whatever
// it reads: that may be a plain write, which stands in no such order. The order is partial: of several that are not
// mutually ordered with each other each is the last one.
//= vk:memory-model-release-sequence
void Machine::inherit(Written& made, const Granule& granule, const Access& updating) {
  Few<const Version*, Versions::kMost> last;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend(); ++version) {
    if (!mutually_ordered(*version, updating.bytes, updating.operation, updating.agent)) continue;
    if (std::any_of(last.begin(), last.end(), [&](const Version* later) { return mutually_ordered(*version, *later); }))
      continue;
    go_on_with(made, *version);
    last.add(&*version);
  }
  if (releases_forgotten(granule) && !stand_for_forgotten(last, granule)) [[unlikely]]
    made.forgotten = true;
  if (made.heads.size() > kMostHeads) {
    made.heads.clear();
    made.forgotten = true;
  }
}

//= vk:memory-model-synchronizes-with
void Machine::acquire(const Granule& granule, const Access& reading, MemorySemantics semantics,
                      const Found& found) {
  const bool stored = for_each_met(granule, reading, found, [&](const Version& read) {
    if (read.heads.empty() && !read.forgotten) return;
    if (!mutually_ordered(read, reading.bytes, reading.operation, reading.agent)) return;
    if (read.forgotten) synchronization_.meet_forgotten(reading.agent, semantics);
    synchronization_.meet(reading.agent, reading.operation, semantics, read.heads);
  });
  if (stored && releases_forgotten(granule)) [[unlikely]]
    synchronization_.meet_forgotten(reading.agent, semantics);
}

// --- Accesses to bytes without a record ---

void Machine::carry_forgotten(const Operation& write) {
  if (releases(write.semantics) ||
      synchronization_.carries(write.agent, write.storage_class, write.scope))
    note_forgotten_release(write.locations.allocation);
}

// Whoever does none of this leaves nothing that anybody would ask an agent for.
bool Machine::takes_agent(const Operation& atomic, MemorySemantics semantics) {
  return allocation_of(atomic.locations).released || has(semantics, MemorySemantics::MakeVisible);
}

void Machine::meet_forgotten(Agent& agent, const Operation& atomic, MemorySemantics semantics) {
  if (allocation_of(atomic.locations).released) synchronization_.meet_forgotten(agent, semantics);
}

void Machine::modify_storage(const Operation& operation, MemorySemantics unequal, Modify modify,
                             void* context) {
  const std::uint32_t size = operation.locations.size_bytes;
  std::byte* bytes = storage_of(operation.locations);
  trace::Value old = load_value(bytes, size);
  trace::Value fresh = 0;
  const bool modified = modify(context, &old, &fresh);
  const MemorySemantics semantics = modified ? operation.semantics : unequal;
  Agent* const agent = takes_agent(operation, semantics) ? &this->agent(operation.agent) : nullptr;
  if (agent) meet_forgotten(*agent, operation, semantics);
  if (modified) {
    store_value(bytes, fresh, size);
    carry_forgotten(operation);
    if (listener_) [[unlikely]] tell_write_storage(operation, old, load_value(&fresh, size));
  } else if (listener_) [[unlikely]] {
    tell_read_storage(failed(operation, unequal), old);
  }
  if (agent) after(*agent, operation, semantics);
}

// --- Barriers ---

//= vk:memory-model-memory-semantics
void Machine::barrier(const Operation& operation) {
  tick();
  Agent& agent = this->agent(operation.agent);
  if (listener_) tell(operation, 0, 0);
  switch (operation.kind) {
    case OperationKind::MemoryBarrier:
      before(operation);
      acquire(agent, operation);
      after(agent, operation, operation.semantics);
      if (releases(operation.semantics)) synchronization_.release_barrier(agent, operation);
      break;
    case OperationKind::DeviceAvailability: device_availability(agent); break;
    case OperationKind::DeviceVisibility: synchronization_.make_device_visible(agent); break;
    // Orders nothing; whoever comes too late finds the bytes as they were.
    case OperationKind::Free: break;
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
  Agent& agent = this->agent(operation.agent);
  const trace::OperationIndex index = listener_ ? tell(operation, 0, 0) : 0;
  before(operation);
  acquire(agent, operation);
  after(agent, operation, operation.semantics);
  if (orders_outputs(agent)) {
    device_availability(agent);
    synchronization_.arrive(agent, as_ordered(operation), index);
  } else {
    synchronization_.arrive(agent, operation, index);
  }
}

// Where the operations at one control barrier differ, one may continue the chains of another: what
// the first made available to a narrow domain, a second to a wider one, for a third. They meet in
// one moment, so that all of it is done before anybody leaves.
//= vk:memory-model-availability-visibility
void Machine::open(const Operation& barrier) {
  auto arrivals = synchronization_.different_arrivals(barrier.barrier_instance);
  // Of an instance with a quorum some may have passed, and ended.
  std::erase_if(arrivals, [&](const auto& arrival) {
    return synchronization_.find(arrival.event.agent) == nullptr;
  });
  std::stable_sort(arrivals.begin(), arrivals.end(), [](const auto& a, const auto& b) {
    return !includes(a.scope, b.scope);
  });
  // Whoever is in the scope of the second only learns of the first through it.
  Operation operation = barrier;
  for (std::size_t round = 0; round + 1 < arrivals.size(); ++round) {
    for (const auto& arrival : arrivals) {
      operation.scope = arrival.scope;
      operation.semantics = arrival.semantics;
      synchronization_.pass_on(arrival, operation);
    }
  }
  for (const auto& arrival : arrivals)
    if (has(arrival.semantics, MemorySemantics::MakeAvailable))
      lift(agent(arrival.event.agent), arrival.event, arrival.scope, arrival.semantics);
  for (std::size_t round = 0; round + 1 < arrivals.size(); ++round) {
    for (const auto& arrival : arrivals) {
      if (!has(arrival.semantics, MemorySemantics::MakeVisible)) continue;
      Agent& one = agent(arrival.event.agent);
      synchronization_.make_visible(one, arrival.scope, arrival.semantics);
      for (const auto& other : arrivals)
        synchronization_.chain_visibility(one, arrival.scope, agent(other.event.agent),
                                          other.scope);
    }
  }
}

void Machine::leave(const Operation& operation, std::span<const AgentId> synchronizing) {
  open(operation);
  Agent& agent = this->agent(operation.agent);
  const Synchronization::Passage passage = synchronization_.leave(
      agent, orders_outputs(agent) ? as_ordered(operation) : operation, synchronizing);
  if (orders_outputs(agent)) synchronization_.make_device_visible(agent);
  if (listener_) listener_->passes(passage.arrival, passage.synchronizing);
  // What others made available as this one does is a link for whatever comes after it by the same classes.
  if (!passage.alike) lift_acquired(agent, agent.arrived, operation);
  after(agent, operation, operation.semantics);
  synchronization_.leave_to_later(agent, operation);
}

// Whoever meets so does everything that it does at this barrier in one moment.
void Machine::meet(const Cohort& cohort, const Operation& barrier) {
  Common* common = cohort.place.stage == model::Stage::TessellationControl
                       ? nullptr
                       : synchronization_.common_of(cohort, barrier);
  if (!common) return Memory::meet(cohort, barrier);
  if (!lanes_gone_) one_lane();
  tick();
  now_ += cohort.count - 1;
  if (listener_) tell_meeting(cohort, barrier);
  if (has(barrier.semantics, MemorySemantics::MakeAvailable)) make_available(cohort, *common, barrier);
  synchronization_.meet_together(*common, cohort, barrier);
  if (!has(barrier.semantics, MemorySemantics::MakeVisible)) return;
  report_.visibility_operations += cohort.count;
  give_up_copies(cohort.place, barrier.scope);
}

[[gnu::hot, gnu::flatten]] void Machine::settle() {
  const auto next = [&] {
    const auto count = static_cast<std::uint32_t>(waiting_.size());
    return policy_.in_order || count == 1 ? 0 : below(count);
  };
  if (hears_moves_) {
    while (!waiting_.empty()) place_waiting(next(), CacheLevel::Shader, trace::MoveReason::Flush);
  }
  // All but the order in which the bytes, and atomics, come to the storage is lost on everybody else.
  narrow_.clear();
  for (std::uint32_t record = 0; records_ != 0; ++record) {
    if (!granules_[record].used) continue;
    if (hears_moves_) {
      forget(record);
    } else {
      fold_all(granules_[record]);
      give_up(record);
    }
  }
  while (!waiting_.empty()) settle(waiting_.remove(next()));
}

void Machine::settle(Waiting& waiting) {
  Granule& granule = granules_[waiting.granule];
  --granule.waiting;
  if (!synchronization_.nobody_is_here())
    if (Agent* agent = synchronization_.find(waiting.agent)) note_placed(*agent, waiting);
  store(granule, waiting);
  if (waiting.released()) [[unlikely]] {
    note_forgotten_release(granule.allocation);
    waiting.heads.clear();
  }
  if (listener_ && waiting.atomic) [[unlikely]] listener_->placed(waiting.operation);
}

// --- Writes on their way ---

void Machine::fill(Written& made, const Access& writing, trace::Value value,
                   trace::OperationIndex index) {
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
  made.event = synchronization_.event(writing.agent);
  made.born = time();
  made.forgotten = false;
  made.links_all = false;
  if (!operation.atomic) return;
  // A release happens before others by the classes that it names, which need not have its own.
  made.links_all = has(operation.semantics, MemorySemantics::MakeAvailable) ||
                   releases(operation.semantics);
  links_classes_ = links_classes_ || made.links_all;
  synchronization_.heads(writing.agent, operation, operation.semantics, made.heads);
}

// What the agent has waiting for the same bytes, through the same reference: an atomic takes its place
// first, so does what the agent read back, what has other bytes, too, since it is one operation, what could
// become available to more than the new one, and what others may know of without the new one, since the agent
// has released in between; the rest is overwritten where it stands.
void Machine::overwrite_waiting(std::uint32_t record, const Access& writing) {
  const std::uint32_t epoch = synchronization_.event(writing.agent).epoch;
  for (std::size_t i = 0; i < waiting_.size();) {
    Waiting& older = waiting_[i];
    if (older.granule != record || !is_own(older, writing) || (older.bytes & writing.bytes) == 0) {
      ++i;
    } else if (policy_.in_order || older.atomic || writing.operation.atomic || older.observed ||
               (older.bytes & ~writing.bytes) != 0 || older.class_index != writing.class_index() ||
               (older.non_private && !writing.non_private()) || older.event.epoch != epoch) {
      i = place_in_turn(i, std::max(climb(), least_level(older)), trace::MoveReason::Atomic);
    } else {
      ++report_.lost;
      --granules_[record].waiting;
      waiting_.remove(i).heads.clear();
    }
  }
}

Waiting& Machine::wait(Granule& granule, std::uint32_t record) {
  ++report_.delayed;
  ++granule.waiting;
  is_still_ = false;
  Waiting& waiting = waiting_.add();
  waiting.granule = record;
  return waiting;
}

// An atomic is at least available at its own scope.
//= vk:memory-model-atomic-operation
CacheLevel Machine::least_level(const Written& write) const {
  return write.atomic ? std::max(level_of(write.scope), CacheLevel::Subgroup)
                      : CacheLevel::Subgroup;
}

CacheLevel Machine::climb() {
  CacheLevel level = first_level_;
  while (level < CacheLevel::Shader && !chance(policy_.rest))
    level = static_cast<CacheLevel>(static_cast<unsigned>(level) + 1);
  return level;
}

void Machine::note_placed(Agent& agent, const Written& made) {
  if (made.born < agent.youngest_placed) {
    ++report_.overtaken;
  } else {
    agent.youngest_placed = made.born;
  }
}

[[gnu::hot]] void Machine::place(Granule& granule, std::uint32_t record, Version& version, Agent* agent,
                                 CacheLevel level, trace::MoveReason reason) {
  if (granule.versions.size() == Versions::kMost) [[unlikely]] fold_oldest(granule);
  granule.versions.add(version);
  version.stamp = ++stamp_;
  version.level = level;
  version.own_level = level;
  if (agent) note_placed(*agent, version);
  raise_floor(granule, version.agent, version.reference, version.stamp);
  if (level < CacheLevel::Shader) {
    ++granule.narrow;
    is_still_ = false;
    narrow_.add({record, version.stamp, time()});
  }
  if (hears_moves_) [[unlikely]]
    listener_->moved(version.operation, granule.locations(version.bytes), version.agent,
                     CacheLevel::Agent, level, reason);
  if (listener_ && version.atomic) [[unlikely]] listener_->placed(version.operation);
  if (narrow_.size() > WaitingList::kMost) [[unlikely]] widen(0, CacheLevel::Shader, trace::MoveReason::Flush);
}

[[gnu::hot]] void Machine::place_waiting(std::size_t position, CacheLevel level, trace::MoveReason reason) {
  Waiting& waiting = waiting_.remove(position);
  const std::uint32_t record = waiting.granule;
  Granule& granule = granules_[record];
  --granule.waiting;
  if (reason == trace::MoveReason::Eviction) ++report_.evicted;
  Version& version = granule.versions.next();
  version.take(waiting);
  place(granule, record, version, synchronization_.find(waiting.agent), level, reason);
  if (waiting.observed)
    observe(granule, waiting.observation, waiting.observation_class, waiting.observed_non_private,
            stamp_, version.bytes);
}

// Where a policy keeps the order of an invocation, what it issued before goes first; but nothing comes between what an
// update reads and what it writes. Returns where that stands which followed it.
std::size_t Machine::place_in_turn(std::size_t position, CacheLevel level, trace::MoveReason reason) {
  if (policy_.in_order) {
    const AgentId agent = waiting_[position].agent;
    for (std::size_t i = 0; i < position;) {
      if (waiting_[i].agent != agent || waiting_[i].granule == updated_record_) {
        ++i;
        continue;
      }
      place_waiting(i, std::max(level, least_level(waiting_[i])), reason);
      --position;
    }
  }
  place_waiting(position, level, reason);
  return position;
}

bool Machine::has_waiting(AgentId agent) const {
  for (std::size_t i = 0; i < waiting_.size(); ++i)
    if (waiting_[i].agent == agent) return true;
  return false;
}

// Before a write that does not wait.
void Machine::drain(AgentId agent) {
  for (std::size_t i = 0; i < waiting_.size();) {
    if (waiting_[i].agent == agent) {
      place_waiting(i, CacheLevel::Shader, trace::MoveReason::Flush);
    } else {
      ++i;
    }
  }
}

// Of narrow versions and of those that only some know to be available: `level` is where it is now.
void Machine::raise(Granule& granule, Version& version, CacheLevel level,
                    trace::MoveReason reason) {
  if (level <= version.level) return;
  if (hears_moves_) [[unlikely]]
    listener_->moved(version.operation, granule.locations(version.bytes), version.agent,
                     version.level, level, reason);
  version.level = level;
  if (reason != trace::MoveReason::Availability)
    version.own_level = std::max(version.own_level, level);
  if (level < CacheLevel::Shader) return;
  --granule.narrow;
  narrow_.remove_if([&](const Narrow& n) { return n.stamp == version.stamp; });
}

void Machine::widen(std::size_t position, CacheLevel level, trace::MoveReason reason) {
  Granule& granule = granules_[narrow_[position].record];
  raise(granule, version_at(granule, narrow_[position].stamp), level, reason);
}

// --- Availability ---

// The first element of a chain is the writer's own; the next ones take up what happened before them in
// their own instance of the level that the chain has reached.
//= vk:memory-model-availability-visibility
void Machine::make_available(Agent& agent, Scope scope, MemorySemantics classes) {
  const CacheLevel level = level_of(scope);
  if (level == CacheLevel::Agent) return;
  ++report_.availability_operations;
  const Event event = synchronization_.event(agent);
  place_available(level, classes, [&](const Waiting& w) { return w.agent == agent.id; });
  lift(agent, event, scope, classes);
}

// What still waits of those whose operation it is.
template <typename Owns>
void Machine::place_available(CacheLevel level, MemorySemantics classes, Owns owns) {
  for (std::size_t i = 0; i < waiting_.size();) {
    const Waiting& waiting = waiting_[i];
    if (!owns(waiting) || !waiting.non_private || waiting.class_index == kAnyClass ||
        !constrains(classes, waiting.class_index)) {
      ++i;
      continue;
    }
    ++report_.made_available;
    i = place_in_turn(i, std::max(level, least_level(waiting)), trace::MoveReason::Availability);
  }
}

namespace {

bool has_several_classes(MemorySemantics semantics) {
  unsigned classes = 0;
  for (unsigned k = 0; k < kAnyClass; ++k) classes += constrains(semantics, k) ? 1 : 0;
  return classes > 1;
}

// Those that name other classes happen before whatever these relate them to.
//= vk:memory-model-inter-thread-happens-before
unsigned happened_by(const Written& atomic) {
  return atomic.links_all ? kAnyClass : atomic.class_index;
}

}  // namespace

// Nothing that is mutually ordered with it comes between what an update reads and what it writes.
//= vk:memory-model-acyclicity
void Machine::note_updated(const Granule& granule, std::uint32_t record, const Found& found) {
  if (granule.waiting == 0 || !found.version) return;
  updated_record_ = record;
  updated_ = InScope(*found.version);
}

// Atomics are available at their scope even while they wait.
template <typename Lifts>
void Machine::place_atomics(MemorySemantics classes, Lifts lifts) {
  for (std::size_t i = 0; i < waiting_.size();) {
    const Waiting& w = waiting_[i];
    const bool stays = w.granule == updated_record_ && mutually_ordered(updated_, w);
    if (w.atomic && (w.links_all || constrains(classes, w.class_index)) && !stays && lifts(w)) {
      i = place_in_turn(i, least_level(w), trace::MoveReason::Availability);
    } else {
      ++i;
    }
  }
}

// As for each agent of the cohort, one after the other. What one of them wrote, or what all of them know
// of, is lifted by whoever of them shares the cache that it is in; what others know of, by those.
//= vk:memory-model-availability-visibility
void Machine::make_available(const Cohort& cohort, Common& common, const Operation& barrier) {
  common.lifted = true;
  const CacheLevel level = level_of(barrier.scope);
  const MemorySemantics classes = barrier.semantics;
  report_.availability_operations += cohort.count;
  place_available(level, classes, [&](const Waiting& w) { return cohort.contains(w.agent); });
  const auto place_in = [&](const model::Place& cache) {
    model::Place place = cohort.place;
    place.subgroup = cache.subgroup;
    return place;
  };
  const auto known = [&](unsigned class_index, const Event& event, const model::Place& cache,
                         CacheLevel of) {
    const auto knows_and_shares = [&](const Agent* agent) {
      return happened_before(*agent, event, class_index) && share(cache, agent->place, of);
    };
    return cohort.contains(event.agent) ||
           (happened_before(common.knowledge, event, class_index) &&
            share(cache, place_in(cache), of)) ||
           std::any_of(common.others.begin(), common.others.end(), knows_and_shares);
  };
  place_atomics(classes, [&](const Waiting& w) {
    return known(happened_by(w), w.event, w.place, level_of(w.scope));
  });
  for (std::size_t i = 0; i < narrow_.size();) {
    const Stamp stamp = narrow_[i].stamp;
    Granule& granule = granules_[narrow_[i].record];
    Version& version = version_at(granule, stamp);
    const auto lifts = [&](const Availability& a) {
      const unsigned k = a.bulk ? kAnyClass : version.class_index;
      return (k == kAnyClass || constrains(classes, k)) && known(k, a.event, a.place, a.level);
    };
    const AgentId agent = cohort.contains(version.agent) ? version.agent : cohort.first;
    const auto is_link = [&](const Availability& a) {
      return a.bulk && a.event.agent == agent && a.level >= level;
    };
    if (version.non_private && version.available(lifts) && !version.available(is_link)) {
      version.lifted.push_back(
          {{agent, 0, synchronization_.epoch()}, place_in(version.place), level, true});
      if (level > version.level) ++report_.made_available;
      raise(granule, version, level, trace::MoveReason::Availability);
    }
    if (i < narrow_.size() && narrow_[i].stamp == stamp) ++i;
  }
}

// Versions that came as far as they can profit, too: where a link has several classes, a chain that came
// by one of them goes on by another, which may be the only one of the next link.
void Machine::lift(Agent& agent, const Event& event, Scope scope, MemorySemantics classes) {
  const CacheLevel level = level_of(scope);
  const bool has_lifted = agent.lifted || agent.cohort->lifted;
  agent.lifted = true;
  const auto is_link = [&](const Availability& known) {
    return known.bulk && known.event.agent == agent.id && known.level >= level;
  };
  const auto take_up = [&](Granule& granule, Version& version) {
    if (!version.non_private || !lifts(agent, version, classes)) return;
    if ((has_lifted || version.agent == agent.id) && version.available(is_link)) return;
    version.lifted.push_back({event, agent.place, level, true});
    if (level <= version.level) return;
    ++report_.made_available;
    raise(granule, version, level, trace::MoveReason::Availability);
  };
  place_atomics(classes, [&](const Waiting& w) {
    return happened_before(agent, w.event, happened_by(w)) &&
           (w.agent == agent.id || share(w.place, agent.place, level_of(w.scope)));
  });
  links_classes_ = links_classes_ || has_several_classes(classes);
  if (!lanes_gone_ && links_classes_) {
    for (Granule& granule : granules_)
      if (granule.used)
        for (Version& version : granule.versions) take_up(granule, version);
    return;
  }
  for (std::size_t i = 0; i < narrow_.size();) {
    const Stamp stamp = narrow_[i].stamp;
    Granule& granule = granules_[narrow_[i].record];
    take_up(granule, version_at(granule, stamp));
    if (i < narrow_.size() && narrow_[i].stamp == stamp) ++i;
  }
}

bool Machine::lifts(const Agent& agent, const Version& version, MemorySemantics classes) const {
  return version.available([&](const Availability& available) {
    const unsigned k = available.bulk ? kAnyClass : version.class_index;
    if (k != kAnyClass && !constrains(classes, k)) return false;
    return happened_before(agent, available.event, k) &&
           (available.event.agent == agent.id || share(available.place, agent.place, available.level));
  });
}

void Machine::make_visible(Agent& agent, Scope scope, MemorySemantics classes, MemorySemantics own) {
  ++report_.visibility_operations;
  synchronization_.make_visible(agent, scope, classes, own);
  give_up_copies(agent.place, scope);
}

void Machine::give_up_copies(const model::Place& place, Scope scope) {
  if (policy_.shared_copies && level_of(scope) > CacheLevel::Workgroup)
    ++generation_of(place).generation;
}

//= vk:memory-model-vulkan-availability-visibility
void Machine::device_availability(Agent& agent) {
  for (std::size_t i = 0; i < waiting_.size();) {
    if (agent.knows(kHappened + kAnyClass, waiting_[i].event)) {
      i = place_in_turn(i, CacheLevel::Shader, trace::MoveReason::Availability);
    } else {
      ++i;
    }
  }
  const Event event = synchronization_.event(agent);
  for (Granule& granule : granules_) {
    if (!granule.used) continue;
    for (Version& version : granule.versions) {
      const auto is_mine = [&](const Event& known) { return known.agent == event.agent; };
      if (!agent.knows(kHappened + kAnyClass, version.event) || version.is_on_device(is_mine)) continue;
      any_on_device_ = true;
      version.on_device.push_back(event);
      raise(granule, version, CacheLevel::Shader, trace::MoveReason::Flush);
    }
  }
}

// --- Time ---

bool Machine::chance(std::uint32_t of_256) {
  // Whether it is one at all.
  if (of_256 - 1 >= 255) return of_256 != 0;
  return below(256) < of_256;
}

// What comes later is younger than what is the oldest then.
void Machine::flush_oldest() {
  const auto age = [&](auto& list) { return list.empty() ? 0 : time() - list.front().born; };
  if (age(waiting_) > policy_.longest_wait)
    place_waiting(0, CacheLevel::Shader, trace::MoveReason::Flush);
  if (age(narrow_) > policy_.longest_wait) widen(0, CacheLevel::Shader, trace::MoveReason::Flush);
  const std::uint32_t oldest = std::max(age(waiting_), age(narrow_));
  next_flush_ = now_ + 1 + (policy_.longest_wait - std::min(oldest, policy_.longest_wait));
}

[[gnu::hot]] void Machine::pass_time() {
  if (now_ >= next_flush_) flush_oldest();
  if (policy_.eviction_interval == 0) return;
  if (until_eviction_ == kNotDrawn) [[unlikely]] until_eviction_ = below(2 * policy_.eviction_interval);
  if (until_eviction_-- != 0) return;
  until_eviction_ = below(2 * policy_.eviction_interval);
  evict();
}

[[gnu::hot]] void Machine::evict() {
  const auto waiting = static_cast<std::uint32_t>(waiting_.size());
  const auto all = waiting + static_cast<std::uint32_t>(narrow_.size());
  if (all == 0) return;
  std::size_t chosen = below(all);
  if (chosen >= waiting) {
    chosen -= waiting;
    const Version& version = version_at(granules_[narrow_[chosen].record], narrow_[chosen].stamp);
    const auto next = static_cast<CacheLevel>(static_cast<unsigned>(version.level) + 1);
    widen(chosen, std::max(next, climb()), trace::MoveReason::Eviction);
    return;
  }
  if (policy_.in_order) {
    const AgentId agent = waiting_[chosen].agent;
    chosen = 0;
    while (waiting_[chosen].agent != agent) ++chosen;
  }
  place_waiting(chosen, std::max(climb(), least_level(waiting_[chosen])),
                trace::MoveReason::Eviction);
}

}  // namespace heddle::memory
