#include "emulator/watch/parallel_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "emulator/run/recorded_accesses.h"

namespace heddle::watch {
namespace {

// So many operations after which another invocation gets to run: one that waits for another one of its
// workgroup without polling an atomic lets it come.
constexpr std::uint32_t kOperationsOfSlice = 1 << 16;

// So many accesses are remembered for reports, for each stripe and for the Workgroup memory of each resident
// workgroup, 40 bytes each: 1.3 MiB for all stripes together, which stay in a processor's second cache. Of a workgroup
// most are to words, which take 16 bytes each: its first cache has room for other things beside these.
constexpr std::size_t kRecentOfStripe = 128;
constexpr std::size_t kRecentOfWorkgroup = 256;
constexpr std::size_t kRecentWordsOfWorkgroup = 1024;

}  // namespace

thread_local ParallelMemory::Thread* ParallelMemory::t_here = nullptr;
thread_local std::uint64_t ParallelMemory::t_memory = 0;

ParallelMemory::Stripe::Stripe(const race::KernelOrder::Shared& order)
    : known(race::History(order, kStripeBits), kRecentOfStripe) {}

ParallelMemory::ParallelMemory(RaceSink& sink, run::RecordedAccesses& recorded, bool tags)
    : sink_(sink),
      recorded_(recorded),
      number_([] {
        static std::atomic<std::uint64_t> made{0};
        return ++made;
      }()),
      detector_(race::KernelOptions{.one_class_each = true}, tags) {
  if (tags) listen_to_tags();
  for (std::uint32_t i = 0; i < 1u << kStripeBits; ++i) stripes_.push_back(std::make_unique<Stripe>(detector_.order()));
}

ParallelMemory::~ParallelMemory() = default;

// They are found while a thread tells, which is this one.
void ParallelMemory::listen_to_tags() {
  race::ParallelTags& tags = *detector_.tags();
  tags.found().on_race([this, &tags](const race::KernelRace& race) { sink_.race(tags.found(), race, t_here->now); });
  tags.found().on_race_again(
      [this, &tags](std::size_t race, AgentId first) { sink_.race_again(tags.found(), race, first, t_here->now); });
  tags.on_too_many_sets([this] { sink_.overlooked(race::TaggedDetector::text_of_too_many_sets()); });
}

ParallelMemory::Thread& ParallelMemory::make_thread() {
  auto made = std::make_unique<Thread>(*this, detector_.add_thread());
  Thread& thread = *made;
  race::KernelDetector& detector = thread.detector.detector();
  detector.on_race(
      [this, &thread, &detector](const race::KernelRace& race) { sink_.race(detector, race, thread.now); });
  detector.on_race_again([this, &thread, &detector](std::size_t race, AgentId first) {
    sink_.race_again(detector, race, first, thread.now);
  });
  detector.on_overlooked([this](const std::string& what) { sink_.overlooked(what); });
  // What a listener is told needs records, and so do tags.
  thread.pulse = {kOperationsOfSlice, false, &thread};
  if (records_all_ || listener_ || detector_.tags()) thread.pulse.told = &recorded_;
  return *(threads_[std::this_thread::get_id()] = std::move(made));
}

// A dispatch has what it uses before it begins, so it is enough to look for new buffers now and then.
ParallelMemory::Thread& ParallelMemory::begin_here() {
  const std::lock_guard lock(mutex_);
  const auto known = threads_.find(std::this_thread::get_id());
  Thread& thread = known == threads_.end() ? make_thread() : *known->second;
  if (thread.version != version_) {
    thread.storage_of = storage_;
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
    made.known =
        std::make_unique<Known>(race::History::side_by_side(detector_.order(), storage.size() / race::kWordBytes),
                                kRecentOfWorkgroup, kRecentWordsOfWorkgroup);
  } else {
    made.known = std::move(thread.spare.back());
    thread.spare.pop_back();
  }
  thread.residents.push_back(std::move(made));
  thread.find_last();
}

emulation::Pulse& ParallelMemory::pulse() {
  return t_here->pulse;
}

void ParallelMemory::wind_up() {
  t_here->pulse.operations_left = kOperationsOfSlice;
}

void ParallelMemory::begin(const memory::Cohort& cohort) {
  t_here->residents.back().first = cohort.first;
  try {
    t_here->detector.agents_begin(cohort.first, cohort.count, cohort.place, cohort.subgroups);
  } catch (const std::bad_alloc&) {
    t_here->residents.pop_back();
    t_here->find_last();
    throw;
  }
  if (!listener_) return;
  const std::lock_guard lock(telling_);
  listener_->agents_begin(cohort.first, cohort.count, cohort.place, cohort.subgroups);
}

// Agents of a dispatch that failed are ended by the thread that waited for it.
void ParallelMemory::end(const memory::Cohort& cohort) {
  const auto end_in = [&](Thread& thread) {
    const auto found = std::find_if(thread.residents.begin(), thread.residents.end(),
                                    [&](const Resident& r) { return r.first == cohort.first; });
    if (found == thread.residents.end()) return false;
    // What may throw comes first.
    thread.spare.reserve(thread.spare.size() + 1);
    thread.detector.agents_end(cohort.first, cohort.count, found->known->history);
    if (detector_.tags()) detector_.tags()->forget(found->allocation);
    found->known->forget();
    thread.spare.push_back(std::move(found->known));
    thread.residents.erase(found);
    thread.find_last();
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
  for (const auto& stripe : stripes_) stripe->known.forget();
  sink_.forget();
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

ParallelMemory::Resident& ParallelMemory::Thread::find_resident(AllocationId allocation) {
  return *std::find_if(residents.begin(), residents.end(),
                       [&](const Resident& r) { return r.allocation == allocation; });
}

void ParallelMemory::Thread::find_last() {
  last_allocation = residents.empty() ? AllocationId{} : residents.back().allocation;
  last_known = residents.empty() ? nullptr : residents.back().known.get();
  close_all();
}

// The agent has just accessed the variable in another way, so that something is known of its allocation.
void ParallelMemory::Thread::open(const Binding& binding, AgentId agent) {
  const AllocationId allocation = binding.allocation->id;
  Known& known = known_of(allocation);
  const race::Shadow::Allocation* const told = known.history.find(allocation);
  if (!detector.detector().is_quick() || !told || !told->is_known()) return;
  const std::uint8_t number = told->number(binding.reference);
  const std::uint64_t before = binding.offset_bytes / race::kWordBytes;
  if (number == race::kMostReferences || binding.offset_bytes % race::kWordBytes != 0 || !is_whole(binding)) return;
  const std::span<race::Cell> cells = told->cells_from(before);
  if (cells.empty()) return;
  Variable& opened = variable(binding.reference);
  opened.close();
  binding.open = &opened;
  opened.binding = &binding;
  opened.size_bytes = std::min<std::uint64_t>(binding.size_bytes / race::kWordBytes, cells.size()) * race::kWordBytes;
  opened.offset_bytes = binding.offset_bytes;
  opened.cells = cells.data();
  opened.bytes = storage(binding, locations(binding, std::uint64_t{0}));
  opened.known = &known;
  opened.interval = detector.detector().interval(agent, number);
  opened.of = this;
}

inline ParallelMemory::Known& ParallelMemory::Thread::known_of(AllocationId allocation) {
  return last_allocation == allocation ? *last_known : *find_resident(allocation).known;
}

// Each of 256 lines that follow each other has a stripe of its own, in an order that is another one for the next
// 256: threads that walk through a buffer at some distance would meet at every line otherwise.
inline ParallelMemory::Stripe& ParallelMemory::stripe(const Locations& bytes) {
  const std::uint64_t line = bytes.offset_bytes / race::History::kLineBytes;
  const std::uint64_t order = ((line >> kStripeBits) * 0x9e3779b97f4a7c15u +
                               static_cast<std::uint64_t>(bytes.allocation) * 0xc2b2ae3d27d4eb4fu) >>
                              (64 - kStripeBits);
  return *stripes_[(line ^ order) & ((1u << kStripeBits) - 1)];
}

inline void ParallelMemory::tell(Thread& thread, Known& known, const Operation& operation,
                                 const advice::AccessValues& values) {
  thread.now = {&operation, values, &known.recent};
  thread.detector.access(operation, known.history);
  thread.close_over();
  const race::SiteId site = thread.detector.detector().site_of(operation);
  if (operation.atomic) {
    known.recent.note(operation.agent, site, operation.locations, values);
  } else {
    const bool writes = operation.writes();
    known.recent.note_plain(operation.agent, site, operation.locations, writes, writes ? values.written : values.read);
  }
  if (listener_) [[unlikely]]
    tell_listener(operation, values);
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
        [&](const Operation& told, const advice::AccessValues& values) { tell(thread, known, told, values); });
  };
  if (operation.storage_class == StorageClass::Workgroup) {
    Resident& own = thread.find_resident(bytes.allocation);
    // A read of what has gaps has just noted them.
    thread.close_if_gapped(operation.reference);
    return act_on(own.bytes, *own.known);
  }
  Stripe& shared = stripe(bytes);
  const std::lock_guard lock(shared.lock);
  act_on(thread.storage_of[static_cast<std::size_t>(bytes.allocation)], shared.known);
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

[[gnu::always_inline]] inline std::uint32_t ParallelMemory::Thread::read_from(Known& known, AgentId agent,
                                                                              const std::byte* here,
                                                                              const Locations& bytes,
                                                                              race::SiteId site) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, here, bytes.size_bytes);
  known.recent.note(agent, site, bytes, {bits, 0});
  return bits;
}

