#pragma once

#include <heddle/detail/runtime.h>

#include "runtime/fiber.h"
#include "runtime/same_place.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <csetjmp>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::runtime {

/// A suspended invocation can go on once `*phase != seen`; these two say it for ever.
inline constexpr std::uint32_t kReadyPhase = 1;
inline constexpr std::uint32_t kNeverPhase = 0;

/// Thrown inside an invocation that must go away because the dispatch failed. Deliberately not a
/// std::exception, so that a kernel's handlers for those let it pass.
struct Unwind {};

class Worker;

enum class SlotState : std::uint8_t { Unstarted, Started, Finished };

/// Who may be next, where an oracle decides: whoever the workgroup's walk leads to (of another
/// workgroup only if none of this one can go on), or anybody.
enum class Turn : std::uint8_t { Near, Anywhere };

/// What a suspended invocation waits for. One that waits at the workgroup's barrier is known by its
/// `phase`, so that a barrier need not say so; WorkgroupBarrier is for those at another one.
enum class WaitKind : std::uint8_t {
  Nothing,
  WorkgroupBarrier,
  NamedBarrier,
  Subgroup,
  Poll,
  Preempted,
};

/// One invocation of a resident workgroup: what every switch touches, in one cache line.
struct alignas(64) Slot {
  /// Where its suspended stack goes on.
  Context context = nullptr;
  /// A suspended invocation can go on once `*phase != seen`.
  const std::uint32_t* phase = nullptr;
  std::uint32_t seen = 0;
  SlotState state = SlotState::Unstarted;
  WaitKind wait = WaitKind::Nothing;
  /// The round of polling in which this invocation last yielded.
  std::uint32_t polled_in_round = 0;
  /// In the walk, since it came there last.
  std::uint32_t place = 0;
  /// On which it runs; null: on the thread's own stack.
  Fiber* fiber = nullptr;
  /// Where it waits. Not kept for a workgroup barrier: there the barrier knows.
  SourceLocation where;

  bool can_go_on() const { return *phase != seen; }
  /// From now on it can go on, or cannot unless somebody lets it.
  void let_go() {
    phase = &kReadyPhase;
    seen = 0;
  }
  void hold() {
    phase = &kNeverPhase;
    seen = kNeverPhase;
  }
};
static_assert(sizeof(Slot) == 64);

/// What only the slower ways of waiting touch.
struct SlotDetail {
  SubgroupFunction function = nullptr;
  void* payload = nullptr;
  std::uint32_t ordinal = 0;
  std::uint32_t subgroups = 0;
  Poll poll;
};

struct WorkgroupBarrier {
  std::uint32_t missing = 0;
  std::uint32_t phase = 0;
  SourceLocation where;

  /// From now on `slot` waits until all have come.
  void hold(Slot& slot) const {
    slot.phase = &phase;
    slot.seen = phase;
  }
};

struct NamedBarrier {
  /// For how many it was made, as the first one to come said; 0: nobody has come.
  std::uint32_t subgroups = 0;
  /// Subgroups all of whose lanes have arrived, and how many lanes of each have.
  std::uint32_t complete = 0;
  std::vector<std::uint32_t> lanes;
};

/// The order in which invocations go on where an oracle decides: a random walk through all of them,
/// `i, i + stride, i + 2 stride ...`, which is known ahead. Each invocation has a place in it.
class Walk {
 public:
  /// All of `size` invocations, in an order that `choice` gives.
  void begin(std::uint32_t size, Choice& choice) {
    size_ = size;
    if (size != 1) return begin_in_order_of(choice);
    stride_ = first_ = inverse_ = 0;
    begin_at_first();
  }
  /// Goes on from an invocation that `choice` gives.
  void jump(Choice& choice) {
    const std::uint32_t index = choice.below(size_, ChoicePoint::Invocation);
    go_to(place_of(index), index);
  }
  /// Who comes next, and its place, and who comes then. Behind the last place it is the first one again.
  std::uint32_t index() const { return index_; }
  std::uint32_t place() const { return place_; }
  std::uint32_t index_after() const { return index_after_; }
  void step() { go_to(place_ + 1, index_after_); }
  void go_to(std::uint32_t place) { go_to(place, (first_ + place * stride_) % size_); }
  // No product is too large: a workgroup has at most 2^16 invocations.
  std::uint32_t place_of(std::uint32_t index) const {
    // To divide takes longer than all the rest.
    if (size_ == 1) return 0;
    return (index < first_ ? index + size_ - first_ : index - first_) * inverse_ % size_;
  }

