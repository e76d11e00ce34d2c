#include "emulator/mu/host/machine.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <heddle/detail/check.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

#include "emulator/mu/host/trap.h"
#include "runtime/launch.h"

namespace heddle::mu::host {
namespace {

constinit thread_local Machine* g_current = nullptr;

/// From 1: nothing belongs to run 0.
std::uint32_t next_run() {
  static std::atomic<std::uint32_t> runs{0};
  return runs.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// What __cxa_get_globals points to (Itanium C++ ABI, 2.2.2).
struct ExceptionGlobals {
  void* caught;
  unsigned uncaught;
};
ExceptionGlobals& exceptions() {
  return *reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
}

void refuse_in_kernel() {
  if (runtime::runs_kernel())
    throw std::logic_error(
        "a kernel uses memory or a thread of the host; give it a buffer of a LogicalDevice (heddle/queue.h) for "
        "both");
}

}  // namespace

Machine::Machine(const threads::Options& options, const MemoryPolicy& policy, std::unique_ptr<Choice> choice)
    : number_(next_run()),
      options_(options),
      policy_(policy),
      owned_choice_(choice ? std::move(choice) : std::make_unique<SeededChoice>(*options.seed)),
      choice_(*owned_choice_),
      memory_(options.most_threads, policy_, choice_),
      futexes_(options.most_threads, memory_, choice_),
      detector_(options.most_threads) {
  if (!options.trace->empty()) trace_ = std::make_unique<HostTrace>(*options.trace);
}

Machine& Machine::current() {
  if (g_current) return *g_current;
  refuse_in_kernel();
  throw std::logic_error(
      "an emulated host thread's object is used outside of heddle::threads::run; make it, use it and let it go in the "
      "body");
}

Machine* Machine::current_if_any() noexcept {
  return g_current;
}

std::uint32_t Machine::own(NumberOfRun object, const char* what, SourceLocation where) {
  if (owns(object)) return object.number;
  refuse(what, where);
  return kNone;
}

void Machine::refuse(const char* what, SourceLocation where) {
  if (!stopping_)
    stop(FindingKind::InvalidArgument,
         fmt::format("{} of another run is used, or one that is gone and whose memory holds something else; make it in "
                     "the body that uses it, and let it live until the threads that use it have been joined",
                     what),
         where);
  if (std::uncaught_exceptions() == 0) throw Unwind{};
}

threads::Report Machine::run(const std::function<void()>& body) {
  Machine* const outer = std::exchange(g_current, this);
  runtime::HostThreads* const outer_threads = runtime::run_host_threads(&device_calls_);
  const runtime::GiveUp gave_up = std::exchange(runtime::give_up_other_stack, &Machine::give_up_stack);
  findings_.begin(policy_.name);
  const ExceptionGlobals handled = exceptions();
  memory_.restart({}, nullptr);
  memory_.forget_beyond(options_.most_stores);
  futexes_.restart();
  detector_.restart();
  if (runtime::kSanitized) runtime::announce_thread(announced_);
  threads_.emplace_back();
  runtime::TrapOwner* const outer_traps = runtime::set_trap_owner(this);
  const runtime::FaultHandling handling;
  runtime::install_fault_handler();
  if (trace_) trace_->thread_begins(0, "thread 0");
  threads_[0].stack = new_stack(body, {});
  bind(stacks_[threads_[0].stack], {});
  ready_.push_back(0);
  schedule();
  unwind_all();
  runtime::set_trap_owner(outer_traps);
  runtime::give_up_other_stack = gave_up;
  runtime::run_host_threads(outer_threads);
  g_current = outer;
  exceptions() = handled;
  trace_.reset();
  return findings_.report(operations_, *options_.trace);
}

void Machine::enter(void* argument) {
  Stack& stack = *static_cast<Stack*>(argument);
  if (runtime::kSanitized) runtime::announce_arrival(stack.fiber->announced);
  stack.machine->execute(stack);
  // No thread goes on here.
  stack.machine->leave();
}

void Machine::execute(Stack& stack) {
  try {
    stack.function();
  } catch (const Unwind&) {
  } catch (const KernelError& error) {
    if (!stopping_) stop(error.finding());
  } catch (const std::exception& error) {
    stop_at_exception(fmt::format("a host thread threw: {}", error.what()));
  } catch (...) {
    stop_at_exception("a host thread threw something that is no std::exception");
  }
  stack.dead = true;
  if (stopping_) return;
  stack_operation(stack, stack.where);
  end_thread(stack.thread);
}

void Machine::stop_at_exception(std::string message) {
  if (stopping_) return;
  const SourceLocation& last = threads_[running_].where;
  if (last.line != 0) message += fmt::format("; its last operation began at {}", at(last));
  stop(FindingKind::Exception, std::move(message), stacks_[running_stack_].where);
}

void Machine::trapped(FindingKind kind, const void* instruction) {
  exceptions() = {};
  if (!stopping_) {
    Finding finding = finding_of_trap(kind, instruction, stacks_[running_stack_].fiber->stack().bytes(),
                                      "raise threads::Options::stack_bytes, or keep large arrays elsewhere");
    finding.invocation = Coordinates::of_host_thread(running_);
    stop(std::move(finding));
  }
  give_up_stack();
  HEDDLE_CHECK(false, "a stack whose frames were given up was gone on with");
  std::abort();
}

/// From the scheduler.
void Machine::resume(Stack& stack) {
  running_stack_ = stack.number;
  if (!stack.begun) {
    stack.begun = true;
    stack.fiber = std::make_unique<runtime::Fiber>(options_.stack_bytes, stack.number, &Machine::enter, &stack);
  }
  exceptions() = {stack.caught, stack.uncaught};
  if (runtime::kSanitized) runtime::announce_leaving(announced_, stack.fiber->announced);
  running_fiber_ = stack.fiber.get();
  runtime::swap_context(&scheduler_, stack.fiber->parked, nullptr);
  running_fiber_ = nullptr;
  if (runtime::kSanitized) runtime::announce_arrival(announced_);
}

/// To the scheduler.
[[gnu::noinline]] void Machine::leave() {
  Stack& stack = stacks_[running_stack_];
  stack.caught = exceptions().caught;
  stack.uncaught = exceptions().uncaught;
  exceptions() = {nullptr, 0};
  if (runtime::kSanitized) runtime::announce_leaving(stack.fiber->announced, announced_);
  runtime::swap_context(&stack.fiber->parked, scheduler_, nullptr);
  if (runtime::kSanitized) runtime::announce_arrival(stack.fiber->announced);
}

Finding& Machine::stop(FindingKind kind, std::string message, const SourceLocation& where) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.where = where;
  finding.invocation = Coordinates::of_host_thread(running_);
  return stop(std::move(finding));
}

Finding& Machine::stop(Finding finding) {
  stopping_ = true;
  return findings_.end_with(std::move(finding));
}

void Machine::not_ready(ThreadIndex thread) {
  const auto at = std::find(ready_.begin(), ready_.end(), thread);
  if (at == ready_.end()) return;
  *at = ready_.back();
  ready_.pop_back();
}

void Machine::schedule() {
  while (!stopping_) {
    if (ready_.empty()) {
      if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& one) { return one.finished; })) return;
      stop_without_progress();
      continue;
    }
    const auto count = static_cast<std::uint32_t>(ready_.size());
    running_ = ready_[count == 1 ? 0 : choice_.below(count, ChoicePoint::Invocation)];
    Thread& thread = threads_[running_];
    if (thread.waits == Waits::TimedFutex) {
      // The thread was chosen while it waits: its time is up.
      futexes_.expire(running_);
      thread.waits = Waits::No;
      thread.expired = true;
      if (trace_) tell_of("the time of its wait is up", thread.where);
    }
    resume(stacks_[thread.stack]);
  }
}

