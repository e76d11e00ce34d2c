#include "runtime/scheduler.h"

#include "runtime/fault.h"

#include <algorithm>
#include <cxxabi.h>
#include <thread>

namespace heddle::runtime {

namespace {

// A worker that only polls looks at its resident workgroups so often before it admits another one:
// enough for a neighbour on another core to publish what is waited for (a rotation costs some ten
// nanoseconds), few enough to reach a workgroup that must start for anything to go on.
constexpr std::uint64_t kRotationsBeforeAdmission = 64;

using Clock = std::chrono::steady_clock;
// A worker takes ever more workgroups at once while they do not wait: at least so many, and then as
// long as all of them together take less than this time. Long enough that taking them (some 50 ns)
// costs nothing, short enough to notice that the dispatch has failed, or that only one worker has
// work left.
constexpr std::uint64_t kFreeChunk = 64;
constexpr std::chrono::microseconds kLongChunk{100};
}  // namespace

constinit thread_local Worker* worker_of_thread = nullptr;

/// Ends a thread's worker with the thread.
struct ThreadWorker {
  ThreadWorker() { worker_of_thread = new Worker; }
  ~ThreadWorker() {
    delete worker_of_thread;
    worker_of_thread = nullptr;
  }
};

void Worker::make_for_thread() { static thread_local ThreadWorker owner; }

Worker* Worker::of_thread_if_any() noexcept { return worker_of_thread; }

Worker::Worker()
    : exceptions_(reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals())) {
  ring_.exceptions = exceptions_;
  announce_thread(home_stack_);
}

Worker::~Worker() = default;

void Dispatch::fail(Failure f) {
  const std::lock_guard lock(mutex);
  if (!failure) failure = std::make_unique<Failure>(std::move(f));
  failed.store(true, std::memory_order_release);
}

// --- a dispatch on one thread ---------------------------------------------------------------

namespace {

[[noreturn]] void throw_nested() {
  throw std::logic_error("heddle: a kernel started a dispatch on its own thread");
}

}  // namespace

[[gnu::hot]] void refuse_inside_kernel() {
  const Worker* worker = Worker::of_thread_if_any();
  if (worker && worker->at_work()) throw_nested();
}

[[gnu::hot]] void Worker::run(Dispatch& dispatch) {
  // A kernel may dispatch on its own; its worker must not be the one that runs it.
  if (dispatch_) throw_nested();
  install_fault_handler();
  begin_dispatch(dispatch);
  // `abandon` comes back here when an invocation trapped on this thread's own stack.
  if (setjmp(recovery_) != 0) {
    await_group(*home_group_);
    retire(*home_group_);
  }
  home_loop();
  end_dispatch();
}

/// New ones get stacks of the size that is wanted now.
void Worker::forget_fibers() {
  parked_.clear();
  fibers_.clear();
  fiber_bytes_ = launch_->stack_bytes;
}

inline void Worker::begin_dispatch(Dispatch& dispatch) {
  dispatch_ = &dispatch;
  launch_ = dispatch.launch;
  rings_ = launch_->run.turns && !kSanitized;
  walks_ = HEDDLE_INLINE_SWITCH && launch_->choice && !kSanitized;
  ring_.unwinding = false;
  chunk_ = 1;
  tickets_left_ = tickets_end_ = 0;
  reserved_ = false;
  polls_of_round_ = interruptions_of_round_ = 0;
  rotations_ = 0;
  seen_progress_ = 0;
  counted_stale_ = false;
  if (fiber_bytes_ != launch_->stack_bytes) [[unlikely]] forget_fibers();
  parked_before_ = parked_low_ = parked_.size();
  fibers_made_ = 0;
  turns_around_at_once_ = dispatch.add(dispatch.busy, 1, std::memory_order_seq_cst) % 2 == 0;
}