  /// Invocations that need not be looked at before the others have come: those that wait at the
  /// workgroup's barrier, or have finished.
  void leave_out(std::uint32_t place) { left_[place / 64] &= ~(std::uint64_t{1} << place % 64); }
  /// The first place from `place` on of an invocation that is to be looked at; the size if there is none.
  std::uint32_t first_from(std::uint32_t place) const;
  void look_at_all() {
    const std::size_t whole = size_ / 64;
    if (left_.size() != whole + 1) [[unlikely]] return look_at_all_of_another_size();
    for (std::size_t word = 0; word < whole; ++word) left_[word] = ~std::uint64_t{0};
    left_[whole] = (std::uint64_t{1} << size_ % 64) - 1;
  }

 private:
  [[gnu::noinline]] void begin_in_order_of(Choice& choice);
  void begin_at_first() {
    go_to(0, first_);
    look_at_all();
  }
  void go_to(std::uint32_t place, std::uint32_t index) {
    place_ = place;
    index_ = index;
    index_after_ = index + stride_ < size_ ? index + stride_ : index + stride_ - size_;
  }
  [[gnu::noinline]] void look_at_all_of_another_size();

  std::uint32_t size_ = 1;
  std::uint32_t stride_ = 0;
  /// Who has place 0, and the inverse of the stride modulo the size.
  std::uint32_t first_ = 0;
  std::uint32_t inverse_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t place_ = 0;
  std::uint32_t index_after_ = 0;
  /// Who is to be looked at, by place.
  std::vector<std::uint64_t> left_;
};

/// A resident workgroup with what the scheduler knows of it.
struct Group : Workgroup {
  Slot* begin = nullptr;
  Slot* end = nullptr;
  std::uint32_t size = 0;
  std::uint32_t finished = 0;
  /// Of the invocations that run as plain calls: all below have finished or wait.
  std::uint32_t next_unstarted = 0;
  /// Whether any invocation has waited: only then the slots mean anything.
  bool waited = false;
  /// Whether its invocations kept step from the first wait to the end.
  bool kept_step = false;
  /// Whether its invocations take turns. No slot means anything then.
  bool in_ring = false;
  /// The driver's frames were given up after a trap: whoever finishes last retires the workgroup.
  bool driver_lost = false;
  /// The stack that runs the workgroup, while it waits for the workgroup's invocations.
  Context driver = nullptr;
  /// The fiber of that stack; null if it is the thread's own.
  Fiber* driver_fiber = nullptr;
  WorkgroupBarrier barrier;
  bool first_turn = false;
  /// How many lanes of each subgroup wait at a subgroup operation; empty if none ever did.
  std::vector<std::uint32_t> subgroup_arrived;
  std::vector<NamedBarrier> named;
  std::uint32_t round = 1;
  /// Where to look for the next invocation after one has finished.
  std::uint32_t cursor = 0;
  /// The same where an oracle decides.
  Walk walk;

  /// Of spare ones.
  Group* next_spare = nullptr;

  std::vector<Slot> slots;
  std::vector<SlotDetail> details;
  std::vector<std::byte> storage;

  std::uint32_t index_of(const Slot* slot) const {
    return static_cast<std::uint32_t>(slot - begin);
  }
  SlotDetail& detail(const Slot* slot) { return details[index_of(slot)]; }
  std::uint32_t& lanes_arrived(std::uint32_t subgroup) {
    if (subgroup_arrived.empty()) subgroup_arrived.resize(grid->subgroups);
    return subgroup_arrived[subgroup];
  }
  bool at_barrier(const Slot& slot) const { return slot.phase == &barrier.phase; }
  /// Whether it may be next: it can go on, and has not polled in this round.
  bool is_ready(const Slot& slot) const { return slot.can_go_on() && slot.polled_in_round != round; }

