#include "emulator/host/emulator.h"
#include "emulator/host/complaints.h"
#include "emulator/host/edited.h"
#include "emulator/host/following.h"

#include "emulator/host/trial_limit.h"
#include "emulator/run/course.h"
#include "emulator/watch/parallel_memory.h"

#include <algorithm>
#include <cstring>

namespace heddle::emulation {

namespace {

// For each of DeviceOptions::no_progress_rounds, which is 4096 mostly: 2 million times, by when nearly all dispatches
// have ended, before anybody looks for a standstill. The first look comes after a part of them, some 100,000
// operations; after each that finds that something goes on the next one takes twice as long.
constexpr std::uint64_t kWindUpsOfRound = 512;
constexpr std::int64_t kPartBeforeFirstLook = 256;
// A look ends after 262,144 accesses to the same, if the invocations come back to states in which they were; otherwise
// after 67 million, and 4 million of each, which take seconds: a loop that reads so long what does not change, and is
// never in the same state, may still be one that computes.
constexpr std::uint64_t kRepeatedAccessesOfRound = 64;
constexpr std::uint64_t kAccessesOfRound = 16384;
constexpr std::uint64_t kAccessesOfEachOfRound = 1024;

// A dispatch in which others were let run so often is a long one, which does most of what it does in many places: from
// then on they run half as often, and so on, down to a sixteenth.
constexpr std::uint64_t kManyTimes = 256;
constexpr std::uint64_t kMostHalvings = 4;
constexpr std::uint32_t kLongestMean = ~std::uint32_t{0} / 16;

std::uint64_t rounds_times(const DeviceOptions& options, std::uint64_t of_round) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  return std::clamp<std::uint64_t>(options.no_progress_rounds, 1, kMost) * of_round;
}

/// The record of a barrier without its agent, and without its instance, which has a number once it is known who meets.
Operation barrier_record(Scope execution, Scope memory, MemorySemantics semantics, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::ControlBarrier;
  operation.execution_scope = execution;
  operation.scope = memory;
  operation.semantics = semantics;
  operation.where = where;
  return operation;
}

bool is_same_barrier(const Operation& a, const Operation& b) {
  return a.execution_scope == b.execution_scope && a.scope == b.scope && a.semantics == b.semantics &&
         a.tags == b.tags && a.where.line == b.where.line && a.where.file == b.where.file;
}

/// Everything that can be wrong with an access whatever its kind.
[[gnu::always_inline]] inline void check(const Agent& agent, const Access& access) {
  if (run::fault_of(checked(access))) [[unlikely]]
    complain(agent, access);
}

/// Before a read: complains where bytes of it were never written, but for padding.
[[gnu::always_inline]] inline void check_initialized(const Agent& agent, const Access& access) {
  detail::InitializedBytes& initialized = access.binding->allocation->initialized;
  const Locations& bytes = access.operation.locations;
  if (initialized.first_missing(bytes.offset_bytes, bytes.size_bytes, nullptr) == bytes.size_bytes) [[likely]]
    return;
  if (!access.value_bytes ||
      initialized.first_missing(bytes.offset_bytes, bytes.size_bytes, access.value_bytes) != bytes.size_bytes)
    return complain_of_missing(agent, access);
  initialized.note_gap();
}

/// To be called when the bytes have been written: other threads may ask for that.
[[gnu::always_inline]] inline void mark_initialized(const Emulator& emulator, const Access& access) {
  detail::InitializedBytes& initialized = access.binding->allocation->initialized;
  const Locations& bytes = access.operation.locations;
  if (emulator.device.parallel) {
    initialized.mark_at_once(bytes.offset_bytes, bytes.size_bytes);
  } else {
    initialized.mark(bytes.offset_bytes, bytes.size_bytes);
  }
}

}  // namespace