void Machine::stop_without_progress() {
  std::string who;
  SourceLocation where;
  for (ThreadIndex t = 0; t < threads_.size(); ++t) {
    const Thread& thread = threads_[t];
    if (thread.finished) continue;
    where = thread.where;
    who += fmt::format("{}thread {} waits {} at {}", who.empty() ? "" : ", ", t,
                       thread.waits == Waits::Thread ? fmt::format("for thread {}", thread.joins) : "on a futex",
                       at(thread.where));
  }
  stop(FindingKind::NoProgress, "every host thread waits for something that none of them will do: " + who, where);
}

/// Threads and stacks that are in the middle of something end there, so that their objects are destroyed.
void Machine::unwind_all() {
  stopping_ = true;
  findings_.give_up_stacks();
  for (Stack& stack : stacks_)
    while (stack.begun && !stack.dead) resume(stack);
}

// A stack that is given up is dead: no thread resumes it.
void Machine::give_up_stack() {
  Machine* const machine = g_current;
  if (!machine || !machine->stopping_) return;
  machine->stacks_[machine->running_stack_].dead = true;
  exceptions() = {};
  machine->leave();
}

bool Machine::begin_operation(SourceLocation where) {
  refuse_in_kernel();
  if (!stopping_) {
    threads_[running_].where = where;
    if (++operations_ > options_.most_operations)
      stop(FindingKind::NoProgress,
           fmt::format("the run has had {} operations and goes on; a thread may spin for ever", operations_ - 1),
           where);
    else if (ready_.size() > 1 && choice_.below(2, ChoicePoint::Preemption) == 0)
      leave();
  }
  if (!stopping_) return true;
  if (std::uncaught_exceptions() == 0) throw Unwind{};
  return false;
}

bool Machine::begin_access(LocationIndex location, const char* does, SourceLocation where) {
  return begin_operation(where) && is_there(location, does, where);
}

bool Machine::is_there(LocationIndex location, const char* does, SourceLocation where) {
  const Names::Location& named = names_[location];
  if (named.destroyed_by == kNone) return true;
  Finding& finding = stop(
      FindingKind::UseAfterFree,
      fmt::format("thread {} {} {}, which thread {} had destroyed; let it live until the threads that use it have been "
                  "joined",
                  running_, does, names_.described(location), named.destroyed_by),
      where);
  if (named.name) finding.object = named.name;
  if (std::uncaught_exceptions() == 0) throw Unwind{};
  return false;
}

/// Until another thread makes this one ready; or the time is up.
void Machine::block(Waits why, SourceLocation where) {
  Thread& thread = threads_[running_];
  thread.waits = why;
  thread.where = where;
  thread.expired = false;
  if (why != Waits::TimedFutex) not_ready(running_);
  leave();
  if (stopping_ && std::uncaught_exceptions() == 0) throw Unwind{};
}

void Machine::end_thread(ThreadIndex index) {
  if (trace_) tell({index, "ends"}, threads_[index].where);
  threads_[index].finished = true;
  not_ready(index);
  for (ThreadIndex t = 0; t < threads_.size(); ++t) {
    Thread& thread = threads_[t];
    if (thread.waits != Waits::Thread || thread.joins != index) continue;
    thread.waits = Waits::No;
    ready_.push_back(t);
  }
}

}  // namespace heddle::mu::host