[[gnu::always_inline]] inline void ParallelMemory::Thread::write_to(Known& known, AgentId agent, std::byte* here,
                                                                    const Locations& bytes, race::SiteId site,
                                                                    std::uint32_t bits) {
  std::memcpy(here, &bits, bytes.size_bytes);
  known.recent.note(agent, site, bytes, {0, bits});
}

std::uint32_t ParallelMemory::Thread::read_buffer(const Agent& agent, const Binding& binding,
                                                  std::uint64_t offset_bytes, race::SiteId site) {
  const Locations bytes = locations(binding, offset_bytes);
  {
    Stripe& shared = memory.stripe(bytes);
    const std::lock_guard lock(shared.lock);
    if (is_sound(binding, offset_bytes) && is_whole(binding) &&
        detector.answers_word<false>(agent.id, binding.reference, bytes, site, shared.known.history,
                                     may_be_first<OperationKind::Read>(binding, offset_bytes))) [[likely]]
      return read_from(shared.known, agent.id, storage(binding, bytes), bytes, site);
  }
  return read_granule(agent, binding, offset_bytes, site);
}

void ParallelMemory::Thread::write_buffer(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                          race::SiteId site, std::uint32_t bits) {
  const Locations bytes = locations(binding, offset_bytes);
  bool done = false;
  {
    Stripe& shared = memory.stripe(bytes);
    const std::lock_guard lock(shared.lock);
    done = is_sound(binding, offset_bytes) &&
           detector.answers_word<true>(agent.id, binding.reference, bytes, site, shared.known.history,
                                       may_be_first<OperationKind::Write>(binding, offset_bytes));
    if (done) [[likely]]
      write_to(shared.known, agent.id, storage(binding, bytes), bytes, site, bits);
  }
  if (!done) [[unlikely]]
    return write_granule(agent, binding, offset_bytes, site, bits);
  binding.allocation->initialized.mark_at_once(bytes.offset_bytes, kMostBytes);
}

