#pragma once

/// \file
/// Runs the invocations of workgroups: which one is next, what each of them waits for, and when it can go on.

#include "runtime/admission.h"
#include "runtime/dispatch.h"
#include "runtime/fairness.h"
#include "runtime/fiber_pool.h"
#include "runtime/group.h"
#include "runtime/group_pool.h"
#include "runtime/meetings.h"
#include "runtime/rounds.h"
#include "runtime/standstill.h"
#include "runtime/trap.h"
#include "runtime/turns.h"
#include "runtime/unwind.h"

#include <heddle/detail/check.h>

#include <chrono>
#include <csetjmp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::runtime {

/// What may be next, where an oracle decides: the invocation that the workgroup's walk leads to (of another
/// workgroup only if none of this one can go on), or anybody.
enum class Turn : std::uint8_t { Near, Anywhere };

class Worker;

/// The worker of the calling thread; null if the thread never worked.
extern constinit thread_local Worker* worker_of_thread;

/// One thread's part in a dispatch. All its stacks are its own, for ever.
class Worker {
 public:
  /// The worker of the calling thread: made on first use, kept until the thread ends.
  static Worker& of_thread() {
    if (!worker_of_thread) [[unlikely]]
      make_for_thread();
    return *worker_of_thread;
  }
  /// The worker of the calling thread, or null if the thread never worked. Safe in a signal handler.
  static Worker* of_thread_if_any() noexcept;

  void run(Dispatch& dispatch);

