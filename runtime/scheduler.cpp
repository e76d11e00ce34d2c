#include "runtime/scheduler.h"

#include "runtime/fault.h"

#include <heddle/detail/check.h>

#include <cxxabi.h>
#include <algorithm>
#include <thread>

namespace heddle::runtime {

namespace {

// A worker that only polls looks at its resident workgroups so often before it admits another one:
// enough for a neighbour on another core to publish what is waited for (a rotation costs some ten
// nanoseconds), few enough to reach a workgroup that must start for anything to go on.
constexpr std::uint64_t kRotationsBeforeAdmission = 64;

constinit std::atomic<bool> g_ends_in_kernel{false};

}  // namespace

bool process_ends_in_kernel() noexcept {
  return g_ends_in_kernel.load(std::memory_order_acquire);
}

/// Ends a thread's worker with the thread.
struct ThreadWorker {
  ThreadWorker() { worker_of_thread = new Worker; }
  // Where a kernel calls exit this comes before all other destructors, on a stack that is the worker's.
  ~ThreadWorker() {
    if (worker_of_thread->is_in_dispatch()) {
      g_ends_in_kernel.store(true, std::memory_order_release);
      return;
    }
    delete worker_of_thread;
    worker_of_thread = nullptr;
  }
};

void Worker::make_for_thread() {
  static thread_local ThreadWorker owner;
}

Worker* Worker::of_thread_if_any() noexcept {
  return worker_of_thread;
}

Worker::Worker() : exceptions_(reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals())), turns_(exceptions_) {
  announce_thread(home_stack_);
}

Worker::~Worker() = default;

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

inline void Worker::begin_dispatch(Dispatch& dispatch) {
  dispatch_ = &dispatch;
  launch_ = dispatch.launch;
  rings_ = launch_->run.turns && !kSanitized;
  walks_ = HEDDLE_INLINE_SWITCH && launch_->choice && !kSanitized;
  ring().unwinding = false;
  admission_.begin(dispatch);
  rounds_.begin();
  meetings_.begin(*launch_);
  rotations_ = 0;
  seen_progress_ = 0;
  counted_stale_ = false;
  asked_for_calls_ = nullptr;
  adversary_.begin(launch_->fairness, launch_->choice, admission_);
  fibers_.begin_dispatch(launch_->stack_bytes);
  turns_.turn_around_at_once(dispatch.add(dispatch.busy, 1, std::memory_order_seq_cst) % 2 == 0);
}

inline void Worker::end_dispatch() {
  if (turns_.size() != 0) give_ring_back();
  Dispatch& dispatch = *dispatch_;
  dispatch.add(dispatch.fibers, fibers_.used());
  dispatch.subtract(dispatch.busy, 1, std::memory_order_seq_cst);
  if (counted_stale_) dispatch.stale.fetch_sub(1);
  dispatch_ = nullptr;
  group_ = nullptr;
  current_ = nullptr;
}

/// Where no workgroup is resident.
inline Worker::Pick Worker::pick_first() {
  if (!admission_.can_admit()) return {};
  rotations_ = 0;
  return {Pick::Admit, 0, nullptr};
}

/// What pick(nullptr) finds, for a stack that runs nothing: mostly nothing.
inline Worker::Pick Worker::pick_next() {
  return residents_.empty() ? pick_first() : pick(nullptr);
}