Emulator::Emulator(detail::DeviceState& d)
    : device(d),
      survey(detail::survey_of_environment()),
      // Each operation is on somebody's route.
      most_halvings_(*d.options.reconvergence == Reconvergence::Maximal ? kMostHalvings : 0),
      most_patience_(rounds_times(d.options, kWindUpsOfRound)),
      first_patience_(std::max<std::int64_t>(most_patience_ / kPartBeforeFirstLook, 1)),
      standstill_({rounds_times(d.options, kRepeatedAccessesOfRound), rounds_times(d.options, kAccessesOfRound),
                   rounds_times(d.options, kAccessesOfEachOfRound)}),
      following_(std::make_unique<Following>()),
      edit_list_(detail::list_of(d.options.edits, survey != nullptr)) {
  if (edit_list_) edits = std::make_shared<edits::ProgramEdits>(*edit_list_);
}

Emulator::~Emulator() = default;

[[gnu::hot]] void Emulator::begin(const runtime::Grid& grid, std::span<const Binding> of_arguments) {
  bindings = of_arguments;
  operations_left = 1;
  wound_up_ = 0;
  grid_ = &grid;
  dispatch_ = {device.dispatches - 1, device.next_agent, grid.groups, grid.local, grid.base, grid.subgroup_size, {}};
  if (grid.position_of) dispatch_.positions = {grid.position_of, grid.group_size};
  first_workgroup_ = device.next_workgroup;
  const std::uint32_t groups = grid.groups.x * grid.groups.y * grid.groups.z;
  device.next_agent += groups * grid.group_size;
  device.next_workgroup += groups;
  subgroups_.clear();
  if (grid.subgroups != 1) find_subgroups();
  in_place = device.memory->is_storage() ? nullptr : &device.memory->accesses_in_place();
  writes_in_place = true;
  patience_ = first_patience_;
  follows_undefined = false;
  hear_as_usual();
  knows_agents_ = device.tells_memory() ? device.memory.get() : nullptr;
  if (told || device.parallel) tell_begin(groups);
}

void Emulator::find_subgroups() {
  subgroups_.resize(grid_->group_size);
  for (std::uint32_t i = 0; i < subgroups_.size(); ++i) subgroups_[i] = grid_->position(i) / grid_->subgroup_size;
}

void Emulator::restart() {
  next_barrier_instance_.store(1, std::memory_order_relaxed);
  free_memory_ = nullptr;
  used_memory_ = 0;
}

inline WorkgroupMemory& Emulator::take_memory() {
  WorkgroupMemory& memory = *free_memory_;
  free_memory_ = memory.next_free;
  ++taken_memory_;
  return memory;
}

inline void Emulator::give_back(WorkgroupMemory& memory) {
  memory.next_free = free_memory_;
  free_memory_ = &memory;
  --taken_memory_;
}

// After a dispatch that failed some workgroups are still there.
void Emulator::end_left_ones() {
  for (const auto& memory : all_memory_) {
    if (memory->invocations.count == 0) continue;
    end(*memory);
    give_back(*memory);
  }
  if (taken_memory_ == 0) return;
  // Memory ran out while a workgroup ended.
  free_memory_ = nullptr;
  for (std::size_t i = 0; i < used_memory_; ++i) give_back(*all_memory_[i]);
  taken_memory_ = 0;
}

[[gnu::hot]] void Emulator::end() {
  const bool failed = taken_memory_ != 0;
  if (failed) [[unlikely]]
    end_left_ones();
  device.watchers.dispatch_ends(failed);
  if (!by_address.empty()) by_address.clear();
  bindings = {};
}

inline void Emulator::wind_up() {
  const std::uint32_t rarity = 1u << std::min(wound_up_++ / kManyTimes, most_halvings_);
  const std::uint32_t mean = std::min(device.options.operations_between_switches, kLongestMean) * rarity;
  operations_left = 1 + device.choice.below(2 * mean - 1, ChoicePoint::Preemption);
  if (device.limit) device.limit->spend(operations_left);
  if (follows_undefined) [[unlikely]]
    following_->beat();
  // In storage there always is.
  if (in_place) writes_in_place = in_place->may_write_in_place();
  patience_left_ -= rarity;
  if (patience_left_ <= 0 && !looks_for_standstill_) [[unlikely]]
    begin_to_look_for_standstill();
}

