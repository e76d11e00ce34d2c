#include "emulator/host/parallel_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace heddle::detail {
namespace {

// So many operations after which another invocation gets to run: whoever waits for another one of its
// workgroup without polling an atomic lets it come.
constexpr std::uint32_t kOperationsOfSlice = 1 << 16;

// Of each stripe, and of the Workgroup memory of each resident workgroup, so many accesses are remembered for
// reports, 40 bytes each: 1.3 MiB for all stripes together, which stay in a processor's second cache.
constexpr std::size_t kRecentOfStripe = 128;
constexpr std::size_t kRecentOfWorkgroup = 4096;

}  // namespace

thread_local ParallelMemory::Thread* ParallelMemory::t_here = nullptr;
thread_local std::uint64_t ParallelMemory::t_memory = 0;

ParallelMemory::Stripe::Stripe(const race::KernelOrder::Shared& order)
    : known(race::History(order, kStripeBits), kRecentOfStripe) {}

ParallelMemory::ParallelMemory(RaceSink& sink)
    : sink_(sink), number_([] {
        static std::atomic<std::uint64_t> made{0};
        return ++made;
      }()) {
  for (std::uint32_t i = 0; i < 1u << kStripeBits; ++i) stripes_.emplace_back(detector_.order());
}

ParallelMemory::~ParallelMemory() = default;

ParallelMemory::Thread& ParallelMemory::make_thread() {
  auto made = std::make_unique<Thread>();
  Thread& thread = *made;
  thread.detector = &detector_.add_thread();
  race::KernelDetector& detector = thread.detector->detector();
  detector.on_race([this, &thread, &detector](const race::KernelRace& race) {
    sink_.race(detector, race, thread.now);
  });
  detector.on_race_again([this, &thread, &detector](std::size_t race, AgentId first) {
    sink_.race_again(detector, race, first, thread.now);
  });
  thread.pulse = {kOperationsOfSlice, true, false, this};
  return *(threads_[std::this_thread::get_id()] = std::move(made));
}

// A dispatch has what it uses before it begins, so it is enough to look for new buffers now and then.
ParallelMemory::Thread& ParallelMemory::begin_here() {
  const std::lock_guard lock(mutex_);
  const auto known = threads_.find(std::this_thread::get_id());
  Thread& thread = known == threads_.end() ? make_thread() : *known->second;
  if (thread.version != version_) {
    thread.storage = storage_;
    thread.version = version_;
  }
  t_here = &thread;
  t_memory = number_;
  return thread;
}

void ParallelMemory::add_workgroup(AllocationId allocation, std::span<std::byte> storage) {
  Thread& thread = begin_here();
  Resident made;
  made.allocation = allocation;
  made.bytes = storage.data();
  if (thread.spare.empty()) {
    made.known = std::make_unique<Known>(race::History(detector_.order()), kRecentOfWorkgroup);
  } else {
    made.known = std::move(thread.spare.back());
    thread.spare.pop_back();
  }
  thread.residents.push_back(std::move(made));
}

emulation::Pulse& ParallelMemory::pulse() { return t_here->pulse; }

void ParallelMemory::wind_up() { t_here->pulse.operations_left = kOperationsOfSlice; }

void ParallelMemory::begin(const memory::Cohort& cohort) {
  t_here->residents.back().first = cohort.first;
  for (std::uint32_t i = 0; i < cohort.count; ++i)
    t_here->detector->agent_begins(cohort.agent(i), cohort.place_of(i));
  if (!listener_) return;
  const std::lock_guard lock(telling_);
  for (std::uint32_t i = 0; i < cohort.count; ++i)
    listener_->agent_begins(cohort.agent(i), cohort.place_of(i));
}

// Those of a dispatch that failed are ended by the thread that waited for it.
void ParallelMemory::end(const memory::Cohort& cohort) {
  const auto end_in = [&](Thread& thread) {
    const auto found = std::find_if(thread.residents.begin(), thread.residents.end(),
                                    [&](const Resident& r) { return r.first == cohort.first; });
    if (found == thread.residents.end()) return false;
    for (std::uint32_t i = 0; i < cohort.count; ++i)
      thread.detector->agent_ends(cohort.agent(i), found->known->history);
    found->known->forget();
    thread.spare.push_back(std::move(found->known));
    thread.residents.erase(found);
    thread.arrivals.clear();
    return true;
  };
  if (t_memory == number_ && end_in(*t_here)) return;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, thread] : threads_)
    if (end_in(*thread)) return;
}

void ParallelMemory::depend(memory::Dependency dependency) {
  const bool memory = dependency == memory::Dependency::Memory;
  detector_.dependency(memory);
  if (!memory) return;
  for (Stripe& stripe : stripes_) stripe.known.forget();
}