inline void Worker::home_loop() {
  for (;;) {
    Pick next = pick_next();
    // A workgroup that is admitted here begins on the thread's own stack.
    if (next.kind != Pick::Admit) next = pick_with_fiber(next, nullptr, Turn::Near);
    switch (next.kind) {
      case Pick::Nothing:
        if (!admission_.groups_left() || !await_admission()) return;
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
  Fiber* fiber = self.job_.kind == Pick::Ring ? self.turns_.fiber(self.turns_.index()) : self.fresh_;
  if (kSanitized) announce_arrival(fiber->announced);
  self.fiber_loop(fiber);
}

[[gnu::hot]] void Worker::fiber_loop(Fiber* self) {
  Pick next = job_;
  for (;;) {
    // The usual case of all that follows.
    if (next.kind == Pick::Start) [[likely]] {
      run_started(*next.group, next.slot(), self);
      if (Slot* slot = walks_ ? group_->ready_in_walk() : nullptr) {
        next = Pick::of(*group_, slot);
        if (next.kind == Pick::Start) continue;
        fibers_.park(self);
        current_ = slot;
        switch_to(&self->parked, slot->context);
        next = job_;
        continue;
      }
    }
    switch (next.kind) {
      case Pick::Start:
        break;
      case Pick::Ring:
        if (!launch_->run.turns(launch_->kernel, &ring()) || go_home(self)) {
          next = job_;
          continue;
        }
        finish(*group_, outside_ring());
        break;
      case Pick::Park:
        fibers_.park(self);
        switch_to(&self->parked, asker_);
        next = job_;
        continue;
      case Pick::Admit:
        admit_and_run(self);
        break;
      case Pick::Nothing:
      case Pick::Resume:
      case Pick::Driver:
        fibers_.park(self);
        leave(next, &self->parked, self);
        next = job_;
        continue;
    }
    next = pick_next();
  }
}

[[gnu::hot]] Fiber* Worker::take_fiber_for(Pick pick) {
  job_ = pick;
  return fresh_ = fibers_.take();
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
    case Pick::Admit:
      take_fiber_for(pick);
      return {fresh_->parked, fresh_};
    case Pick::Nothing:
    case Pick::Ring:
    case Pick::Park:
      break;
  }
  return {home_, nullptr};
}

void Worker::leave(Pick pick, Context* save, Fiber* here) {
  const auto [to, there] = make_way(pick);
  if (kSanitized) announce_leaving(announced(here), announced(there));
  switch_to(save, to);
  if (kSanitized) announce_arrival(announced(here));
}

// --- workgroups -----------------------------------------------------------------------------

inline void Worker::admit_and_run(Fiber* here) {
  if (!launch_->choice) return admit_several_and_run(here);
  // The pick saw that there is a workgroup, and a place for it; no other worker takes them.
  Group* const g = make_group(admission_.take_alone());
  if (!g) [[unlikely]]
    return;
  run_group(*g, here);
  retire(*g);
}

void Worker::admit_several_and_run(Fiber* here) {
  if (!admission_.reserve()) return;
  admission_.fill();
  // Several workgroups at once only where none of them can ever hold up another.
  bool may_begin = true;
  while (may_begin && admission_.has_tickets() && !dispatch_->failed.load(std::memory_order_relaxed)) {
    const std::uint64_t first = admission_.take();
    Group* const made = make_group(first);
    if (!made) [[unlikely]]
      return;
    Group& g = *made;
    run_group(g, here);
    const bool long_waits = g.waited && !g.kept_step;
    retire(g, g.number() - first + 1);
    admission_.note_run(long_waits);
    if (!residents_.empty()) return;
    // Its place is kept for the next one: a workgroup that waits for earlier ones only must find that
    // those can begin.
    may_begin = admission_.take_kept_place();
  }
  if (may_begin) admission_.free_place();
  if (dispatch_->failed.load(std::memory_order_relaxed)) admission_.drop_tickets();
}

inline Group* Worker::make_group(std::uint64_t number) {
  Group* room = nullptr;
  try {
    room = groups_.take();
    begin_group(*room, number);
  } catch (...) {
    refuse_group(room);
    return nullptr;
  }
  return room;
}

[[gnu::always_inline]] inline void Worker::begin_group(Group& g, std::uint64_t number) {
  const Grid& grid = launch_->grid;
  g.grid = &grid;
  g.id = id_of(grid, number);
  g.size = grid.group_size;
  g.context = launch_->context;
  g.finished = 0;
  g.next_unstarted = 0;
  g.waited = false;
  g.kept_step = false;
  g.running = kUnknownIndex;
  g.zeroed_bytes = 0;
  g.memory_zeroed = launch_->workgroup_memory_zeroed;
  g.ring = &ring();
  g.in_ring = false;
  g.driver_lost = false;
  g.driver = nullptr;
  if (!g.memory || g.memory_bytes != launch_->workgroup_memory_bytes) [[unlikely]]
    g.make_storage(launch_->workgroup_memory_bytes);
  residents_.push_back(&g);
  ++local_progress_;
  if (launch_->observer) launch_->observer->workgroup_begins(g);
}

inline void Worker::run_group(Group& g, Fiber* here) {
  group_ = &g;
  current_ = nullptr;
  g.driver_fiber = here;
  if (!here) home_group_ = &g;
  if (launch_->waits_unannounced && launch_->run.one) [[unlikely]] {
    g.prepare_slots(*launch_);
    return await_group(g);
  }
  // While nothing waits, the next workgroup is the same one with another number.
  const std::uint32_t ran = launch_->run.all(launch_->kernel, g, admission_.tickets_left());
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
  // From here on the invocation that finishes last hands over to this stack, even while it still looks around.
  g.driver = this;
  const Pick next = pick_with_fiber(pick(nullptr), nullptr, Turn::Near);
  if (next.kind != Pick::Driver || next.group != &g) leave(next, &g.driver, g.driver_fiber);
  g.driver = nullptr;
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
  if (adversary_.is_there()) [[unlikely]]
    adversary_.forget(g);
  groups_.give(g);
  group_ = nullptr;
  current_ = nullptr;
  ++local_progress_;
  admission_.leave_place();
  const std::uint64_t done = dispatch_->add(dispatch_->groups_done, workgroups) + workgroups;
  // Last, so that nothing needs to be kept for afterwards.
  if (launch_->progress && *launch_->progress) [[unlikely]]
    return tell_end_and_progress(g, done);
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

// --- waiting --------------------------------------------------------------------------------

inline void Worker::begin_waiting(Group& g, std::uint32_t index, bool in_step) {
  if (index == 0 && in_step && rings_ && begin_ring(g)) return;
  if (!g.waited) g.prepare_slots(*launch_);
  if (g.next_unstarted < index) finish_before(g, index);
  g.next_unstarted = index + 1;
  Slot* slot = g.begin + index;
  // The walk has come to no invocation yet.
  if (launch_->choice) slot->place = g.walk.place_of(index);
  slot->state = SlotState::Started;
  slot->fiber = g.driver_fiber;
  current_ = slot;
  // There was no memory for the ring: the others do not begin.
  if (ring().unwinding) [[unlikely]]
    release(g);
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
  if (ring().unwinding) [[unlikely]] {
    // A kernel that went on after its unwinding (it catches everything, or waits in a destructor):
    // no other will come any more.
    self->let_go();
    if (mine.uncaught == 0) throw Unwind{};
    return;
  }
  *exceptions_ = {};
  check_failed();
  const Pick next = pick_with_fiber(pick(self, turn), self, turn);
  if (next.kind == Pick::Resume && next.slot() == self) {
    group_ = next.group;
    current_ = self;
  } else {
    leave(next, &self->context, self->fiber);
  }
  *exceptions_ = mine;
  // Not while an exception is already on its way through a destructor that waits.
  if (ring().unwinding && mine.uncaught == 0) [[unlikely]]
    unwind();
}

void Worker::check_failed() {
  if (!ring().unwinding && dispatch_->failed.load(std::memory_order_acquire)) begin_unwinding();
}

// --- who is next ----------------------------------------------------------------------------

[[gnu::hot]] Worker::Pick Worker::pick_in(Group& g, Slot* self) {
  if (!g.waited) return {};
  const std::uint32_t first = self ? g.index_of(self) + 1 : g.cursor;
  const auto ready = [&] { return launch_->choice ? g.ready_in_walk() : g.ready_from(first % g.size); };
  Slot* slot = ready();
  if (!slot && meetings_.resolve(g)) {
    ++local_progress_;
    slot = ready();
  }
  if (!slot) return {};
  return Pick::of(g, slot);
}

[[gnu::hot]] Worker::Pick Worker::pick(Slot* self, Turn turn) {
  // The usual case when invocations start and end: the next one of the same workgroup.
  if (!launch_->choice && complete_.empty() && group_ && group_->waited) {
    Group& g = *group_;
    const std::uint32_t index = self ? g.index_of(self) + 1 : g.cursor;
    Slot* slot = g.begin + (index == g.size ? 0 : index);
    if (g.is_ready(*slot)) {
      return Pick::of(g, slot);
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
      turn_ = static_cast<std::size_t>(std::find(residents_.begin(), residents_.end(), group_) - residents_.begin());
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
  if (adversary_.is_there() && adversary_.settle(residents_, admission_, rotations_ != 0)) [[unlikely]]
    return pick_in_turn(nullptr);
  // Every resident has polled or waits. A workgroup in which no invocation polls will never go on.
  for (Group* g : residents_) {
    if (g->waited && g->finished < g->size && !g->anybody_polls()) {
      fail_at(divergence(*g, *launch_));
      return {};
    }
  }
  if (admission_.can_admit() && (launch_->choice || rotations_ >= kRotationsBeforeAdmission)) {
    rotations_ = 0;
    return {Pick::Admit, 0, nullptr};
  }
  rounds_.begin(residents_);
  rotation_without_progress();
  if (ring().unwinding) return {};
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