[[gnu::always_inline]] inline void Emulator::begin(WorkgroupMemory& memory, runtime::Workgroup& group) {
  memory.allocation.bytes = group.memory;
  memory.allocation.size_bytes = group.memory_bytes;
  memory.used_bytes = 0;
  memory.waiting.at_common = 0;
  memory.waiting.code = Resident::Waiting::kNoCode;
  memory.waiting.where.clear();
  const runtime::Grid& grid = *group.grid;
  const auto number = static_cast<std::uint32_t>(grid.number_of(group.id));
  memory.invocations.first = static_cast<AgentId>(dispatch_.first_agent + number * grid.group_size);
  memory.invocations.count = grid.group_size;
  memory.invocations.place.workgroup = first_workgroup_ + number;
  memory.invocations.subgroups = subgroups_;
  memory.arguments = bindings.data();
  memory.first = memory.invocations.first;
  group.observed = static_cast<Resident*>(&memory);
  if (!knows_agents_) return;
  try {
    knows_agents_->begin(memory.invocations);
  } catch (...) {
    did_not_begin(memory);
    throw;
  }
}

// A listener had no memory to hear that the workgroup begins: no listener is to hear of its end.
[[gnu::cold, gnu::noinline]] void Emulator::did_not_begin(WorkgroupMemory& memory) {
  memory.invocations.count = 0;
  const auto locked = lock();
  give_back(memory);
}

[[gnu::hot]] void Emulator::workgroup_begins(runtime::Workgroup& group) {
  if (device.parallel) return parallel_workgroup_begins(group);
  // Last, and before anything else, so that nothing needs to be kept for afterwards.
  if (!free_memory_) [[unlikely]]
    return workgroup_begins_in_new_memory(group);
  begin(take_memory(), group);
}

void Emulator::workgroup_begins_in_new_memory(runtime::Workgroup& group) {
  make_memory(device.new_allocation_id());
  begin(take_memory(), group);
}

void Emulator::parallel_workgroup_begins(runtime::Workgroup& group) {
  WorkgroupMemory& memory = [&]() -> WorkgroupMemory& {
    auto locked = lock();
    if (!free_memory_) {
      // A thread that renews an allocation locks those of the device, then the races that were found, and these ask
      // here for names. So this lock is never held where those of the device are locked.
      locked.unlock();
      const AllocationId id = device.new_allocation_id();
      locked.lock();
      make_memory(id);
    }
    return take_memory();
  }();
  try {
    device.parallel->add_workgroup(memory.allocation.id, {group.memory, group.memory_bytes});
  } catch (...) {
    did_not_begin(memory);
    throw;
  }
  // Each thread has a pulse of its own here; elsewhere there is one pulse for all.
  memory.pulse = &device.parallel->pulse();
  begin(memory, group);
}

inline void Emulator::end(WorkgroupMemory& memory) {
  // Also if memory runs out meanwhile none of them ends twice.
  memory::Cohort ends = memory.invocations;
  memory.invocations.count = 0;
  if (knows_agents_) knows_agents_->end(ends);
  if (!memory.variables.empty() || device.parallel) forget_variables(memory);
}

[[gnu::hot]] void Emulator::workgroup_ends(runtime::Workgroup& group) {
  if (device.parallel) return parallel_workgroup_ends(group);
  // Invocations that do little, one workgroup after another, never access the same places so often.
  if (looks_for_standstill_) [[unlikely]]
    (void)is_standstill(detail::Standstill::Verdict::SomethingGoesOn);
  WorkgroupMemory& memory = memory_of(group);
  end(memory);
  give_back(memory);
}

void Emulator::parallel_workgroup_ends(runtime::Workgroup& group) {
  WorkgroupMemory& memory = memory_of(group);
  end(memory);
  const auto locked = lock();
  give_back(memory);
}

