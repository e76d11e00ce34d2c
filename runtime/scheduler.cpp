#include "runtime/scheduler.h"

#include "runtime/fault.h"
#include "runtime/stack_state.h"

#include <heddle/detail/check.h>

#include <cxxabi.h>

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
    if (worker_of_thread->running().dispatch) {
      g_ends_in_kernel.store(true, std::memory_order_release);
      return;
    }
    delete worker_of_thread;
    worker_of_thread = nullptr;
  }
};

void Worker::make_for_thread() {
  static thread_local ThreadWorker owner;
  // A dispatch in a destructor that runs behind the owner's: the thread ends, and nobody ends this one.
  if (!worker_of_thread) worker_of_thread = new Worker;
}

Worker* Worker::of_thread_if_any() noexcept {
  return worker_of_thread;
}

Worker::Worker() : exceptions_(reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals())), turns_(exceptions_) {}

Worker::~Worker() = default;

// --- a dispatch on one thread ---------------------------------------------------------------

namespace {

[[noreturn]] void throw_nested() {
  throw std::logic_error("heddle: a kernel started a dispatch on its own thread");
}

}  // namespace

[[gnu::hot]] bool runs_kernel() noexcept {
  const Worker* worker = Worker::of_thread_if_any();
  return worker && worker->running().is_in_workgroup();
}

[[gnu::hot]] void refuse_inside_kernel() {
  if (runs_kernel()) throw_nested();
}

[[gnu::hot]] void Worker::run(Dispatch& dispatch) {
  // A kernel may dispatch on its own; its worker must not be the one that runs it.
  if (now_.dispatch) throw_nested();
  install_fault_handler();
  begin_dispatch(dispatch);
  // `abandon` comes back here when an invocation trapped on this thread's own stack.
  if (setjmp(recovery_) != 0) {
    await_group(*home_group_);
    retire(*home_group_);
  }
  states_begin(__builtin_frame_address(0));
  home_loop();
  end_dispatch();
}

inline void Worker::begin_dispatch(Dispatch& dispatch) {
  now_.dispatch = &dispatch;
  const Launch& launch = *dispatch.launch;
  now_.launch = &launch;
  has_rings_ = launch.run.turns && !kSanitized;
  walks_ = HEDDLE_INLINE_SWITCH && launch.choice && !kSanitized;
  turns_.ring().unwinding = false;
  admission_.begin(dispatch);
  rounds_.begin();
  meetings_.begin(launch);
  patience_.begin_dispatch();
  asked_for_calls_ = nullptr;
  adversary_.begin(launch.fairness, launch.choice, admission_);
  stacks_.fibers().begin_dispatch(launch.stack_bytes);
  turns_.turn_around_at_once(dispatch.add(dispatch.busy, 1, std::memory_order_seq_cst) % 2 == 0);
}

inline void Worker::end_dispatch() {
  if (turns_.size() != 0) rings_.give_back();
  Dispatch& dispatch = *now_.dispatch;
  dispatch.add(dispatch.fibers, stacks_.fibers().used());
  dispatch.subtract(dispatch.busy, 1, std::memory_order_seq_cst);
  patience_.end_dispatch();
  now_.dispatch = nullptr;
  now_.group = nullptr;
  now_.slot = nullptr;
}

/// Where no workgroup is resident.
inline Pick Worker::pick_first() {
  if (!admission_.can_admit()) return {};
  patience_.forget_rotations();
  return {Pick::Admit, 0, nullptr};
}

/// What pick(nullptr) finds, for a stack that runs nothing: mostly nothing.
inline Pick Worker::pick_next() {
  return residents_.empty() ? pick_first() : pick(nullptr);
}