/// Calls act(known) with what is known of these bytes, while no other thread can look at them.
template <typename Act>
bool ParallelMemory::Thread::with_known(AgentId agent, const Binding& binding, const Locations& bytes, Act act) {
  if (binding.storage_class == StorageClass::Workgroup) {
    const bool done = act(known_of(bytes.allocation));
    // For the next one to be quick.
    const Variable* const own = opened(binding);
    if (done && !(own && own->has(granule_in(binding, bytes)))) open(binding, agent);
    return done;
  }
  Stripe& shared = memory.stripe(bytes);
  const std::lock_guard lock(shared.lock);
  return act(shared.known);
}

std::uint32_t ParallelMemory::Thread::read_at(const Agent& agent, const Binding& binding, const Locations& bytes,
                                              race::SiteId site) {
  std::uint32_t bits = 0;
  const bool done = with_known(agent.id, binding, bytes, [&](Known& known) {
    if (!detector.answers_plain(false, agent.id, binding.reference, bytes, site, known.history)) return false;
    bits = static_cast<std::uint32_t>(memory::load_value(storage(binding, bytes), bytes.size_bytes));
    known.recent.note_plain(agent.id, site, bytes, false, bits);
    return true;
  });
  if (!done) memory.read(record(agent, binding, bytes, site), &bits);
  return bits;
}