  /// The one that the walk comes to next, if it is ready; null, and the walk stays where it is, if it is not.
  // (It is found by a step, and does not wait for the bits, which every turn writes: see runtime/README.md. Who is not
  // to be looked at is not ready.)
  [[gnu::always_inline]] Slot* next_in_walk() {
    Slot* slot = begin + walk.index();
    if (!is_ready(*slot) || walk.place() == size) [[unlikely]] return nullptr;
    slot->place = walk.place();
    walk.step();
    prefetch_walk();
    return slot;
  }
  // Which invocation comes two and one turns later is known: its slot, and then the hot end of its stack,
  // are asked for in time.
  [[gnu::always_inline]] void prefetch_walk() const {
    const auto* top = static_cast<const std::byte*>(begin[walk.index()].context);
    // Of one that has not begun there is nothing to ask for; to find out that nothing is at null takes long.
    if (!top) return;
    constexpr int kHotLines = 5;
    for (int line = 0; line < kHotLines; ++line) __builtin_prefetch(top + 64 * line);
    __builtin_prefetch(begin + walk.index_after());
  }
};

/// What the workers of one dispatch share.
struct Dispatch {
  Dispatch(const Launch& what, std::uint64_t of_groups, std::uint32_t workers)
      : launch(&what), groups(of_groups), alone(workers == 1) {}

  const Launch* launch;
  std::uint64_t groups;
  /// It has one worker: nobody else counts anything here.
  bool alone;
  // Lines of their own: each is written for every workgroup.
  alignas(64) std::atomic<std::uint64_t> next_group{0};
  alignas(64) std::atomic<std::uint64_t> groups_done{0};
  alignas(64) std::atomic<std::uint32_t> resident{0};
  std::atomic<std::uint32_t> resident_peak{0};
  std::atomic<std::uint64_t> fibers{0};
  std::atomic<bool> failed{false};
  /// Workers that are at work, and those of them that have seen nothing but polling for long.
  std::atomic<std::uint32_t> busy{0};
  std::atomic<std::uint32_t> stale{0};
  std::mutex mutex;
  std::unique_ptr<Failure> failure;

  /// Keeps the first failure.
  void fail(Failure f);

  /// Adds to one of the counters and returns what it was.
  template <typename Count>
  Count add(std::atomic<Count>& counter, std::type_identity_t<Count> n,
            std::memory_order order = std::memory_order_relaxed) const {
    if (!alone) [[unlikely]] return counter.fetch_add(n, order);
    const Count before = counter.load(std::memory_order_relaxed);
    counter.store(static_cast<Count>(before + n), std::memory_order_relaxed);
    return before;
  }
  template <typename Count>
  void subtract(std::atomic<Count>& counter, std::type_identity_t<Count> n,
                std::memory_order order = std::memory_order_relaxed) const {
    add(counter, static_cast<Count>(0 - n), order);
  }
};

/// The worker of the calling thread; null if the thread never worked.
extern constinit thread_local Worker* worker_of_thread;

/// One thread's part in a dispatch. All its stacks are its own, for ever.
class Worker {
 public:
  /// The worker of the calling thread: made on first use, kept until the thread ends.
  static Worker& of_thread() {
    if (!worker_of_thread) [[unlikely]] make_for_thread();
    return *worker_of_thread;
  }
  /// The same, or null if the thread never worked. Safe in a signal handler.
  static Worker* of_thread_if_any() noexcept;

  void run(Dispatch& dispatch);