inline void Worker::home_loop() {
  for (;;) {
    Pick next = pick_next();
    // A workgroup that is admitted here begins on the thread's own stack.
    if (next.kind != Pick::Admit) next = pick_with_fiber(next, nullptr, Turn::Near);
    switch (next.kind) {
      case Pick::Nothing:
        if (!admission_.groups_left() || !patience_.await_admission(admission_)) return;
        break;
      case Pick::Admit:
        admit_and_run(nullptr);
        break;
      case Pick::Resume:
      case Pick::Start:
      case Pick::Driver:
      case Pick::Ring:
      case Pick::Park:
        stacks_.leave_own(next);
        break;
    }
  }
}

void Worker::fiber_main(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  const bool in_ring = self.stacks_.job().kind == Pick::Ring;
  Fiber* fiber = in_ring ? self.turns_.fiber(self.turns_.index()) : self.stacks_.fresh();
  if (kSanitized) announce_arrival(fiber->announced);
  self.fiber_loop(fiber);
}

[[gnu::hot]] void Worker::fiber_loop(Fiber* self) {
  Pick next = stacks_.job();
  for (;;) {
    // The usual case of all that follows.
    if (next.kind == Pick::Start) [[likely]] {
      run_started(*next.group, next.slot(), self);
      if (Slot* slot = walks_ ? now_.group->ready_in_walk() : nullptr) {
        next = Pick::of(*now_.group, slot);
        if (next.kind == Pick::Start) continue;
        stacks_.fibers().park(self);
        now_.slot = slot;
        stacks_.switch_to(&self->parked, slot->context);
        next = stacks_.job();
        continue;
      }
    }
    switch (next.kind) {
      case Pick::Start:
        break;
      case Pick::Ring:
        if (!now_.launch->run.turns(now_.launch->kernel, &turns_.ring()) || rings_.go_home(self)) {
          next = stacks_.job();
          continue;
        }
        finish(*now_.group, outside_ring());
        break;
      case Pick::Park:
        stacks_.come_back(self);
        next = stacks_.job();
        continue;
      case Pick::Admit:
        admit_and_run(self);
        break;
      case Pick::Nothing:
      case Pick::Resume:
      case Pick::Driver:
        stacks_.fibers().park(self);
        stacks_.leave(next, &self->parked, self);
        next = stacks_.job();
        continue;
    }
    next = pick_next();
  }
}

// --- workgroups -----------------------------------------------------------------------------

namespace {

/// `g` is workgroup `number` from now on, none of whose invocations has begun. Throws std::bad_alloc.
[[gnu::always_inline]] inline void begin(Group& g, const Launch& launch, Ring& ring, std::uint64_t number) {
  const Grid& grid = launch.grid;
  g.grid = &grid;
  g.id = id_of(grid, number);
  g.size = grid.group_size;
  g.context = launch.context;
  g.finished = 0;
  g.next_unstarted = 0;
  g.waited = false;
  g.kept_step = false;
  g.running = kUnknownIndex;
  g.zeroed_bytes = 0;
  g.memory_zeroed = launch.workgroup_memory_zeroed;
  g.ring = &ring;
  g.in_ring = false;
  g.driver_lost = false;
  g.driver = nullptr;
  if (!g.memory || g.memory_bytes != launch.workgroup_memory_bytes) [[unlikely]]
    g.make_storage(launch.workgroup_memory_bytes);
}

inline void tell_end(const Launch& launch, Group& g) {
  if (launch.observer) launch.observer->workgroup_ends(g);
}

void tell_end_and_progress(const Dispatch& dispatch, Group& g, std::uint64_t done) {
  tell_end(*dispatch.launch, g);
  (*dispatch.launch->progress)(done, dispatch.groups);
}

}  // namespace