void ParallelMemory::Thread::write_at(const Agent& agent, const Binding& binding, const Locations& bytes,
                                      race::SiteId site, std::uint32_t bits) {
  const bool done = with_known(agent.id, binding, bytes, [&](Known& known) {
    if (!detector.answers_plain(true, agent.id, binding.reference, bytes, site, known.history)) return false;
    memory::store_value(storage(binding, bytes), bits, bytes.size_bytes);
    known.recent.note_plain(agent.id, site, bytes, true, bits);
    return true;
  });
  if (!done) memory.write(record(agent, binding, bytes, site), &bits);
  binding.allocation->initialized.mark_at_once(bytes.offset_bytes, bytes.size_bytes);
}

std::uint32_t ParallelMemory::Thread::calculate(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                                InstructionCode code, const char* file, const char* function,
                                                emulation::Calculation what) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  if (site == race::kNoSite || !emulation::is_initialized(binding, offset_bytes, kMostBytes)) [[unlikely]]
    return calculate_newly(agent, binding, offset_bytes, code, file, function, what);
  const Locations bytes = locations(binding, offset_bytes);
  std::byte* const at = storage(binding, bytes);
  std::uint32_t old = 0;
  const bool done = with_known(agent.id, binding, bytes, [&](Known& known) {
    if (!detector.answers_atomic(agent.id, binding.reference, bytes, site, known.history)) return false;
    std::memcpy(&old, at, sizeof old);
    const std::uint32_t fresh = what.of(old);
    std::memcpy(at, &fresh, sizeof fresh);
    known.recent.note(agent.id, site, bytes, {old, fresh});
    return true;
  });
  return done ? old : calculate_newly(agent, binding, offset_bytes, code, file, function, what);
}

void ParallelMemory::Thread::update(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                    InstructionCode code, const char* file, const char* function,
                                    MemorySemantics unequal, emulation::Modify modify, void* context) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  const Locations bytes = locations(binding, offset_bytes);
  std::byte* const at = storage(binding, bytes);
  const auto act = [&](Known& known) {
    advice::AccessValues values;
    if (!update_granule(at, modify, context, values) ||
        !detector.answers_atomic(agent.id, binding.reference, bytes, site, known.history))
      return false;
    memory::store_value(at, values.written, race::kWordBytes);
    known.recent.note(agent.id, site, bytes, values);
    return true;
  };
  if (site == race::kNoSite || !emulation::is_initialized(binding, offset_bytes, kMostBytes) ||
      !with_known(agent.id, binding, bytes, act)) [[unlikely]]
    update_newly(agent, binding, offset_bytes, code, file, function, unequal, modify, context);
}

void ParallelMemory::read_modify_write(const Operation& operation, MemorySemantics unequal, memory::Modify modify,
                                       void* context) {
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
  t_here->detector.barrier(operation);
  t_here->close_over();
  if (listener_) tell_listener(operation, {});
}

// Agents that meet arrive one after the other, and then leave: they are told when the first one leaves.
void ParallelMemory::arrive(const Operation& operation) {
  t_here->arrivals.push_back(operation);
}

void ParallelMemory::leave(const Operation&, std::span<const AgentId>) {
  std::vector<Operation>& arrivals = t_here->arrivals;
  if (arrivals.empty()) return;
  t_here->detector.meet(arrivals);
  t_here->close_over();
  if (listener_) tell_meeting(arrivals);
  arrivals.clear();
}

void ParallelMemory::meet(const memory::Cohort& cohort, const Operation& barrier) {
  t_here->detector.meet(cohort.first, cohort.count, barrier);
  t_here->close_over();
  if (!listener_) return;
  std::vector<Operation> arrivals;
  memory::for_each_agent(cohort, barrier, [&](const Operation& of_one) { arrivals.push_back(of_one); });
  tell_meeting(arrivals);
}

}  // namespace heddle::watch