inline void Worker::end_dispatch() {
  if (ring_size_ != 0) give_ring_back();
  Dispatch& dispatch = *dispatch_;
  dispatch.add(dispatch.fibers, parked_before_ - parked_low_ + fibers_made_);
  dispatch.subtract(dispatch.busy, 1, std::memory_order_seq_cst);
  if (counted_stale_) dispatch.stale.fetch_sub(1);
  dispatch_ = nullptr;
  group_ = nullptr;
  current_ = nullptr;
}

/// Where no workgroup is resident.
inline Worker::Pick Worker::pick_first() {
  if (!can_admit()) return {};
  rotations_ = 0;
  return {Pick::Admit, 0, nullptr};
}

/// As pick(nullptr), for a stack that runs nothing: mostly there is nobody.
inline Worker::Pick Worker::pick_next() { return residents_.empty() ? pick_first() : pick(nullptr); }

inline void Worker::home_loop() {
  for (;;) {
    const Pick next = pick_next();
    switch (next.kind) {
      case Pick::Nothing:
        if (!groups_left() || !await_admission()) return;
        break;
      case Pick::Admit:
        admit_and_run(nullptr);
        break;
      case Pick::Resume:
      case Pick::Start:
      case Pick::Driver:
      case Pick::Ring:
      case Pick::Park:
        leave(next, &home_, nullptr);
        home_ = nullptr;
        break;
    }
  }
}

void Worker::fiber_main(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  Fiber* fiber =
      self.job_.kind == Pick::Ring ? self.ring_fibers_[self.turn_index()] : self.fresh_;
  if (kSanitized) announce_arrival(fiber->announced);
  self.fiber_loop(fiber);
}

[[gnu::hot]] void Worker::fiber_loop(Fiber* self) {
  Pick next = job_;
  for (;;) {
    // The usual case of all that follows.
    if (next.kind == Pick::Start) [[likely]] {
      run_started(*next.group, next.slot(), self);
      if (Slot* slot = walks_ ? ready_in_walk(*group_) : nullptr) {
        next = picked(*group_, slot);
        if (next.kind == Pick::Start) continue;
        park(self);
        current_ = slot;
        switch_to(&self->parked, slot->context);
        next = job_;
        continue;
      }
    }
    switch (next.kind) {
      case Pick::Start: break;
      case Pick::Ring:
        if (!launch_->run.turns(launch_->kernel, &ring_) || go_home(self)) {
          next = job_;
          continue;
        }
        finish(*group_, outside_ring());
        break;
      case Pick::Park:
        park(self);
        switch_to(&self->parked, asker_);
        next = job_;
        continue;
      case Pick::Admit:
        admit_and_run(self);
        break;
      case Pick::Nothing:
      case Pick::Resume:
      case Pick::Driver:
        park(self);
        leave(next, &self->parked, self);
        next = job_;
        continue;
    }
    next = pick_next();
  }
}

void Worker::park(Fiber* fiber) { parked_.push_back(fiber); }

// The stack on which the next one will start: where it goes on, and what it will fill below.
inline void Worker::prefetch_parked() const {
  constexpr int kLinesBelow = 4;
  const auto* top = static_cast<const std::byte*>(parked_.back()->parked);
  __builtin_prefetch(top);
  for (int line = 1; line <= kLinesBelow; ++line) __builtin_prefetch(top - 64 * line, 1);
  __builtin_prefetch(&parked_[parked_.size() - 2]->parked);
}

[[gnu::hot]] Fiber* Worker::take_fiber_for(Pick pick) {
  job_ = pick;
  return fresh_ = take_fiber();
}

Fiber* Worker::take_fiber() {
  if (parked_.empty()) [[unlikely]] make_fiber();
  Fiber* fiber = parked_.back();
  parked_.pop_back();
  if (parked_.size() < parked_low_) parked_low_ = parked_.size();
  if (parked_.size() >= 2) prefetch_parked();
  return fiber;
}