void Emulator::invocations_meet(runtime::Workgroup& group, std::span<const std::uint32_t> indices) {
  meet(memory_of(group), indices);
}

void Emulator::meet(WorkgroupMemory& memory, std::span<const std::uint32_t> indices) {
  Resident::Waiting& waiting = memory.waiting;
  // Either all invocations that meet at one place are at a barrier, or none is.
  if (waiting.at(indices.front()) == Resident::Waiting::Nowhere) return;
  const std::uint64_t instance = next_barrier_instance_.fetch_add(1, std::memory_order_relaxed);
  if (waiting.at_common == memory.invocations.count && indices.size() == waiting.at_common) {
    waiting.common.barrier_instance = instance;
    device.memory->meet(memory.invocations, waiting.common);
    waiting.at_common = 0;
    std::fill(waiting.where.begin(), waiting.where.end(), Resident::Waiting::Nowhere);
    return;
  }
  const auto at = [&](std::uint32_t i) {
    return waiting.where[i] == Resident::Waiting::AtCommon ? waiting.common : waiting.other[i];
  };
  // Who has ended meets the others where they wait.
  const auto barrier_of = [&, first = at(indices.front())](std::uint32_t index) {
    Operation barrier = waiting.at(index) == Resident::Waiting::Nowhere ? first : at(index);
    barrier.agent = memory.invocations.agent(index);
    barrier.barrier_instance = instance;
    return barrier;
  };
  for (const std::uint32_t index : indices) device.memory->arrive(barrier_of(index));
  for (const std::uint32_t index : indices) {
    device.memory->leave(barrier_of(index), {});
    if (waiting.where[index] == Resident::Waiting::AtCommon) --waiting.at_common;
    waiting.where[index] = Resident::Waiting::Nowhere;
  }
}

[[gnu::hot]] void wind_up(Emulator& emulator) {
  if (emulator.device.parallel) {
    emulator.device.parallel->wind_up();
  } else {
    emulator.wind_up();
  }
}

namespace {

/// Some bytes of a piece, `at` bytes behind the begin of the access, were read as they were before anybody wrote them.
[[gnu::cold, gnu::noinline]] void check_stale(const Agent& agent, const Access& access, trace::Value missing,
                                              std::uint64_t at) {
  for (; missing != 0; missing >>= 8, ++at)
    if ((missing & 0xff) != 0 && (!access.value_bytes || access.value_bytes[at] != 0))
      return complain_of_stale(agent, access, at);
}

[[gnu::cold, gnu::noinline]] void follow_write(Emulator& emulator, const Agent& agent, const Access& access,
                                               const void* value) {
  const std::uint64_t number = Following::hashed(value, access.size_bytes(), access.value_bytes);
  if (access.operation.atomic) {
    emulator.following().atomic(agent, access, number);
  } else {
    emulator.following().write(agent, access, number);
  }
}

/// What an update did, while it is asked whether anything goes on: it does if the update changes what is there, or what
/// undefined values decide.
struct WatchedUpdate {
  Modify modify;
  void* context;
  std::uint32_t size_bytes;
  bool changed = false;
  std::uint64_t number = 0;

  static bool look(void* of, const void* old, void* fresh) {
    auto& self = *static_cast<WatchedUpdate*>(of);
    const bool writes = self.modify(self.context, old, fresh);
    self.changed = writes && std::memcmp(old, fresh, self.size_bytes) != 0;
    self.number = Following::hashed(old, self.size_bytes, nullptr);
    if (writes) self.number = Following::hashed(fresh, self.size_bytes, nullptr, self.number);
    return writes;
  }
};

/// What is to be said of an access of a kernel in its course (run/course.h).
struct KernelAccess {
  Emulator& emulator;
  const Agent& agent;
  const Access& access;
  /// Null unless it is an update at which somebody looks.
  const WatchedUpdate* watched = nullptr;

