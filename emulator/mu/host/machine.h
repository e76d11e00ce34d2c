#pragma once

/// \file
/// Runs C++ bodies of host threads on the weak machine: every thread runs on fibers of one thread of the operating
/// system, and before each operation the choice decides who goes on.

#include <heddle/host_thread.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/mu/host/device_calls.h"
#include "emulator/mu/host/findings.h"
#include "emulator/mu/host/host_trace.h"
#include "emulator/mu/host/names.h"
#include "emulator/mu/machine/detector.h"
#include "emulator/mu/machine/futexes.h"
#include "emulator/mu/machine/memory.h"
#include "runtime/fault.h"
#include "runtime/fiber.h"
#include "runtime/unwind.h"

namespace heddle::mu::host {

using machine::Access;
using machine::ClockIndex;
using machine::ClockValue;

/// Thrown through a thread that ends because the run ends.
using runtime::Unwind;

using threads::detail::NumberOfRun;

/// A new version of a function.
struct Version {
  LocationIndex function = 0;
  std::uint64_t version = 0;
};

class Machine final : private runtime::TrapOwner {
 public:
  /// All is left to `choice`; null for what the seed draws.
  Machine(const threads::Options& options, const MemoryPolicy& policy, std::unique_ptr<Choice> choice);
  threads::Report run(const std::function<void()>& body);
  /// The one that the calling thread of the operating system runs.
  static Machine& current();
  /// Null if it runs none.
  static Machine* current_if_any() noexcept;

  NumberOfRun numbered(std::uint32_t number) const { return {number_, number}; }
  /// The number of `object`, such as "an Atomic", in this run. Where it is another run's, the run ends: this throws, or
  /// returns kNone where an exception is under way, and no operation takes place.
  std::uint32_t own(NumberOfRun object, const char* what, SourceLocation where);
  bool owns(NumberOfRun object) const { return object.run == number_; }
  void refuse(const char* what, SourceLocation where);

  // Operations of the running thread; see heddle/detail/host_machine.h.
  LocationIndex add_location(std::uint64_t initial, std::uint32_t size_bytes, const char* name, SourceLocation where);
  void remove_location(LocationIndex location) noexcept;
  machine::Loaded load(LocationIndex location, MemoryOrder order, ClockIndex dependency, SourceLocation where);
  void store(LocationIndex location, std::uint64_t bits, MemoryOrder order, SourceLocation where);
  machine::Updated update(LocationIndex location, MemoryOrder order, const machine::Update& update, bool may_fail,
                          SourceLocation where);
  void fence(MemoryOrder order, SourceLocation where);
  int futex_wait(LocationIndex location, std::uint64_t expected, bool timed, SourceLocation where);
  int futex_wake(LocationIndex location, std::int64_t count, SourceLocation where);
  int futex_cmp_requeue(LocationIndex location, LocationIndex target, std::uint64_t expected, std::int64_t count,
                        SourceLocation where);
  ThreadIndex new_thread(std::function<void()> body, SourceLocation where);
  void join(ThreadIndex thread, bool quietly, SourceLocation where);
  ThreadIndex this_thread() const { return running_; }
  std::uint32_t new_stack(std::function<void()> function, SourceLocation where);
  std::uint32_t current_stack() const { return threads_[running_].stack; }
  void swap_stack(std::uint32_t to, bool kills, SourceLocation where);
  void define(const std::vector<Version>& versions, SourceLocation where);
  void require(bool holds, const char* what, SourceLocation where);

 private:
  friend class DeviceCalls;
  enum class Waits : std::uint8_t { No, Futex, TimedFutex, Thread };
  struct Stack {
    std::uint32_t number = 0;
    Machine* machine = nullptr;
    std::function<void()> function;
    std::unique_ptr<runtime::Fiber> fiber;
    ThreadIndex thread = kNone;  ///< that is bound to it
    bool begun = false;
    bool dead = false;
    /// Where it was last bound or killed.
    SourceLocation where;
    /// What the C++ runtime knows of exceptions on this stack.
    void* caught = nullptr;
    unsigned uncaught = 0;
  };
  struct Thread {
    std::uint32_t stack = 0;
    bool finished = false;
    Waits waits = Waits::No;
    ThreadIndex joins = kNone;
    bool expired = false;
    SourceLocation where;
  };

  const runtime::Fiber* running_fiber() const noexcept override { return running_fiber_; }
  [[noreturn]] void trapped(FindingKind kind, const void* instruction) override;

  static void enter(void* stack);
  void execute(Stack& stack);
  void resume(Stack& stack);
  void leave();
  /// Lets others go on, perhaps; returns false if the run is ending and the operation must do nothing.
  bool begin_operation(SourceLocation where);
  /// Whether a location is there, to which an operation `does` something: "writes". If it is gone, the run ends.
  bool is_there(LocationIndex location, const char* does, SourceLocation where);
  bool begin_access(LocationIndex location, const char* does, SourceLocation where);
  void block(Waits why, SourceLocation where);
  void not_ready(ThreadIndex thread);
  /// One more, if there may be one more; else the run ends.
  ThreadIndex add_thread(SourceLocation where);
  void end_thread(ThreadIndex thread);
  void schedule();
  void stop_without_progress();
  void unwind_all();
  /// Ends the running stack where it is, if the run ends: what is on it cannot be unwound.
  static void give_up_stack();
  void bind(Stack& stack, SourceLocation where);
  void stack_operation(const Stack& stack, SourceLocation where);
  /// Ends the run if the running thread cannot go on with `target`.
  void refuse_wrong_swap(const Stack& target, SourceLocation where);

  Access access(LocationIndex location, MemoryOrder order, ClockIndex dependency = machine::kNoClock) const;
  /// For the trace, if there is one.
  void tell(HostOperation operation, SourceLocation where);
  void tell_access(LocationIndex location, MemoryOrder order, const char* what, std::optional<machine::Loaded> read,
                   std::optional<std::uint64_t> written, SourceLocation where);
  void tell_of(std::string words, SourceLocation where) { tell({running_, std::move(words)}, where); }
  machine::Watched watched(SourceLocation where);
  /// The detector hears of an access; `futex`: by a futex operation.
  void watch(LocationIndex location, MemoryOrder order, bool writes, SourceLocation where, bool futex = false);
  void wake(const std::vector<machine::Waiter>& woken);
  /// The run ends with this finding, of the running thread. Returns it as it is reported.
  Finding& stop(FindingKind kind, std::string message, const SourceLocation& where);
  Finding& stop(Finding finding);
  /// The run ends, if it has not, since an exception has left the running thread.
  void stop_at_exception(std::string message);

  const std::uint32_t number_;
  const threads::Options options_;
  const MemoryPolicy policy_;
  std::unique_ptr<Choice> owned_choice_;
  Choice& choice_;
  machine::Memory memory_;
  machine::Futexes futexes_;
  machine::Detector detector_;
  Names names_;
  Findings findings_{options_, names_, detector_};
  std::unique_ptr<HostTrace> trace_;
  DeviceCalls device_calls_{*this};
  std::deque<Stack> stacks_;
  std::vector<Thread> threads_;
  std::vector<ThreadIndex> ready_;
  ThreadIndex running_ = 0;
  std::uint32_t running_stack_ = 0;
  /// Null while the scheduler runs.
  const runtime::Fiber* running_fiber_ = nullptr;
  runtime::Context scheduler_ = nullptr;
  runtime::Announced announced_;
  bool stopping_ = false;
  std::uint64_t operations_ = 0;
};

}  // namespace heddle::mu::host