void Worker::make_fiber() {
  fibers_.push_back(std::make_unique<Fiber>(fiber_bytes_, fibers_.size(), &Worker::fiber_main, this));
  ++fibers_made_;
  parked_.push_back(fibers_.back().get());
}

[[gnu::hot]] std::pair<Context, Fiber*> Worker::make_way(Pick pick) {
  switch (pick.kind) {
    case Pick::Resume:
      group_ = pick.group;
      current_ = pick.slot();
      return {current_->context, current_->fiber};
    case Pick::Driver:
      group_ = pick.group;
      current_ = nullptr;
      return {pick.group->driver, pick.group->driver_fiber};
    case Pick::Start:
    case Pick::Admit: take_fiber_for(pick); return {fresh_->parked, fresh_};
    case Pick::Nothing:
    case Pick::Ring:
    case Pick::Park: break;
  }
  return {home_, nullptr};
}

void Worker::leave(Pick pick, Context* save, Fiber* here) {
  const auto [to, there] = make_way(pick);
  if (kSanitized) announce_leaving(announced(here), announced(there));
  switch_to(save, to);
  if (kSanitized) announce_arrival(announced(here));
}

Fiber* Worker::running_fiber() const {
  if (in_ring()) return turn_index() == 0 ? group_->driver_fiber : ring_fibers_[turn_index()];
  if (current_) return current_->fiber;
  return group_ ? group_->driver_fiber : nullptr;
}

// --- workgroups -----------------------------------------------------------------------------

inline bool Worker::reserve() {
  if (reserved_) {
    reserved_ = false;
    return true;
  }
  if (!dispatch_->alone) return reserve_among_many();
  if (dispatch_->resident.load(std::memory_order_relaxed) >= launch_->resident_workgroups) return false;
  count_resident();
  return true;
}

/// Where there is one worker.
inline void Worker::count_resident() {
  Dispatch& dispatch = *dispatch_;
  const std::uint32_t resident = dispatch.resident.load(std::memory_order_relaxed) + 1;
  dispatch.resident.store(resident, std::memory_order_relaxed);
  if (resident > dispatch.resident_peak.load(std::memory_order_relaxed))
    dispatch.resident_peak.store(resident, std::memory_order_relaxed);
}

bool Worker::reserve_among_many() {
  std::uint32_t resident = dispatch_->resident.load(std::memory_order_relaxed);
  std::uint32_t peak = dispatch_->resident_peak.load(std::memory_order_relaxed);
  do {
    if (resident >= launch_->resident_workgroups) return false;
  } while (!dispatch_->resident.compare_exchange_weak(resident, resident + 1,
                                                      std::memory_order_relaxed));
  while (peak < resident + 1 &&
         !dispatch_->resident_peak.compare_exchange_weak(peak, resident + 1,
                                                         std::memory_order_relaxed)) {
  }
  return true;
}

// A worker that has nothing to do while others have as many residents as there may be. It counts
// among those that see no progress, so that these can tell when nobody does.
bool Worker::await_admission() {
  if (!counted_stale_) {
    counted_stale_ = true;
    dispatch_->stale.fetch_add(1);
  }
  while (!can_admit()) {
    if (!groups_left()) return false;
    std::this_thread::yield();
  }
  counted_stale_ = false;
  dispatch_->stale.fetch_sub(1);
  return true;
}

inline void Worker::take_tickets() {
  const std::uint64_t first = dispatch_->add(dispatch_->next_group, chunk_);
  tickets_end_ = std::min(first + chunk_, dispatch_->groups);
  if (first < tickets_end_) tickets_left_ = tickets_end_ - first;
  if (chunk_ >= kFreeChunk) chunk_begun_ = Clock::now();
}

inline void Worker::admit_and_run(Fiber* here) {
  if (!launch_->choice) return admit_several_and_run(here);
  // Whoever picked this saw that there is a workgroup, and a place for it; nobody else takes them.
  count_resident();
  const std::uint64_t next = dispatch_->add(dispatch_->next_group, 1);
  const auto& order = launch_->first_groups;
  Group& g = make_group(next < order.size() ? order[next] : next);
  run_group(g, here);
  retire(g);
}