  [[gnu::always_inline]] void before_read() const {
    check_initialized(agent, access);
    if (emulator.stands_still_reading(agent, access, access.operation.atomic)) [[unlikely]]
      complain_of_standstill(emulator, agent, access);
    if (emulator.follows_undefined && !access.operation.atomic) [[unlikely]]
      emulator.following().read(agent, access);
  }
  [[gnu::always_inline]] void after_read(const void* value) const {
    if (emulator.follows_undefined && access.operation.atomic) [[unlikely]]
      emulator.following().atomic(agent, access, Following::hashed(value, access.size_bytes(), access.value_bytes));
  }
  [[gnu::always_inline]] void before_write(const void* value) const {
    if (emulator.looks_for_standstill()) [[unlikely]]
      look_at_write(Following::hashed(value, access.size_bytes(), access.value_bytes));
    if (emulator.follows_undefined) [[unlikely]]
      follow_write(emulator, agent, access, value);
  }
  [[gnu::always_inline]] void after_write() const { mark_initialized(emulator, access); }
  [[gnu::always_inline]] void before_update() const { check_initialized(agent, access); }
  [[gnu::always_inline]] void after_update() const {
    if (watched) look_at_update();
  }
  void shown_unwritten(trace::Value missing, std::uint64_t at) const { check_stale(agent, access, missing, at); }

 private:
  [[gnu::cold, gnu::noinline]] void look_at_update() const {
    if (emulator.follows_undefined) emulator.following().atomic(agent, access, watched->number);
    if (watched->changed) return look_at_write(watched->number);
    if (emulator.stands_still_reading(agent, access, true)) complain_of_standstill(emulator, agent, access);
  }
  [[gnu::cold, gnu::noinline]] void look_at_write(std::uint64_t number) const {
    if (emulator.stands_still_writing(agent, access, number)) complain_of_standstill(emulator, agent, access);
  }
};

[[gnu::always_inline]] inline void do_read(Emulator& emulator, const Agent& agent, const Access& access, void* value) {
  check(agent, access);
  run::read(*emulator.device.memory, access.operation, value, KernelAccess{emulator, agent, access});
}

[[gnu::always_inline]] inline void do_write(Emulator& emulator, const Agent& agent, const Access& access,
                                            const void* value) {
  check(agent, access);
  run::write(*emulator.device.memory, access.operation, value, KernelAccess{emulator, agent, access});
}

}  // namespace

void read_as_it_is(Emulator& emulator, const Agent& agent, const Access& access, void* value) {
  do_read(emulator, agent, access, value);
}
[[gnu::hot]] void read(Emulator& emulator, const Agent& agent, const Access& access, void* value) {
  if (emulator.edits) [[unlikely]]
    return read_edited(emulator, agent, access, value);
  do_read(emulator, agent, access, value);
}

void write_as_it_is(Emulator& emulator, const Agent& agent, const Access& access, const void* value) {
  do_write(emulator, agent, access, value);
}
[[gnu::hot]] void write(Emulator& emulator, const Agent& agent, const Access& access, const void* value) {
  if (emulator.edits) [[unlikely]]
    return write_edited(emulator, agent, access, value);
  do_write(emulator, agent, access, value);
}

namespace {

[[gnu::noinline]] void update_and_look(Emulator& emulator, const Agent& agent, const Access& access,
                                       MemorySemantics unequal, Modify modify, void* context) {
  WatchedUpdate watched{modify, context, access.size_bytes()};
  run::update(*emulator.device.memory, access.operation, unequal, WatchedUpdate::look, &watched,
              KernelAccess{emulator, agent, access, &watched});
}

[[gnu::always_inline]] inline void do_update(Emulator& emulator, const Agent& agent, const Access& access,
                                             MemorySemantics unequal, Modify modify, void* context) {
  check(agent, access);
  if (emulator.looks_for_standstill() || emulator.follows_undefined) [[unlikely]]
    return update_and_look(emulator, agent, access, unequal, modify, context);
  run::update(*emulator.device.memory, access.operation, unequal, modify, context,
              KernelAccess{emulator, agent, access});
}

}  // namespace