void ParallelMemory::add(AllocationId allocation, std::span<std::byte> storage) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(allocation);
  if (storage_.size() <= index) storage_.resize(index + 1);
  storage_[index] = storage.data();
  ++version_;
}

// Workgroup memory is not here.
void ParallelMemory::remove(AllocationId allocation) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(allocation);
  if (index < storage_.size()) storage_[index] = nullptr;
}

ParallelMemory::Resident& ParallelMemory::find_resident(Thread& thread, AllocationId allocation) {
  return *std::find_if(thread.residents.begin(), thread.residents.end(),
                       [&](const Resident& r) { return r.allocation == allocation; });
}

// Mostly that of the workgroup that began last.
inline ParallelMemory::Resident& ParallelMemory::resident(Thread& thread, AllocationId allocation) {
  Resident& last = thread.residents.back();
  return last.allocation == allocation ? last : find_resident(thread, allocation);
}

// Of 256 lines that follow each other each has a stripe of its own, in an order that is another one for the next
// 256: threads that walk through a buffer at some distance would meet at every line otherwise.
ParallelMemory::Stripe& ParallelMemory::stripe(const Locations& bytes) {
  const std::uint64_t line = bytes.offset_bytes / race::History::kLineBytes;
  const std::uint64_t order = ((line >> kStripeBits) * 0x9e3779b97f4a7c15u +
                               static_cast<std::uint64_t>(bytes.allocation) * 0xc2b2ae3d27d4eb4fu) >>
                              (64 - kStripeBits);
  return stripes_[(line ^ order) & ((1u << kStripeBits) - 1)];
}

inline void ParallelMemory::tell(Thread& thread, Known& known, const Operation& operation,
                                 const advice::AccessValues& values) {
  thread.now = {&operation, values, &known.recent};
  thread.detector->access(operation, known.history);
  known.recent.note(operation.agent, thread.detector->detector().site_of(operation),
                    operation.locations, values);
  if (listener_) [[unlikely]] tell_listener(operation, values);
}

void ParallelMemory::tell_listener(const Operation& operation, const advice::AccessValues& values) {
  const std::lock_guard lock(telling_);
  const model::OperationIndex index = told_++;
  listener_->operation(index, operation, values.read, values.written, {});
  if (operation.atomic && operation.writes()) listener_->placed(index);
}

void ParallelMemory::tell_meeting(std::span<const Operation> arrivals) {
  const std::lock_guard lock(telling_);
  const model::OperationIndex first = told_;
  for (const Operation& arrival : arrivals) listener_->operation(told_++, arrival, 0, 0, {});
  for (model::OperationIndex index = first; index != told_; ++index) listener_->passes(index, {});
}

/// Calls act(bytes, tell), which changes the bytes and tells of it, before anybody else can look at them.
template <typename Act>
void ParallelMemory::with_bytes(const Operation& operation, Act act) {
  Thread& thread = *t_here;
  const Locations& bytes = operation.locations;
  const auto act_on = [&](std::byte* storage, Known& known) {
    act(storage + bytes.offset_bytes,
        [&](const Operation& told, const advice::AccessValues& values) {
          tell(thread, known, told, values);
        });
  };
  if (operation.storage_class == StorageClass::Workgroup) {
    Resident& own = resident(thread, bytes.allocation);
    return act_on(own.bytes, *own.known);
  }
  Stripe& shared = stripe(bytes);
  const std::lock_guard lock(shared.lock);
  act_on(thread.storage[static_cast<std::size_t>(bytes.allocation)], shared.known);
}

void ParallelMemory::read(const Operation& operation, void* value) {
  with_bytes(operation, [&](std::byte* bytes, auto tell_of) {
    const std::uint32_t size = operation.locations.size_bytes;
    std::memcpy(value, bytes, size);
    tell_of(operation, {memory::load_value(value, size), 0});
  });
}

void ParallelMemory::write(const Operation& operation, const void* value) {
  with_bytes(operation, [&](std::byte* bytes, auto tell_of) {
    const std::uint32_t size = operation.locations.size_bytes;
    std::memcpy(bytes, value, size);
    tell_of(operation, {0, memory::load_value(value, size)});
  });
}

/// A read into `value`, or a write from there.
template <OperationKind kind>
[[gnu::always_inline]] inline bool ParallelMemory::act(Thread& thread, Known& known, AgentId agent,
                                                       const Locations& bytes, ReferenceId reference,
                                                       race::SiteId site, std::byte* storage,
                                                       void* value) {
  constexpr bool writes = kind == OperationKind::Write;
  if (!thread.detector->answers<writes>(agent, reference, bytes, site, known.history)) return false;
  known.recent.note(agent, site, bytes, move_value<writes>(storage, value, bytes.size_bytes));
  return true;
}