void Worker::admit_several_and_run(Fiber* here) {
  if (!reserve()) return;
  if (tickets_left_ == 0) take_tickets();
  // Several workgroups at once only where none of them can ever hold up another.
  bool may_begin = true;
  while (may_begin && tickets_left_ != 0 &&
         !dispatch_->failed.load(std::memory_order_relaxed)) {
    const std::uint64_t first = tickets_end_ - tickets_left_--;
    Group& g = make_group(first);
    run_group(g, here);
    const bool long_waits = g.waited && !g.kept_step;
    retire(g, number(g) - first + 1);
    if (long_waits) {
      chunk_ = 1;
    } else if (tickets_left_ == 0) {
      const std::uint64_t left = dispatch_->groups - std::min(dispatch_->groups, tickets_end_);
      const bool long_enough =
          chunk_ >= kFreeChunk && Clock::now() - chunk_begun_ > kLongChunk;
      chunk_ = std::clamp<std::uint64_t>(left / (8 * launch_->workers), 1,
                                         long_enough ? chunk_ : 2 * chunk_);
    }
    if (!residents_.empty()) return;
    // Its place is kept for the next one: whoever waits for earlier workgroups only must find that
    // those can begin.
    may_begin = reserved_;
    reserved_ = false;
  }
  if (may_begin) dispatch_->subtract(dispatch_->resident, 1);
  if (dispatch_->failed.load(std::memory_order_relaxed)) tickets_left_ = 0;
}

std::uint64_t Worker::number(const Group& g) const {
  const uvec3& groups = launch_->grid.groups;
  return g.id.x + std::uint64_t{groups.x} * (g.id.y + std::uint64_t{groups.y} * g.id.z);
}

Group* Worker::make_spare() {
  groups_.push_back(std::make_unique<Group>());
  return groups_.back().get();
}

void Worker::make_storage(Group& g) const {
  g.memory_bytes = launch_->workgroup_memory_bytes;
  g.storage.assign(g.memory_bytes + 64, std::byte{});
  const auto address = reinterpret_cast<std::uintptr_t>(g.storage.data());
  g.memory = g.storage.data() + (64 - address % 64) % 64;
}

inline Group& Worker::make_group(std::uint64_t number) {
  Group& g = spare_ ? *spare_ : *make_spare();
  spare_ = g.next_spare;
  const Grid& grid = launch_->grid;
  g.grid = &grid;
  g.id = {static_cast<std::uint32_t>(number), 0, 0};
  // Divisions are a good part of a short workgroup.
  if (number >= grid.groups.x) {
    g.id = {static_cast<std::uint32_t>(number % grid.groups.x),
            static_cast<std::uint32_t>(number / grid.groups.x % grid.groups.y),
            static_cast<std::uint32_t>(number / grid.groups.x / grid.groups.y)};
  }
  g.size = grid.group_size;
  g.context = launch_->context;
  g.finished = 0;
  g.next_unstarted = 0;
  g.waited = false;
  g.kept_step = false;
  g.running = kUnknownIndex;
  g.ring = &ring_;
  g.in_ring = false;
  g.driver_lost = false;
  g.driver = nullptr;
  if (!g.memory || g.memory_bytes != launch_->workgroup_memory_bytes) [[unlikely]] make_storage(g);
  residents_.push_back(&g);
  ++local_progress_;
  if (launch_->observer) launch_->observer->workgroup_begins(g);
  return g;
}

void Worker::make_slots(Group& g) const {
  g.slots.resize(g.size);
  g.details.resize(g.size);
  g.begin = g.slots.data();
}