  // On the stack of an invocation.
  void begin_waiting(Group& group, std::uint32_t index, bool in_step);
  void workgroup_barrier(const SourceLocation& where);
  void subgroup_operation(SourceLocation where, SubgroupFunction function, void* payload);
  void named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups);
  void yield(SourceLocation where, const Poll& poll);
  std::string who_is_where() const;
  /// The same where an oracle decides who goes on: the invocation makes the switch.
  Handover walk_to_barrier(const char* file, const char* function, std::uint32_t line);
  Handover preempt(const char* file, const char* function, std::uint32_t line);
  bool invocation_ended();
  void fail(Failure failure);
  /// As fail, with the coordinates of invocation `index` of `group`.
  void kernel_threw(Group& group, std::uint32_t index);

  // For the fault handler.
  Fiber* running_fiber() const;
  bool at_work() const { return dispatch_ != nullptr && group_ != nullptr; }
  bool overflowed(const void* address) const;
  /// A stack pointer from which `abandon` can be called when the running stack is unusable.
  void* landing_stack() const;
  /// Gives up the frames of the running invocation, fails the dispatch and goes on.
  [[noreturn]] void abandon(FindingKind kind);

 private:
  friend struct ThreadWorker;

  /// What runs next on this thread.
  struct Pick {
    enum Kind : std::uint8_t { Nothing, Resume, Start, Driver, Admit, Ring, Park } kind = Nothing;
    /// Of the invocation that resumes or starts. (Not its slot: this much is handed on in registers.)
    std::uint32_t index = 0;
    Group* group = nullptr;

    Slot* slot() const { return group->begin + index; }
  };

  Worker();
  ~Worker();
  [[gnu::noinline]] static void make_for_thread();

  [[gnu::noinline]] void forget_fibers();
  void begin_dispatch(Dispatch& dispatch);
  void end_dispatch();
  static void fiber_main(void* worker);
  [[noreturn]] void fiber_loop(Fiber* self);
  void home_loop();

  bool groups_left() const {
    return tickets_left_ != 0 || (!dispatch_->failed.load(std::memory_order_relaxed) &&
                                  dispatch_->next_group.load(std::memory_order_relaxed) < dispatch_->groups);
  }
  bool can_admit() const {
    return (reserved_ || dispatch_->resident.load(std::memory_order_relaxed) < launch_->resident_workgroups) &&
           groups_left();
  }
  /// Takes one of the places for resident workgroups; false if all are taken.
  bool reserve();
  void count_resident();
  [[gnu::noinline]] bool reserve_among_many();
  /// Takes the numbers of the workgroups that follow.
  void take_tickets();
  /// Waits until another workgroup may become resident; false if none is left.
  bool await_admission();
  void admit_and_run(Fiber* here);
  void admit_several_and_run(Fiber* here);
  void run_group(Group& g, Fiber* here);
  void await_group(Group& g);
  /// Ends `g`, which has been `workgroups` workgroups one after the other.
  void retire(Group& g, std::uint64_t workgroups = 1);
  void tell_end(Group& g) const;
  [[gnu::noinline]] void tell_end_and_progress(Group& g, std::uint64_t done) const;
  std::uint64_t number(const Group& g) const;
  Group& make_group(std::uint64_t number);
  [[gnu::noinline]] Group* make_spare();
  [[gnu::noinline]] void make_storage(Group& g) const;
  [[gnu::noinline]] void make_slots(Group& g) const;
  void run_started(Group& g, Slot* slot, Fiber* here);
  [[gnu::noinline]] void prepare_slots(Group& g);
  [[gnu::noinline]] void finish_before(Group& g, std::uint32_t index);
  [[gnu::noinline]] void remove_resident(Group& g);
  void forget_waits(Group& g);
  [[gnu::noinline]] static void forget_arrivals(Group& g);
  void finish(Group& g, Slot* slot);
  void begin_ring(Group& g);
  void begin_last_turn();
  bool in_last_turn() const;
  bool may_begin_last_turn(const Group& g) const;
  void end_ring(Group& g);
  void turn_leads_to(const SourceLocation& where, std::uint32_t line);
  bool turns_around(const Group& g) const;
  void take_turn(Group& g);
  Context* last_lane(const Group& g, std::uint32_t subgroup, std::ptrdiff_t step) const;
  Context* next_last_lane(const Group& g, std::uint32_t subgroup) const;
  bool is_regular(const SourceLocation& where, std::uint32_t line) const;
  bool compute_in_turn(Group& g, const SourceLocation& where, SubgroupFunction function,
                       void* payload);
  void wait_after_turn(Group& g, std::uint32_t index, std::uint32_t irregular, std::uint32_t line);
  void leave_ring(Group& g);
  bool go_home(Fiber* self);
  void forget_ring(Group& g);
  void give_ring_back();
  void park_from_ring(std::uint32_t index);
  bool in_ring() const { return group_ && group_->in_ring; }
  std::uint32_t turn_index() const { return static_cast<std::uint32_t>(ring_.current - ring_.begin); }
  /// The running invocation's slot, after its workgroup has left the ring if it was in one.
  Slot* outside_ring() {
    if (in_ring()) [[unlikely]] leave_ring(*group_);
    return current_;
  }
  [[gnu::noinline]] void last_finished(Group& g);

  /// Waits until `*self->phase != self->seen`.
  void suspend(Slot* self);
  /// The same for one that could go on: somebody else comes first.
  void suspend_outside_ring(Slot* self, Turn turn = Turn::Near);
  enum class AtBarrier : std::uint8_t { Waits, GoesOn, Elsewhere };
  AtBarrier come_to_barrier(Group& g, Slot* self, const SourceLocation& where);
  /// Where the invocation waits at the workgroup's barrier, or has finished. (Those who unwind go on without
  /// the walk having come to them.)
  void leave_out(Group& g, const Slot* slot) const {
    if (launch_->choice && !ring_.unwinding) g.walk.leave_out(slot->place);
  }
  void tell_meeting(Group& g, std::uint32_t first, std::uint32_t count);
  void complete_named_barrier(Group& g, std::uint32_t ordinal);
  void check_failed();
  void begin_unwinding();
  void release(Group& g);

  /// Whose turn it is after `self`, which waits; null: after one that has finished.
  Pick pick(Slot* self, Turn turn = Turn::Near);
  Pick pick_next();
  static Pick picked(Group& g, Slot* slot);
  Pick pick_in(Group& g, Slot* self);
  // Nearly always it is the one that the walk comes to next.
  [[gnu::always_inline]] static Slot* ready_in_walk(Group& g) {
    if (Slot* slot = g.next_in_walk()) [[likely]] return slot;
    return ready_behind(g);
  }
  [[gnu::noinline]] static Slot* ready_behind(Group& g);
  bool can_walk() const { return walks_ && exceptions_->none(); }
  bool can_hand_over() const;
  Handover hand_over(Slot* self, Group& g, Slot* next);
  [[gnu::noinline]] Handover start(Slot* self, Group& g, Slot* next);
  [[gnu::noinline]] Handover hand_over_behind(Slot* self);
  [[gnu::noinline]] Handover hand_over_elsewhere(Slot* self);
  [[gnu::noinline]] Handover wait_at_barrier(const char* file, const char* function, std::uint32_t line);
  bool choose_group();
  Pick pick_first();
  Pick pick_in_turn(Slot* self);
  Pick pick_elsewhere();
  Slot* ready_in(Group& g, std::uint32_t first) const;
  bool polls(const Group& g) const;
  bool resolve_subgroups(Group& g);
  bool resolve_subgroup(Group& g, std::uint32_t subgroup);
  void stalled(Group& g);
  /// Whoever polled may be next again.
  void begin_round();
  /// Somebody is interrupted. He may do without end what is no polling, and what others poll for may have come.
  void count_interruption() {
    if (polls_of_round_ == 0) [[likely]] return;
    if (++interruptions_of_round_ > polls_of_round_ + kInterruptionsOfRound) begin_round();
  }
  void rotation_without_progress();
  Finding divergence(Group& g) const;
  Finding no_progress() const;
  std::string not_started() const;

  void prefetch_parked() const;
  Fiber* take_fiber();
  /// One that will find that to do.
  Fiber* take_fiber_for(Pick pick);
  [[gnu::noinline]] void make_fiber();
  void park(Fiber* fiber);
  /// Who will run next runs now: the stack, and its fiber, that are to be switched to.
  std::pair<Context, Fiber*> make_way(Pick pick);
  [[gnu::always_inline]] void switch_to(Context* save, Context to) { swap_context(save, to, &ring_); }
  /// Leaves the running stack, `here` (null: the thread's own), whose context goes to `*save`, for
  /// what `pick` says; Nothing leads to the thread's own stack.
  void leave(Pick pick, Context* save, Fiber* here);
  Announced& announced(Fiber* fiber) { return fiber ? fiber->announced : home_stack_; }

  ExceptionGlobals* exceptions_;
  /// The running invocation's slot; null on a stack that runs none, or plain calls only.
  Slot* current_ = nullptr;
  Group* group_ = nullptr;
  /// Whether an oracle decides, and invocations make the switch themselves: as long as nothing has failed, and
  /// where no sanitizer wants to hear of switches.
  bool walks_ = false;
  /// Whether workgroups may run as rings: natively, and where no sanitizer wants to hear of switches.
  bool rings_ = false;
  /// Whether the second turn already goes back, as for every other worker of a dispatch.
  bool turns_around_at_once_ = true;

  Dispatch* dispatch_ = nullptr;
  const Launch* launch_ = nullptr;
  std::vector<Group*> residents_;
  std::vector<std::unique_ptr<Group>> groups_;
  /// The first one of those that are nobody's.
  Group* spare_ = nullptr;
  std::vector<Group*> complete_;
  /// Those that the barrier or subgroup operation at hand lets go.
  std::vector<std::uint32_t> meeting_;
  /// The workgroup that takes turns; the stacks and fibers stay in it from one to the next.
  Ring ring_;
  std::vector<Context> ring_contexts_;
  std::vector<Fiber*> ring_fibers_;
  std::vector<void*> ring_payloads_;
  std::uint32_t ring_size_ = 0;
  std::size_t turn_ = 0;
  /// Workgroups that this worker took from the shared counter at once, and not yet ran.
  std::uint64_t tickets_left_ = 0;
  std::uint64_t tickets_end_ = 0;
  /// A place for a resident workgroup that this worker keeps for the first of those.
  bool reserved_ = false;
  std::uint64_t chunk_ = 1;
  std::chrono::steady_clock::time_point chunk_begun_;

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> parked_;
  std::size_t fiber_bytes_ = 0;
  /// When the dispatch began: how many were parked. And in it: the fewest that were, and how many were made.
  std::size_t parked_before_ = 0;
  std::size_t parked_low_ = 0;
  std::uint64_t fibers_made_ = 0;
  /// What the fiber that is being switched to has to do, if it is at nothing.
  Pick job_;
  /// Who waits for a fiber to be parked.
  Context asker_ = nullptr;

  Context home_ = nullptr;
  Announced home_stack_;
  /// The fiber that is being switched to for its first time.
  Fiber* fresh_ = nullptr;
  Group* home_group_ = nullptr;

  /// In a round others than those who poll get as many turns as these, and a few more.
  static constexpr std::uint64_t kInterruptionsOfRound = 64;
  std::uint64_t polls_of_round_ = 0;
  std::uint64_t interruptions_of_round_ = 0;
  std::uint64_t local_progress_ = 0;
  std::uint64_t seen_progress_ = 0;
  std::uint64_t rotations_ = 0;
  std::chrono::steady_clock::time_point stale_since_;
  bool counted_stale_ = false;

  /// Where `run` is gone on with after a trap on the thread's own stack, and a stack to get there.
  std::jmp_buf recovery_{};
  static constexpr std::size_t kLandingBytes = 64 * 1024;
  std::unique_ptr<std::byte[]> landing_ = std::make_unique<std::byte[]>(kLandingBytes);
};

/// Any resident may be next: `turn_` says which. False if it is one that is not resident yet. (There is one that
/// is.)
[[gnu::always_inline]] inline bool Worker::choose_group() {
  const auto residents = static_cast<std::uint32_t>(residents_.size());
  const std::uint32_t options = residents + (can_admit() ? 1 : 0);
  turn_ = 0;
  if (options > 1) {
    const std::uint32_t chosen = launch_->choice->below(options, ChoicePoint::Workgroup);
    if (chosen == residents) return false;
    turn_ = chosen;
  }
  Group& group = *residents_[turn_];
  if (group.waited) group.walk.jump(*launch_->choice);
  return true;
}

}  // namespace heddle::runtime