void update_as_it_is(Emulator& emulator, const Agent& agent, const Access& access, MemorySemantics unequal,
                     Modify modify, void* context) {
  do_update(emulator, agent, access, unequal, modify, context);
}
void atomic_update(Emulator& emulator, const Agent& agent, const Access& access, MemorySemantics unequal, Modify modify,
                   void* context) {
  if (emulator.edits) [[unlikely]]
    return update_edited(emulator, agent, access, unequal, modify, context);
  do_update(emulator, agent, access, unequal, modify, context);
}

void memory_barrier_as_it_is(Emulator& emulator, const Operation& barrier) {
  emulator.device.memory->barrier(barrier);
}

void memory_barrier(Emulator& emulator, const Agent& agent, Scope scope, MemorySemantics semantics,
                    SourceLocation where) {
  Operation operation;
  operation.kind = OperationKind::MemoryBarrier;
  operation.agent = agent.id;
  operation.scope = scope;
  operation.semantics = semantics;
  operation.tags = agent.tags;
  operation.where = where;
  if (emulator.edits) [[unlikely]]
    return memory_barrier_edited(emulator, agent, operation);
  emulator.device.memory->barrier(operation);
}

void arrive_with_record(const Agent& agent, Scope execution, Scope memory, MemorySemantics semantics, const char* file,
                        const char* function, std::uint32_t line) {
  Resident::Waiting& waiting = agent.resident->waiting;
  Operation barrier = barrier_record(execution, memory, semantics, {file, function, line});
  barrier.tags = agent.tags;
  if (waiting.where.empty()) waiting.where.assign(memory_of(agent).invocations.count, Resident::Waiting::Nowhere);
  if (waiting.at_common == 0) {
    waiting.common = barrier;
    const bool may_be_common = agent.tags == TagSetId::Empty && !agent.resident->emulator->edits;
    waiting.code =
        may_be_common ? Resident::Waiting::code_of(execution, memory, semantics, line) : Resident::Waiting::kNoCode;
    waiting.arrive_at_common(agent.index);
    return;
  }
  // Tags take barriers this way, too.
  if (is_same_barrier(waiting.common, barrier)) return waiting.arrive_at_common(agent.index);
  waiting.other.resize(waiting.where.size());
  waiting.other[agent.index] = barrier;
  waiting.where[agent.index] = Resident::Waiting::AtOther;
}

bool arrive_or_edit(const Agent& agent, Scope execution, Scope memory, MemorySemantics semantics, const char* file,
                    const char* function, std::uint32_t line) {
  Emulator& emulator = *agent.resident->emulator;
  if (!emulator.edits) [[likely]] {
    arrive_with_record(agent, execution, memory, semantics, file, function, line);
    return false;
  }
  Operation barrier = barrier_record(execution, memory, semantics, {file, function, line});
  agent.sign(barrier);
  control_barrier_edited(emulator, agent, barrier);
  return true;
}

void leave(Emulator& emulator, const Agent& agent) {
  // An invocation that is alone in its scope instance does not wait.
  if (agent.resident->waiting.at(agent.index) != Resident::Waiting::Nowhere)
    emulator.meet(memory_of(agent), {&agent.index, 1});
}

namespace {

class ByEmulator final : public run::RecordedAccesses {
  using RecordedAccesses::read;
  using RecordedAccesses::update;
  using RecordedAccesses::write;

  void read(const Agent& agent, const Access& access, void* value) override {
    emulation::read(*agent.resident->emulator, agent, access, value);
  }
  void write(const Agent& agent, const Access& access, const void* value) override {
    emulation::write(*agent.resident->emulator, agent, access, value);
  }
  void update(const Agent& agent, const Access& access, MemorySemantics unequal, Modify modify,
              void* context) override {
    atomic_update(*agent.resident->emulator, agent, access, unequal, modify, context);
  }
};

}  // namespace

run::RecordedAccesses& recorded_accesses() {
  static ByEmulator of_all;
  return of_all;
}

}  // namespace heddle::emulation
