#pragma once

/// \file
/// Runs the invocations of workgroups: which one is next, what each of them waits for, and when it can go on.

#include "runtime/admission.h"
#include "runtime/dispatch.h"
#include "runtime/fairness.h"
#include "runtime/group_pool.h"
#include "runtime/meetings.h"
#include "runtime/patience.h"
#include "runtime/pick.h"
#include "runtime/residents.h"
#include "runtime/rings.h"
#include "runtime/rounds.h"
#include "runtime/running.h"
#include "runtime/stacks.h"
#include "runtime/standstill.h"
#include "runtime/trap.h"
#include "runtime/turns.h"

#include <csetjmp>
#include <string>

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
  Handover preempt(const char* file, const char* function, std::uint32_t line);
  void fail(Failure failure);
  /// Leaves the running invocation by an exception, because the dispatch has failed.
  [[noreturn]] void unwind();
  /// Where an oracle decides which invocation goes on, the invocation itself makes the switch.
  friend Handover walk_to_barrier(const char* file, const char* function, std::uint32_t line);
  friend bool invocation_ended();
  friend void poll_in_region(const Workgroup& group, std::uint32_t index, SourceLocation where, const Poll& poll);
  friend std::string who_is_where();

  // For the fault handler:
  const Running& running() const { return now_; }
  const Stacks& stacks() const { return stacks_; }
  /// The fiber that the thread runs on; null: on its own stack.
  Fiber* running_fiber() const;
  /// Fails the dispatch, gives up the frames of the running invocation and goes on.
  [[noreturn]] void abandon(FindingKind kind);
  /// Gives up the frames of the running invocation, whose dispatch has failed, and goes on.
  [[noreturn]] void give_up();
  /// The instruction for which `abandon` is going to be called.
  Trap& trap() { return trap_; }

 private:
  friend struct ThreadWorker;

  Worker();
  ~Worker();
  [[gnu::noinline]] static void make_for_thread();

  void begin_dispatch(Dispatch& dispatch);
  void end_dispatch();
  static void fiber_main(void* worker);
  [[noreturn]] void fiber_loop(Fiber* self);
  void home_loop();

  void admit_and_run(Fiber* here);
  void admit_several_and_run(Fiber* here);
  void run_group(Group& g, Fiber* here);
  void await_group(Group& g);
  /// Ends `g`, which has been `workgroups` workgroups one after the other.
  void retire(Group& g, std::uint64_t workgroups = 1);
  Group* make_group(std::uint64_t number);
  // Where memory runs out (runtime/exhausted.cpp):
  [[gnu::cold]] void out_of_memory(const Group* g, std::string what);
  [[gnu::noinline]] bool make_fiber();
  [[gnu::cold, gnu::noinline]] void refuse_group(Group* g);
  void run_started(Group& g, Slot* slot, Fiber* here);
  [[gnu::noinline]] void finish_before(Group& g, std::uint32_t index);
  void finish(Group& g, Slot* slot);
  bool begin_ring(Group& g);
  /// The running invocation's slot, after its workgroup has left the ring if it was in one.
  Slot* outside_ring() {
    if (now_.is_in_ring()) [[unlikely]]
      rings_.leave(*now_.group);
    return now_.slot;
  }

  /// Waits until `*self->phase != self->seen`.
  void suspend(Slot* self);
  /// Lets another invocation run first, though `self` could go on.
  void suspend_outside_ring(Slot* self, Turn turn = Turn::Near);
  bool is_unwinding() const { return turns_.ring().unwinding; }
  void check_failed();
  void begin_unwinding();
  void release(Group& g);
  /// As fail, with the calls of the invocation that the finding names.
  void fail_at(Standstill standstill);

  /// Whose turn it is after `self`, which waits; null: after one that has finished.
  Pick pick(Slot* self, Turn turn = Turn::Near);
  Pick pick_first();
  Pick pick_next();
  Pick pick_in(Group& g, Slot* self);
  Pick pick_in_turn(Slot* self);
  Pick pick_elsewhere();
  /// `next`, for which there is a fiber if it needs one. Where there is no memory for one: what is next on the way out.
  [[gnu::always_inline]] Pick pick_with_fiber(Pick next, Slot* self, Turn turn) {
    while (next.needs_fiber() && !stacks_.fibers().has_parked() && !make_fiber()) next = pick(self, turn);
    return next;
  }

  // By a switch that the invocation makes itself:
  bool can_walk() const { return walks_ && exceptions_->none(); }
  bool can_hand_over() const;
  Handover hand_over(Slot* self, Group& g, Slot* next);
  [[gnu::noinline]] Handover start(Slot* self, Group& g, Slot* next);
  [[gnu::noinline]] Handover hand_over_behind(Slot* self);
  [[gnu::noinline]] Handover hand_over_elsewhere(Slot* self);
  [[gnu::noinline]] Handover wait_at_barrier(const char* file, const char* function, std::uint32_t line);

  ExceptionGlobals* exceptions_;
  Running now_;
  /// Whether an oracle decides, and invocations make the switch themselves: as long as nothing has failed, and
  /// where no sanitizer wants to hear of switches.
  bool walks_ = false;
  /// Whether workgroups may run as rings: natively, and where no sanitizer wants to hear of switches.
  bool has_rings_ = false;

  // The parts: which workgroups come, and where they have room, whose turn it is (also of those who poll, or in a
  // ring), who waits for whom, and for how long, and on which stacks they run.
  Residents residents_;
  Admission admission_;
  Adversary adversary_;
  GroupPool groups_;
  Meetings meetings_;
  Rounds rounds_;
  Trap trap_;
  Turns turns_;
  Patience patience_{now_};
  Stacks stacks_{now_, turns_.ring(), &Worker::fiber_main, this};
  Rings rings_{now_, turns_, stacks_, meetings_, patience_, admission_};

  Group* home_group_ = nullptr;
  /// The invocation whose calls belong to the failure: it is to note them when it unwinds.
  const Slot* asked_for_calls_ = nullptr;
  /// Where `run` is gone on with after a trap on the thread's own stack.
  std::jmp_buf recovery_{};
};

}  // namespace heddle::runtime