inline void Worker::admit_and_run(Fiber* here) {
  if (!now_.launch->choice) return admit_several_and_run(here);
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
  while (may_begin && admission_.has_tickets() && !now_.is_known_to_have_failed()) {
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
  if (now_.is_known_to_have_failed()) admission_.drop_tickets();
}

inline Group* Worker::make_group(std::uint64_t number) {
  Group* room = nullptr;
  try {
    room = groups_.take();
    begin(*room, *now_.launch, turns_.ring(), number);
    residents_.begin(*room);
    patience_.note_progress();
    if (now_.launch->observer) now_.launch->observer->workgroup_begins(*room);
  } catch (...) {
    refuse_group(room);
    return nullptr;
  }
  return room;
}

inline void Worker::run_group(Group& g, Fiber* here) {
  now_.group = &g;
  now_.slot = nullptr;
  g.driver_fiber = here;
  if (!here) home_group_ = &g;
  const Launch& launch = *now_.launch;
  if (launch.waits_unannounced && launch.run.one) [[unlikely]] {
    g.prepare_slots(launch);
    return await_group(g);
  }
  // While nothing waits, the next workgroup is the same one with another number.
  const std::uint32_t ran = launch.run.all(launch.kernel, g, admission_.tickets_left());
  if (!g.waited) {
    g.finished = g.size;
    return;
  }
  if (g.in_ring) rings_.end(g);
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
  if (next.kind != Pick::Driver || next.group != &g) stacks_.leave(next, &g.driver, g.driver_fiber);
  g.driver = nullptr;
}

[[gnu::hot]] void Worker::retire(Group& g, std::uint64_t workgroups) {
  residents_.end(g);
  if (adversary_.is_there()) [[unlikely]]
    adversary_.forget(g);
  groups_.give(g);
  now_.group = nullptr;
  now_.slot = nullptr;
  patience_.note_progress();
  admission_.leave_place();
  Dispatch& dispatch = *now_.dispatch;
  const std::uint64_t done = dispatch.add(dispatch.groups_done, workgroups) + workgroups;
  // Last, so that nothing needs to be kept for afterwards.
  const Launch& launch = *now_.launch;
  if (launch.progress && *launch.progress) [[unlikely]]
    return tell_end_and_progress(dispatch, g, done);
  tell_end(launch, g);
}

/// Ends the invocations before `index` that ran as plain calls.
void Worker::finish_before(Group& g, std::uint32_t index) {
  for (std::uint32_t i = g.next_unstarted; i < index; ++i) {
    Slot* slot = g.begin + i;
    if (slot->state != SlotState::Unstarted) continue;
    if (now_.launch->choice) slot->place = g.walk.place_of(i);
    finish(g, slot);
  }
}

void Worker::run_started(Group& g, Slot* slot, Fiber* here) {
  now_.group = &g;
  now_.slot = slot;
  slot->state = SlotState::Started;
  slot->fiber = here;
  const std::uint32_t index = g.index_of(slot);
  now_.launch->run.one(now_.launch->kernel, g, index, true);
  finish(g, slot);
}

[[gnu::hot]] void Worker::finish(Group& g, Slot* slot) {
  slot->state = SlotState::Finished;
  slot->context = nullptr;
  slot->hold();
  ++g.finished;
  if (now_.launch->choice) {
    g.leave_out(*slot);
  } else {
    g.cursor = g.index_of(slot) + 1;
  }
  patience_.note_progress();
  now_.slot = nullptr;
  if (g.finished != g.size) [[likely]]
    return;
  if (g.driver_lost) return retire(g);
  if (g.driver) residents_.note_complete(g);
}

// --- waiting --------------------------------------------------------------------------------

inline void Worker::begin_waiting(Group& g, std::uint32_t index, bool in_step) {
  if (index == 0 && in_step && has_rings_ && begin_ring(g)) return;
  if (!g.waited) g.prepare_slots(*now_.launch);
  if (g.next_unstarted < index) finish_before(g, index);
  g.next_unstarted = index + 1;
  Slot* slot = g.begin + index;
  // The walk has come to no invocation yet.
  if (now_.launch->choice) slot->place = g.walk.place_of(index);
  slot->state = SlotState::Started;
  slot->fiber = g.driver_fiber;
  now_.slot = slot;
  // There was no memory for the ring: the others do not begin.
  if (is_unwinding()) [[unlikely]]
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
  if (is_unwinding()) [[unlikely]] {
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
    now_.group = next.group;
    now_.slot = self;
  } else {
    stacks_.leave(next, &self->context, self->fiber);
  }
  *exceptions_ = mine;
  // Not while an exception is already on its way through a destructor that waits.
  if (is_unwinding() && mine.uncaught == 0) [[unlikely]]
    unwind();
}

void Worker::check_failed() {
  if (!is_unwinding() && now_.has_failed()) begin_unwinding();
}

// --- who is next ----------------------------------------------------------------------------

[[gnu::hot]] Pick Worker::pick_in(Group& g, Slot* self) {
  if (!g.waited) return {};
  const std::uint32_t first = self ? g.index_of(self) + 1 : g.cursor;
  const auto ready = [&] { return now_.launch->choice ? g.ready_in_walk() : g.ready_from(first % g.size); };
  Slot* slot = ready();
  if (!slot && meetings_.resolve(g)) {
    patience_.note_progress();
    slot = ready();
  }
  if (!slot) return {};
  return Pick::of(g, slot);
}

[[gnu::hot]] Pick Worker::pick(Slot* self, Turn turn) {
  Choice* const choice = now_.launch->choice;
  // The usual case when invocations start and end: the next one of the same workgroup.
  if (!choice && !residents_.has_complete() && now_.group && now_.group->waited) {
    Group& g = *now_.group;
    const std::uint32_t index = self ? g.index_of(self) + 1 : g.cursor;
    Slot* slot = g.begin + (index == g.size ? 0 : index);
    if (g.is_ready(*slot)) {
      return Pick::of(g, slot);
    }
  }
  for (;;) {
    if (residents_.empty()) return pick_first();
    if (residents_.has_complete()) return {Pick::Driver, 0, &residents_.take_complete()};
    if (choice) {
      if (turn == Turn::Near && now_.group) {
        if (const Pick next = pick_in(*now_.group, nullptr); next.kind != Pick::Nothing) return next;
      }
      if (!residents_.choose(*choice, admission_)) return {Pick::Admit, 0, nullptr};
    } else {
      residents_.turn_to(now_.group);
    }
    const Pick next = pick_in_turn(self);
    if (next.kind != Pick::Nothing) return next;
    // Something was reported, and everybody is on the way out: look again.
  }
}

Pick Worker::pick_in_turn(Slot* self) {
  if (const Pick next = pick_in(residents_.in_turn(), self); next.kind != Pick::Nothing) return next;
  return pick_elsewhere();
}

Pick Worker::pick_elsewhere() {
  const std::vector<Group*>& all = residents_.all();
  const auto anybody = [this](Group& g) { return pick_in(g, nullptr); };
  if (const Pick next = residents_.pick_behind(all.size() - 1, anybody); next.kind != Pick::Nothing) return next;
  if (adversary_.is_there() && adversary_.settle(all, admission_, patience_.rotations() != 0)) [[unlikely]]
    return pick_in_turn(nullptr);
  // Every resident has polled or waits. A workgroup in which no invocation polls will never go on.
  for (Group* g : all) {
    if (g->waited && g->finished < g->size && !g->anybody_polls()) {
      fail_at(divergence(*g, *now_.launch));
      return {};
    }
  }
  if (admission_.can_admit() && (now_.launch->choice || patience_.rotations() >= kRotationsBeforeAdmission)) {
    patience_.forget_rotations();
    return {Pick::Admit, 0, nullptr};
  }
  rounds_.begin(all);
  if (patience_.rotate()) {
    check_failed();
    if (!is_unwinding() && patience_.is_in_vain(all, admission_)) fail_at(no_progress(all, *now_.dispatch));
  }
  if (is_unwinding()) return {};
  return residents_.pick_behind(all.size(), anybody);
}

}  // namespace heddle::runtime