[[gnu::hot]] void Worker::prepare_slots(Group& g) {
  g.waited = true;
  if (g.slots.size() < g.size) [[unlikely]] make_slots(g);
  g.end = g.begin + g.size;
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    slot->context = nullptr;
    slot->let_go();
    slot->state = SlotState::Unstarted;
    slot->wait = WaitKind::Nothing;
    slot->polled_in_round = 0;
  }
  g.barrier.phase = 0;
  forget_waits(g);
  if (launch_->choice) g.walk.begin(g.size, *launch_->choice);
}

void Worker::forget_arrivals(Group& g) {
  g.subgroup_arrived.clear();
  g.named.clear();
}

/// Nobody has come to any barrier or subgroup operation yet.
void Worker::forget_waits(Group& g) {
  g.barrier.missing = g.size;
  if (!g.subgroup_arrived.empty() || !g.named.empty()) [[unlikely]] forget_arrivals(g);
  g.round = 1;
  g.cursor = 0;
}

inline void Worker::run_group(Group& g, Fiber* here) {
  group_ = &g;
  current_ = nullptr;
  g.driver_fiber = here;
  if (!here) home_group_ = &g;
  // While nothing waits, the next workgroup is the same one with another number.
  const std::uint32_t ran = launch_->run.all(launch_->kernel, g, tickets_left_);
  if (!g.waited) {
    g.finished = g.size;
    return;
  }
  if (g.in_ring) end_ring(g);
  if (g.finished == g.size) return;
  // The last one that ran here is the one that waited.
  Slot* slot = g.begin + (ran - 1);
  if (slot->state == SlotState::Started) finish(g, slot);
  await_group(g);
}

void Worker::await_group(Group& g) {
  if (g.finished == g.size) return;
  // From here on whoever finishes last hands over to this stack, even while it still looks around.
  g.driver = this;
  const Pick next = pick(nullptr);
  if (next.kind != Pick::Driver || next.group != &g) leave(next, &g.driver, g.driver_fiber);
  g.driver = nullptr;
}

void Worker::remove_resident(Group& g) {
  residents_.erase(std::find(residents_.begin(), residents_.end(), &g));
}

inline void Worker::tell_end(Group& g) const {
  if (launch_->observer) launch_->observer->workgroup_ends(g);
}

void Worker::tell_end_and_progress(Group& g, std::uint64_t done) const {
  tell_end(g);
  (*launch_->progress)(done, dispatch_->groups);
}

[[gnu::hot]] void Worker::retire(Group& g, std::uint64_t workgroups) {
  // Mostly the last one.
  if (residents_.back() == &g) [[likely]] {
    residents_.pop_back();
  } else {
    remove_resident(g);
  }
  g.next_spare = std::exchange(spare_, &g);
  group_ = nullptr;
  current_ = nullptr;
  ++local_progress_;
  if (tickets_left_ != 0 && !reserved_) [[unlikely]] {
    reserved_ = true;
  } else {
    dispatch_->subtract(dispatch_->resident, 1);
  }
  const std::uint64_t done = dispatch_->add(dispatch_->groups_done, workgroups) + workgroups;
  // Last, so that nothing needs to be kept for afterwards.
  if (launch_->progress && *launch_->progress) [[unlikely]] return tell_end_and_progress(g, done);
  tell_end(g);
}

void Worker::run_started(Group& g, Slot* slot, Fiber* here) {
  group_ = &g;
  current_ = slot;
  slot->state = SlotState::Started;
  slot->fiber = here;
  const std::uint32_t index = g.index_of(slot);
  launch_->run.one(launch_->kernel, g, index, true);
  finish(g, slot);
}

[[gnu::hot]] void Worker::finish(Group& g, Slot* slot) {
  slot->state = SlotState::Finished;
  slot->context = nullptr;
  slot->hold();
  ++g.finished;
  if (launch_->choice) {
    leave_out(g, slot);
  } else {
    g.cursor = g.index_of(slot) + 1;
  }
  ++local_progress_;
  current_ = nullptr;
  if (g.finished == g.size && (g.driver || g.driver_lost)) last_finished(g);
}