  // On the stack of an invocation.
  void begin_waiting(Group& group, std::uint32_t index, bool in_step);
  void workgroup_barrier(const SourceLocation& where);
  void subgroup_operation(SourceLocation where, SubgroupFunction function, void* payload);
  void named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups);
  void yield(SourceLocation where, const Poll& poll);
  void poll_in_region(const Workgroup& group, std::uint32_t index, const SourceLocation& where, const Poll& poll);
  std::string who_is_where() const;
  /// Where an oracle decides which invocation goes on, the invocation itself makes the switch.
  friend Handover walk_to_barrier(const char* file, const char* function, std::uint32_t line);
  Handover preempt(const char* file, const char* function, std::uint32_t line);
  bool invocation_ended();
  void fail(Failure failure);
  /// Leaves the running invocation by an exception, because the dispatch has failed.
  [[noreturn]] void unwind();
  /// As fail, with the coordinates of invocation `index` of `group`.
  void kernel_threw(Group& group, std::uint32_t index);

  // For the fault handler.
  Fiber* running_fiber() const;
  bool is_in_dispatch() const { return dispatch_ != nullptr; }
  bool at_work() const { return dispatch_ != nullptr && group_ != nullptr; }
  bool overflowed(const void* address) const;
  /// A stack pointer from which `abandon` can be called when the running stack is unusable.
  void* landing_stack() const;
  /// Fails the dispatch, gives up the frames of the running invocation and goes on.
  [[noreturn]] void abandon(FindingKind kind);
  /// Gives up the frames of the running invocation, whose dispatch has failed, and goes on.
  [[noreturn]] void give_up();
  bool has_failed() const { return dispatch_->failed.load(std::memory_order_acquire); }
  /// The instruction for which `abandon` is going to be called.
  Trap& trap() { return trap_; }

 private:
  friend struct ThreadWorker;
  /// What runs next on this thread.
  struct Pick {
    enum Kind : std::uint8_t { Nothing, Resume, Start, Driver, Admit, Ring, Park } kind = Nothing;
    /// The index of the invocation that resumes or starts. (Its slot would be too much to hand on in registers.)
    std::uint32_t index = 0;
    Group* group = nullptr;

    static Pick of(Group& g, const Slot* slot) {
      return {slot->state == SlotState::Unstarted ? Start : Resume, g.index_of(slot), &g};
    }
    Slot* slot() const { return group->begin + index; }
    /// Whether it takes a fiber that is at nothing.
    bool needs_fiber() const { return kind == Start || kind == Admit; }
  };

  Worker();
  ~Worker();
  [[gnu::noinline]] static void make_for_thread();

  void begin_dispatch(Dispatch& dispatch);
  void end_dispatch();
  static void fiber_main(void* worker);
  [[noreturn]] void fiber_loop(Fiber* self);
  void home_loop();

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
  Group* make_group(std::uint64_t number);
  void begin_group(Group& g, std::uint64_t number);
  // Where memory runs out (runtime/exhausted.cpp):
  [[gnu::cold]] void out_of_memory(const Group* g, std::string what);
  [[gnu::noinline]] bool make_fiber();
  [[gnu::cold, gnu::noinline]] void refuse_group(Group* g);
  void run_started(Group& g, Slot* slot, Fiber* here);
  [[gnu::noinline]] void finish_before(Group& g, std::uint32_t index);
  [[gnu::noinline]] void remove_resident(Group& g);
  void finish(Group& g, Slot* slot);
  bool begin_ring(Group& g);
  bool fill_ring(std::uint32_t size);
  void end_ring(Group& g);
  void take_turn(Group& g);
  bool compute_in_turn(Group& g, const SourceLocation& where, SubgroupFunction function, void* payload);
  void wait_after_turn(Group& g, std::uint32_t index, std::uint32_t irregular, std::uint32_t line);
  void leave_ring(Group& g);
  bool go_home(Fiber* self);
  void give_ring_back();
  void park_from_ring(std::uint32_t index);
  bool in_ring() const { return group_ && group_->in_ring; }
  Ring& ring() { return turns_.ring(); }
  const Ring& ring() const { return turns_.ring(); }
  /// The running invocation's slot, after its workgroup has left the ring if it was in one.
  Slot* outside_ring() {
    if (in_ring()) [[unlikely]]
      leave_ring(*group_);
    return current_;
  }
  [[gnu::noinline]] void last_finished(Group& g);

  /// Waits until `*self->phase != self->seen`.
  void suspend(Slot* self);
  /// Lets another invocation run first, though `self` could go on.
  void suspend_outside_ring(Slot* self, Turn turn = Turn::Near);
  enum class AtBarrier : std::uint8_t { Waits, GoesOn, Elsewhere };
  AtBarrier come_to_barrier(Group& g, Slot* self, const SourceLocation& where);
  /// Where the invocation waits at the workgroup's barrier, or has finished. (Those who unwind go on without
  /// the walk having come to them.)
  void leave_out(Group& g, const Slot* slot) const {
    if (launch_->choice && !ring().unwinding) g.walk.leave_out(slot->place);
  }
  void check_failed();
  void begin_unwinding();
  void release(Group& g);

  /// Whose turn it is after `self`, which waits; null: after one that has finished.
  Pick pick(Slot* self, Turn turn = Turn::Near);
  Pick pick_next();
  Pick pick_in(Group& g, Slot* self);
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
  Pick pick_with_fiber(Pick next, Slot* self, Turn turn);
  void rotation_without_progress();
  /// As fail, with the calls of the invocation that the finding names.
  void fail_at(Standstill standstill);

  /// A fiber that will find that to do.
  Fiber* take_fiber_for(Pick pick);
  /// Who will run next runs now: the stack, and its fiber, that are to be switched to.
  std::pair<Context, Fiber*> make_way(Pick pick);
  [[gnu::always_inline]] void switch_to(Context* save, Context to) { swap_context(save, to, &ring()); }
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

  Dispatch* dispatch_ = nullptr;
  const Launch* launch_ = nullptr;
  std::vector<Group*> residents_;
  std::vector<Group*> complete_;
  /// The resident workgroup that is next, where any may be.
  std::size_t turn_ = 0;
  // The parts: which workgroups come, and where they have room, on which stacks they run, who waits for whom, and whose
  // turn it is: of those who poll, or in a ring.
  Admission admission_;
  Adversary adversary_;
  GroupPool groups_;
  Meetings meetings_;
  Rounds rounds_;
  Trap trap_;
  FiberPool fibers_{&Worker::fiber_main, this};
  Turns turns_;
  /// What the fiber that is being switched to has to do, if it is at nothing.
  Pick job_;
  /// Who waits for a fiber to be parked.
  Context asker_ = nullptr;

  Context home_ = nullptr;
  Announced home_stack_;
  /// The fiber that is being switched to for its first time.
  Fiber* fresh_ = nullptr;
  Group* home_group_ = nullptr;

  std::uint64_t local_progress_ = 0;
  std::uint64_t seen_progress_ = 0;
  std::uint64_t rotations_ = 0;
  std::chrono::steady_clock::time_point stale_since_;
  /// What the last invocation of a region polled, and since when it is the same.
  Poll region_poll_;
  std::chrono::steady_clock::time_point region_stale_since_;
  bool counted_stale_ = false;
  /// The invocation whose calls belong to the failure: it is to note them when it unwinds.
  const Slot* asked_for_calls_ = nullptr;

  /// Where `run` is gone on with after a trap on the thread's own stack, and a stack to get there.
  std::jmp_buf recovery_{};
  static constexpr std::size_t kLandingBytes = 64 * 1024;
  std::unique_ptr<std::byte[]> landing_ = std::make_unique<std::byte[]>(kLandingBytes);
};

/// `next`, for which there is a fiber if it needs one. Where there is no memory for one: what is next on the way out.
[[gnu::always_inline]] inline Worker::Pick Worker::pick_with_fiber(Pick next, Slot* self, Turn turn) {
  while (next.needs_fiber() && !fibers_.has_parked() && !make_fiber()) next = pick(self, turn);
  return next;
}

/// Any resident may be next: `turn_` says which. False if it is one that is not resident yet. (There is one that
/// is.)
[[gnu::always_inline]] inline bool Worker::choose_group() {
  const auto residents = static_cast<std::uint32_t>(residents_.size());
  const std::uint32_t options = residents + (admission_.can_admit() ? 1 : 0);
  turn_ = 0;
  if (options > 1) {
    const std::uint32_t chosen = launch_->choice->below(options, ChoicePoint::Workgroup);
    HEDDLE_CHECK(chosen < options, "an oracle chose a workgroup that is not among those it was asked of");
    if (chosen == residents) return false;
    turn_ = chosen;
  }
  Group& group = *residents_[turn_];
  if (group.waited) group.walk.jump(*launch_->choice);
  return true;
}

}  // namespace heddle::runtime
