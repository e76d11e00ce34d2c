// Native host threads: stacks that threads of the operating system switch between, and futexes.

#include <cxxabi.h>
#include <heddle/host_thread.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/mu/host/trap.h"
#include "runtime/fault.h"
#include "runtime/fiber.h"
#include "runtime/host_threads.h"
#include "runtime/launch.h"

namespace heddle::threads::detail {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;

/// What __cxa_get_globals points to (Itanium C++ ABI, 2.2.2): it belongs to a stack, really.
struct ExceptionGlobals {
  void* caught = nullptr;
  unsigned uncaught = 0;
};
ExceptionGlobals& exceptions() {
  return *reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
}

/// Stacks of one run, and its first exception.
class NativeRun {
 public:
  NativeStack* add(std::function<void()> function);
  void remove(NativeStack* stack);
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<NativeStack>> stacks_;
  std::exception_ptr failure_;
};

/// A thread of the operating system.
struct State {
  NativeRun* run = nullptr;
  NativeStack* current = nullptr;
  /// Left for ever: the stack that comes next lets it go.
  NativeStack* dead = nullptr;
  /// What the C++ runtime keeps for the thread.
  ExceptionGlobals* globals = nullptr;
  /// Where the thread goes on when its stack's function has returned.
  runtime::Context home = nullptr;
  runtime::Announced announced;
};

// Never inlined: the thread may be another one behind a switch.
[[gnu::noinline]] State& state() {
  static thread_local State state;
  asm volatile("" : : : "memory");
  return state;
}

}  // namespace

class NativeStack {
 public:
  explicit NativeStack(std::function<void()> body, std::size_t number)
      : function(std::move(body)), fiber(kStackBytes, number, &NativeStack::enter, this) {}
  static void enter(void* stack);
  /// The function of the running stack, this one, has ended.
  [[noreturn]] void end();

  std::function<void()> function;
  runtime::Fiber fiber;
  ExceptionGlobals globals;
};

class NativeThread {
 public:
  std::thread thread;
};

namespace {

NativeStack* NativeRun::add(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  stacks_.push_back(std::make_unique<NativeStack>(std::move(function), stacks_.size()));
  return stacks_.back().get();
}

void NativeRun::remove(NativeStack* stack) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(stacks_.begin(), stacks_.end(), [&](const auto& one) { return one.get() == stack; });
  std::swap(*at, stacks_.back());
  stacks_.pop_back();
}

/// Behind every switch.
void arrive() {
  State& here = state();
  if (runtime::kSanitized) runtime::announce_arrival(here.current->fiber.announced);
  if (here.dead) [[unlikely]]
    here.run->remove(std::exchange(here.dead, nullptr));
}

class NativeTraps final : public runtime::TrapOwner {
 public:
  const runtime::Fiber* running_fiber() const noexcept override {
    const NativeStack* const current = state().current;
    return current ? &current->fiber : nullptr;
  }
  [[noreturn]] void trapped(FindingKind kind, const void* instruction) override {
    State& here = state();
    *here.globals = {};
    const std::size_t stack_bytes = here.current->fiber.stack().bytes();
    here.run->fail(std::make_exception_ptr(
        Trapped(mu::host::finding_of_trap(kind, instruction, stack_bytes, "keep large arrays elsewhere"))));
    here.current->end();
  }
};
constinit NativeTraps native_traps;

/// Runs the function on a stack of its own, and what it swaps to, until one of these functions returns.
void run_from_here(NativeRun& run, std::function<void()> function) {
  State& here = state();
  const State outer = here;
  runtime::TrapOwner* const outer_traps = runtime::set_trap_owner(&native_traps);
  runtime::HostThreads* const outer_threads = runtime::run_host_threads(nullptr);
  const bool was_native = runtime::be_native_host_thread(true);
  runtime::install_fault_handler();
  here.globals = &exceptions();
  const ExceptionGlobals handled = *here.globals;
  here.run = &run;
  here.dead = nullptr;
  here.current = run.add(std::move(function));
  exceptions() = {};
  if (runtime::kSanitized) {
    runtime::announce_thread(here.announced);
    runtime::announce_leaving(here.announced, here.current->fiber.announced);
  }
  runtime::swap_context(&here.home, here.current->fiber.parked, nullptr);
  if (runtime::kSanitized) runtime::announce_arrival(here.announced);
  if (here.dead) run.remove(here.dead);
  here = outer;
  runtime::be_native_host_thread(was_native);
  runtime::run_host_threads(outer_threads);
  runtime::set_trap_owner(outer_traps);
  exceptions() = handled;
}

}  // namespace