void Worker::last_finished(Group& g) {
  if (g.driver_lost) {
    retire(g);
  } else {
    complete_.push_back(&g);
  }
}

// --- waiting --------------------------------------------------------------------------------

inline void Worker::begin_waiting(Group& g, std::uint32_t index, bool in_step) {
  if (index == 0 && in_step && rings_) return begin_ring(g);
  if (!g.waited) prepare_slots(g);
  if (g.next_unstarted < index) finish_before(g, index);
  g.next_unstarted = index + 1;
  Slot* slot = g.begin + index;
  // The walk has come to nobody yet.
  if (launch_->choice) slot->place = g.walk.place_of(index);
  slot->state = SlotState::Started;
  slot->fiber = g.driver_fiber;
  current_ = slot;
}

/// Those before `index` that ran as plain calls have ended.
void Worker::finish_before(Group& g, std::uint32_t index) {
  for (std::uint32_t i = g.next_unstarted; i < index; ++i) {
    Slot* slot = g.begin + i;
    if (slot->state != SlotState::Unstarted) continue;
    if (launch_->choice) slot->place = g.walk.place_of(i);
    finish(g, slot);
  }
}

[[gnu::hot]] void begin_waiting(Workgroup& group, std::uint32_t index, bool in_step) {
  worker_of_thread->begin_waiting(static_cast<Group&>(group), index, in_step);
}

void Worker::suspend(Slot* self) {
  // Somebody may have let it go on at once.
  if (self->can_go_on()) return;
  suspend_outside_ring(self);
}

void Worker::suspend_outside_ring(Slot* self, Turn turn) {
  const ExceptionGlobals mine = *exceptions_;
  if (ring_.unwinding) [[unlikely]] {
    // A kernel that went on after its unwinding (it catches everything, or waits in a destructor):
    // nobody will come any more.
    self->let_go();
    if (mine.uncaught == 0) throw Unwind{};
    return;
  }
  *exceptions_ = {};
  check_failed();
  const Pick next = pick(self, turn);
  if (next.kind == Pick::Resume && next.slot() == self) {
    group_ = next.group;
    current_ = self;
  } else {
    leave(next, &self->context, self->fiber);
  }
  *exceptions_ = mine;
  // Not while an exception is already on its way through a destructor that waits.
  if (ring_.unwinding && mine.uncaught == 0) [[unlikely]] throw Unwind{};
}

void Worker::check_failed() {
  if (!ring_.unwinding && dispatch_->failed.load(std::memory_order_acquire)) begin_unwinding();
}

void Worker::fail(Failure failure) {
  dispatch_->fail(std::move(failure));
  if (!ring_.unwinding) begin_unwinding();
}

void Worker::begin_unwinding() {
  ring_.unwinding = true;
  walks_ = false;
  tickets_left_ = 0;
  for (Group* g : std::vector(residents_)) release(*g);
}

void Worker::release(Group& g) {
  if (!g.waited) return;
  if (g.in_ring) leave_ring(g);
  Slot* const running = current_;
  if (launch_->choice) g.walk.look_at_all();
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    slot->polled_in_round = 0;
    if (slot->state == SlotState::Unstarted) {
      // Those that ran as plain calls before the first one that waited are counted here, too.
      finish(g, slot);
    } else if (slot->state == SlotState::Started) {
      slot->let_go();
    }
  }
  current_ = running;
}

void Worker::kernel_threw(Group& g, std::uint32_t index) {
  Failure failure;
  failure.finding.invocation = coordinates(g, index);
  try {
    throw;
  } catch (const Unwind&) {
    return;
  } catch (const std::exception& e) {
    failure.finding.message = std::string("the kernel threw: ") + e.what();
  } catch (...) {
    failure.finding.message = "the kernel threw something that is no std::exception";
  }
  failure.exception = std::current_exception();
  fail(std::move(failure));
}

// --- who is next ----------------------------------------------------------------------------

