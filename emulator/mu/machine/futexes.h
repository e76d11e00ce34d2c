#pragma once

/// \file
/// Queues of threads that wait on a location of the weak machine. Operations on queues happen one after the other; no
/// wake is lost, none is spurious.

#include <vector>

#include "emulator/mu/machine/memory.h"

namespace heddle::mu::machine {

/// A thread that waits, and the recorded event of its wait.
struct Waiter {
  ThreadIndex thread = 0;
  EventIndex wait = kNone;
};

//= mu:futex
class Futexes {
 public:
  Futexes(std::uint32_t most_threads, Memory& memory, Choice& choice)
      : threads_(most_threads), memory_(memory), choice_(choice) {}
  void restart();

  /// Loads, and if it sees the expected value the thread joins the queue.
  struct Wait {
    Loaded seen;
    bool waits = false;
  };
  Wait wait(const Access& access, Value expected);
  /// The wait of the thread runs out: an operation of its own. Returns the event of the wait.
  EventIndex expire(ThreadIndex thread);
  /// Takes min(limit, waiting) threads out of the queue, any ones; what they do from now on is synchronized with. The
  /// result is valid until the next call.
  const std::vector<Waiter>& wake(const Access& access, std::int64_t limit);
  struct Requeue {
    Loaded seen;
    bool performed = false;
  };
  /// If it sees the expected value: wakes as `wake`, into `woken`, and moves the others to `target`.
  Requeue requeue(const Access& access, LocationIndex target, Value expected, std::int64_t limit);
  const std::vector<Waiter>& woken() const { return woken_; }

 private:
  struct Queue {
    std::vector<Waiter> waiters;
    std::vector<ClockValue> clock;
  };
  struct Operation {
    ThreadIndex thread = 0;
    ClockValue number = 0;
    std::vector<ClockValue> clock;
  };
  Queue& queue(LocationIndex location);
  /// The operation that was performed last comes behind those of these queues, and behind those that happen before it.
  void come_behind(LocationIndex location);
  void stand_in(ThreadIndex thread, LocationIndex location);
  void take(ThreadIndex waker, LocationIndex location, std::int64_t limit);

  const std::uint32_t threads_;
  Memory& memory_;
  Choice& choice_;
  std::vector<Queue> queues_;
  /// The last operation of each thread at each clock that matters.
  std::vector<Operation> operations_;
  std::size_t used_ = 0;
  std::vector<ClockValue> clock_;
  std::vector<Waiter> woken_;
};

}  // namespace heddle::mu::machine