void NativeStack::enter(void* argument) {
  auto* const stack = static_cast<NativeStack*>(argument);
  arrive();
  try {
    stack->function();
  } catch (...) {
    state().run->fail(std::current_exception());
  }
  stack->end();
}

void NativeStack::end() {
  State& here = state();
  here.dead = this;
  if (runtime::kSanitized) runtime::announce_leaving(fiber.announced, here.announced);
  runtime::swap_context(&fiber.parked, here.home, nullptr);
  // The stack that was left has ended: no thread switches to it again.
  __builtin_unreachable();
}

NativeStack* native_stack(std::function<void()> function) {
  return state().run->add(std::move(function));
}

NativeStack* native_current_stack() {
  return state().current;
}

NativeSwitch native_prepare_switch(NativeStack* to, bool kills) {
  State& here = state();
  NativeStack* const from = here.current;
  here.current = to;
  if (kills) here.dead = from;
  ExceptionGlobals& globals = *here.globals;
  from->globals = globals;
  globals = to->globals;
  if (runtime::kSanitized) runtime::announce_leaving(from->fiber.announced, to->fiber.announced);
  return {&from->fiber.parked, to->fiber.parked};
}

void native_arrive() {
  arrive();
}

#if !HEDDLE_INLINE_SWITCH
void native_swap_stack(NativeStack* to, bool kills) {
  const NativeSwitch prepared = native_prepare_switch(to, kills);
  runtime::swap_context(prepared.save, prepared.to, nullptr);
  arrive();
}
#endif

NativeThread* native_thread(std::function<void()> body) {
  auto out = std::make_unique<NativeThread>();
  NativeRun* const run = state().run;
  out->thread = std::thread([run, body = std::move(body)]() mutable { run_from_here(*run, std::move(body)); });
  return out.release();
}

void native_join(NativeThread* thread) {
  const std::unique_ptr<NativeThread> owned(thread);
  owned->thread.join();
}

void run_native(const std::function<void()>& body) {
  NativeRun run;
  const runtime::FaultHandling handling;
  run_from_here(run, body);
  if (run.failure()) std::rethrow_exception(run.failure());
}

//= mu:futex
int native_futex_wait(const void* memory, std::uint32_t expected, const std::chrono::nanoseconds* time) {
  timespec limit{};
  if (time) {
    limit.tv_sec = static_cast<std::time_t>(time->count() / 1'000'000'000);
    limit.tv_nsec = static_cast<long>(time->count() % 1'000'000'000);
  }
  for (;;) {
    if (syscall(SYS_futex, memory, FUTEX_WAIT_PRIVATE, expected, time ? &limit : nullptr, nullptr, 0) == 0) return 0;
    if (errno == EAGAIN) return -1;
    if (errno == ETIMEDOUT) return -3;
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "futex wait");
  }
}

int native_futex_wake(const void* memory, int count) {
  return static_cast<int>(syscall(SYS_futex, memory, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0));
}

int native_futex_cmp_requeue(const void* memory, const void* target, std::uint32_t expected, int count) {
  constexpr long kAll = 0x7fffffff;
  const long out = syscall(SYS_futex, memory, FUTEX_CMP_REQUEUE_PRIVATE, count, kAll, target, expected);
  if (out >= 0) return static_cast<int>(std::min<long>(out, count));
  if (errno == EAGAIN) return -1;
  throw std::system_error(errno, std::generic_category(), "futex requeue");
}

}  // namespace heddle::threads::detail