Slot* Worker::ready_in(Group& g, std::uint32_t first) const {
  for (std::uint32_t k = 0; k < g.size; ++k) {
    Slot* slot = g.begin + (first + k < g.size ? first + k : first + k - g.size);
    if (g.is_ready(*slot)) return slot;
  }
  return nullptr;
}

bool Worker::polls(const Group& g) const {
  return std::any_of(g.begin, g.end, [](const Slot& slot) { return slot.can_go_on(); });
}

[[gnu::hot]] Worker::Pick Worker::pick_in(Group& g, Slot* self) {
  if (!g.waited) return {};
  const std::uint32_t first = self ? g.index_of(self) + 1 : g.cursor;
  const auto ready = [&] { return launch_->choice ? ready_in_walk(g) : ready_in(g, first % g.size); };
  Slot* slot = ready();
  if (!slot && resolve_subgroups(g)) slot = ready();
  if (!slot) return {};
  return picked(g, slot);
}

Worker::Pick Worker::picked(Group& g, Slot* slot) {
  return {slot->state == SlotState::Unstarted ? Pick::Start : Pick::Resume, g.index_of(slot), &g};
}

[[gnu::hot]] Worker::Pick Worker::pick(Slot* self, Turn turn) {
  // The usual case when invocations start and end: the next one of the same workgroup.
  if (!launch_->choice && complete_.empty() && group_ && group_->waited) {
    Group& g = *group_;
    const std::uint32_t index = self ? g.index_of(self) + 1 : g.cursor;
    Slot* slot = g.begin + (index == g.size ? 0 : index);
    if (g.is_ready(*slot)) {
      return picked(g, slot);
    }
  }
  for (;;) {
    if (residents_.empty()) return pick_first();
    if (!complete_.empty()) {
      Group* g = complete_.back();
      complete_.pop_back();
      return {Pick::Driver, 0, g};
    }
    if (launch_->choice) {
      if (turn == Turn::Near && group_) {
        if (const Pick next = pick_in(*group_, nullptr); next.kind != Pick::Nothing) return next;
      }
      if (!choose_group()) return {Pick::Admit, 0, nullptr};
    } else if (group_) {
      turn_ = static_cast<std::size_t>(std::find(residents_.begin(), residents_.end(), group_) -
                                       residents_.begin());
    }
    if (turn_ >= residents_.size()) turn_ = 0;
    const Pick next = pick_in_turn(self);
    if (next.kind != Pick::Nothing) return next;
    // Something was reported, and everybody is on the way out: look again.
  }
}

Worker::Pick Worker::pick_in_turn(Slot* self) {
  if (const Pick next = pick_in(*residents_[turn_], self); next.kind != Pick::Nothing) return next;
  return pick_elsewhere();
}

Worker::Pick Worker::pick_elsewhere() {
  const std::size_t n = residents_.size();
  for (std::size_t k = 1; k < n; ++k) {
    const std::size_t turn = (turn_ + k) % n;
    const Pick next = pick_in(*residents_[turn], nullptr);
    if (next.kind != Pick::Nothing) {
      turn_ = turn;
      return next;
    }
  }
  // Every resident has polled or waits. A workgroup in which nobody polls will never go on.
  for (Group* g : residents_) {
    if (g->waited && g->finished < g->size && !polls(*g)) {
      stalled(*g);
      return {};
    }
  }
  if (can_admit() && (launch_->choice || rotations_ >= kRotationsBeforeAdmission)) {
    rotations_ = 0;
    return {Pick::Admit, 0, nullptr};
  }
  begin_round();
  rotation_without_progress();
  if (ring_.unwinding) return {};
  for (std::size_t k = 1; k <= n; ++k) {
    const std::size_t turn = (turn_ + k) % n;
    const Pick next = pick_in(*residents_[turn], nullptr);
    if (next.kind != Pick::Nothing) {
      turn_ = turn;
      return next;
    }
  }
  return {};
}

}  // namespace heddle::runtime