template <OperationKind kind>
[[gnu::always_inline]] inline bool ParallelMemory::act(AgentId agent, const emulation::PlainAccess& access,
                                                       void* value) {
  const emulation::Binding& binding = *access.binding;
  if (listener_ || access.size_bytes > race::kGranuleBytes || !emulation::is_sound(access))
    return false;
  Thread& thread = *t_here;
  const race::SiteId site = thread.sites.of(access, kind, thread.detector->detector());
  if (site == race::kNoSite) return false;
  const Locations bytes = locations(access);
  std::byte* const storage = binding.allocation->bytes + bytes.offset_bytes;
  // Nobody but this thread knows of it.
  if (binding.storage_class == StorageClass::Workgroup) {
    const bool done = act<kind>(thread, *resident(thread, bytes.allocation).known, agent, bytes,
                                binding.reference, site, storage, value);
    if (done && kind == OperationKind::Write)
      binding.allocation->initialized.mark(bytes.offset_bytes, bytes.size_bytes);
    return done;
  }
  const bool done = [&] {
    Stripe& shared = stripe(bytes);
    const std::lock_guard lock(shared.lock);
    return act<kind>(thread, shared.known, agent, bytes, binding.reference, site, storage, value);
  }();
  if (done && kind == OperationKind::Write)
    binding.allocation->initialized.mark_at_once(bytes.offset_bytes, bytes.size_bytes);
  return done;
}

bool ParallelMemory::read(AgentId agent, const emulation::PlainAccess& access,
                          const unsigned char* value_bytes, void* value) {
  return !emulation::misses_initialization(access, value_bytes) && act<OperationKind::Read>(agent, access, value);
}

bool ParallelMemory::write(AgentId agent, const emulation::PlainAccess& access, const void* value) {
  return act<OperationKind::Write>(agent, access, const_cast<void*>(value));
}

bool ParallelMemory::update(AgentId agent, const emulation::Access& access, Scope scope,
                            MemorySemantics semantics, emulation::Modify modify, void* context) {
  if (listener_ || !is_granule_to_update(access)) return false;
  const emulation::Binding& binding = *access.binding;
  Thread& thread = *t_here;
  const race::SiteId site = site_of(access, scope, semantics, thread.detector->detector());
  if (site == race::kNoSite) return false;
  const Locations bytes = locations(access);
  std::byte* const storage = binding.allocation->bytes + bytes.offset_bytes;
  const auto update_with = [&](Known& known) {
    advice::AccessValues values;
    if (!update_granule(storage, modify, context, values) ||
        !thread.detector->answers_atomic(agent, binding.reference, bytes, site, known.history))
      return false;
    memory::store_value(storage, values.written, race::kGranuleBytes);
    known.recent.note(agent, site, bytes, values);
    return true;
  };
  if (binding.storage_class == StorageClass::Workgroup)
    return update_with(*resident(thread, bytes.allocation).known);
  Stripe& shared = stripe(bytes);
  const std::lock_guard lock(shared.lock);
  return update_with(shared.known);
}

void ParallelMemory::read_modify_write(const Operation& operation, MemorySemantics unequal,
                                       memory::Modify modify, void* context) {
  with_bytes(operation, [&](std::byte* bytes, auto tell_of) {
    const std::uint32_t size = operation.locations.size_bytes;
    std::array<std::byte, 8> old;
    std::array<std::byte, 8> fresh;
    std::memcpy(old.data(), bytes, size);
    if (modify(context, old.data(), fresh.data())) {
      std::memcpy(bytes, fresh.data(), size);
      return tell_of(operation, {memory::load_value(old.data(), size), memory::load_value(fresh.data(), size)});
    }
    Operation failed = operation;
    failed.kind = OperationKind::Read;
    failed.semantics = unequal;
    tell_of(failed, {memory::load_value(old.data(), size), 0});
  });
}

void ParallelMemory::barrier(const Operation& operation) {
  t_here->detector->barrier(operation);
  if (listener_) tell_listener(operation, {});
}

// Those who meet arrive one after the other, and then leave: told when the first one leaves.
void ParallelMemory::arrive(const Operation& operation) { t_here->arrivals.push_back(operation); }

void ParallelMemory::leave(const Operation&, std::span<const AgentId>) {
  std::vector<Operation>& arrivals = t_here->arrivals;
  if (arrivals.empty()) return;
  t_here->detector->meet(arrivals);
  if (listener_) tell_meeting(arrivals);
  arrivals.clear();
}

void ParallelMemory::meet(const memory::Cohort& cohort, const Operation& barrier) {
  t_here->detector->meet(cohort.first, cohort.count, barrier);
  if (!listener_) return;
  std::vector<Operation> arrivals;
  memory::for_each_agent(cohort, barrier, [&](const Operation& of_one) { arrivals.push_back(of_one); });
  tell_meeting(arrivals);
}

}  // namespace heddle::detail
