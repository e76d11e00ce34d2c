#include "runtime/fault.h"

#include "runtime/last_words.h"
#include "runtime/scheduler.h"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace heddle::runtime {

namespace {

// Room for the handler and, on a thread's own exhausted stack, for the way out: both only fill in
// a Finding. 64 KiB is what the sanitizers' own handlers ask for.
constexpr std::size_t kAlternateBytes = 64 * 1024;

// Long beside a look at the handlers, some 300 ns, and short beside what a person or a test does in between. On x86-64
// ticks of the processor's counter, which are nanoseconds at most: a look at a clock takes as long as a tenth of a
// small dispatch.
constexpr std::uint64_t kLookInterval = 500'000;
std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
#endif
}

/// How often somebody asked that all threads look.
constinit std::atomic<std::uint64_t> looks_asked_for{1};

struct sigaction previous_segv;
struct sigaction previous_fpe;

[[noreturn]] void land(FindingKind kind) {
  Worker::of_thread().abandon(kind);
}
[[noreturn]] void land_overflow() {
  land(FindingKind::StackOverflow);
}
[[noreturn]] void land_division() {
  land(FindingKind::DivisionByZero);
}
[[noreturn]] void land_given_up() {
  Worker::of_thread().give_up();
}

constinit thread_local TrapOwner* trap_owner = nullptr;
constinit thread_local const void* owner_trapped_at = nullptr;

[[noreturn]] void land_owners_overflow() {
  trap_owner->trapped(FindingKind::StackOverflow, owner_trapped_at);
  __builtin_unreachable();
}
[[noreturn]] void land_owners_division() {
  trap_owner->trapped(FindingKind::DivisionByZero, owner_trapped_at);
  __builtin_unreachable();
}

std::uintptr_t instruction_of(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#endif
}

/// Whether a signal that other handlers are given goes round in a circle: a handler that was installed after ours may
/// hand it back to us, by a call, or by giving us the signal and returning to the instruction, which faults again. A
/// handler that mends what was wrong, or jumps elsewhere, is given as many as there are.
class Circle {
 public:
  bool closes(const siginfo_t& info, const void* context, std::uintptr_t frame) {
    // Code that jumped out of the handler does not come back: the next call is no deeper.
    if (frame >= outermost_) depth_ = 0;
    if (depth_ == 0) outermost_ = frame;
    const std::uintptr_t instruction = instruction_of(context);
    same_ = info.si_addr == address_ && instruction == instruction_ ? same_ + 1 : 0;
    address_ = info.si_addr;
    instruction_ = instruction;
    return depth_ == kMostCalls || same_ == kMostReturns;
  }
  void call() { ++depth_; }
  void returned() { --depth_; }

 private:
  static constexpr std::uint32_t kMostCalls = 16;
  // A second of nothing else. A program that mends the same again and again does something in between.
  static constexpr std::uint32_t kMostReturns = 1 << 18;

  /// Calls that are inside of each other, and where on the stack the first of them is.
  std::uint32_t depth_ = 0;
  std::uintptr_t outermost_ = 0;
  /// What faulted last, and how often it had just done so.
  const void* address_ = nullptr;
  std::uintptr_t instruction_ = 0;
  std::uint32_t same_ = 0;
};

void pass_on(int signal, siginfo_t* info, void* context) {
  static constinit thread_local Circle circle;
  const struct sigaction& previous = signal == SIGSEGV ? previous_segv : previous_fpe;
  const bool has_handler =
      (previous.sa_flags & SA_SIGINFO) != 0 || (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
  if (!has_handler || circle.closes(*info, context, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))) {
    say_last_words();
    // Back to the default action: the instruction faults again when this returns.
    ::signal(signal, SIG_DFL);
    // One that somebody sent does not come again by itself.
    if (info->si_code <= 0) ::raise(signal);
    return;
  }
  circle.call();
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
  circle.returned();
}

/// Makes the interrupted thread call `landing` instead, on another stack.
void redirect(void* context, void (*landing)(), void* stack) {
#if defined(__x86_64__)
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  // As if called: the return address (there is none) lies at 8 modulo 16.
  auto top = reinterpret_cast<std::uintptr_t>(stack) / 16 * 16 - 8;
  registers[REG_RSP] = static_cast<greg_t>(top);
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(landing));
#elif defined(__aarch64__)
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.sp = reinterpret_cast<std::uintptr_t>(stack) / 16 * 16;
  machine.pc = reinterpret_cast<std::uintptr_t>(landing);
#else
#error "say here how a signal handler redirects the interrupted thread"
#endif
}

/// A fault of code that is not a kernel's.
void on_fault_elsewhere(int signal, siginfo_t* info, void* context) {
  const Fiber* const fiber = owned_fiber();
  if (!fiber || (signal == SIGSEGV && !fiber->stack().guards(info->si_addr))) return pass_on(signal, info, context);
  owner_trapped_at = reinterpret_cast<const void*>(instruction_of(context));
  announce_abandoned(fiber->announced);
  redirect(context, signal == SIGFPE ? land_owners_division : land_owners_overflow, fiber->first_frame());
}

void on_fault(int signal, siginfo_t* info, void* context) {
  Worker* worker = Worker::of_thread_if_any();
  if (!worker || !worker->running().is_in_workgroup()) return on_fault_elsewhere(signal, info, context);
  worker->trap().note(reinterpret_cast<const void*>(instruction_of(context)));
  if (signal == SIGFPE) {
    worker->trap().note_calls();
    return redirect(context, land_division, worker->stacks().landing(worker->running_fiber()));
  }
  if (worker->stacks().is_end_of(worker->running_fiber(), info->si_addr)) {
    worker->trap().note_calls();
    return redirect(context, land_overflow, worker->stacks().landing(worker->running_fiber()));
  }
  pass_on(signal, info, context);
}

struct AlternateStack {
  std::unique_ptr<std::byte[]> memory;
  bool in_use = false;
  void use() {
    stack_t now{};
    sigaltstack(nullptr, &now);
    if ((now.ss_flags & SS_DISABLE) == 0) return;
    if (!memory) memory = std::make_unique<std::byte[]>(kAlternateBytes);
    stack_t stack{};
    stack.ss_sp = memory.get();
    stack.ss_size = kAlternateBytes;
    sigaltstack(&stack, nullptr);
    in_use = true;
  }
  ~AlternateStack() { leave(); }
  void leave() {
    stack_t now{};
    sigaltstack(nullptr, &now);
    if (!in_use || now.ss_sp != memory.get()) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    in_use = false;
  }
};

/// Each thread that runs kernels has one.
thread_local AlternateStack alternate_stack;

/// Guards the handlers, and how many devices there are.
constinit std::mutex handlers_mutex;
std::uint64_t devices = 0;

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_fault;
}

void take_over(int signal, struct sigaction& previous) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if (is_ours(now)) return;
  previous = now;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// Puts back the handler that was there before, unless somebody has installed another one since.
void give_back(int signal, const struct sigaction& previous) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if (is_ours(now)) sigaction(signal, &previous, nullptr);
}

/// Makes the traps of this thread come here, whatever handler they had so far.
[[gnu::noinline]] void look_at_handlers() {
  alternate_stack.use();
  const std::lock_guard lock(handlers_mutex);
  take_over(SIGSEGV, previous_segv);
  take_over(SIGFPE, previous_fpe);
}

}  // namespace

TrapOwner* set_trap_owner(TrapOwner* owner) {
  return std::exchange(trap_owner, owner);
}

const Fiber* owned_fiber() noexcept {
  return trap_owner ? trap_owner->running_fiber() : nullptr;
}

FaultHandling::FaultHandling() {
  const std::lock_guard lock(handlers_mutex);
  ++devices;
  looks_asked_for.fetch_add(1, std::memory_order_relaxed);
}

FaultHandling::~FaultHandling() {
  const std::lock_guard lock(handlers_mutex);
  if (--devices != 0) return;
  give_back(SIGSEGV, previous_segv);
  give_back(SIGFPE, previous_fpe);
  alternate_stack.leave();
}

[[gnu::hot]] void install_fault_handler() {
  static constinit thread_local std::uint64_t looks_seen = 0;
  static constinit thread_local std::uint64_t last_look = 0;
  const std::uint64_t now = ticks();
  const std::uint64_t looks = looks_asked_for.load(std::memory_order_relaxed);
  if (looks == looks_seen && now - last_look < kLookInterval) return;
  looks_seen = looks;
  last_look = now;
  look_at_handlers();
}

void give_up_invocation() {
  Worker* const worker = Worker::of_thread_if_any();
  if (!worker || !worker->running().is_in_workgroup() || !worker->running().has_failed()) return;
  ucontext_t here;
  getcontext(&here);
  redirect(&here, land_given_up, worker->stacks().landing(worker->running_fiber()));
  setcontext(&here);
}

Fiber* Worker::running_fiber() const {
  if (now_.is_in_ring()) return rings_.running_fiber();
  if (now_.slot) return now_.slot->fiber;
  return now_.group ? now_.group->driver_fiber : nullptr;
}

void Worker::abandon(FindingKind kind) {
  Group& g = *now_.group;
  Finding finding;
  finding.kind = kind;
  Slot* const trapped = outside_ring();
  if (trapped) {
    finding.invocation = coordinates(g, g.index_of(trapped));
  } else if (g.running != kUnknownIndex) {
    finding.invocation = coordinates(g, g.running);
  } else {
    finding.invocation = coordinates(g, 0);
    finding.invocation.local = finding.invocation.global = {};
    finding.invocation.exact = false;
  }
  if (kind == FindingKind::StackOverflow) {
    const Fiber* const runs_on = running_fiber() ? running_fiber() : owned_fiber();
    const std::size_t bytes = runs_on ? runs_on->stack().bytes() : stacks_.own_bytes();
    const std::string size = std::to_string(bytes / 1024) + " KiB";
    finding.message =
        running_fiber()
            ? "the invocation needs more than its " + size +
                  " of stack; raise DeviceOptions::stack_bytes, or keep large arrays elsewhere"
            : "the invocation needs more than the " + size +
                  " of its thread's stack, on which invocations run that do not wait; keep large arrays elsewhere";
  } else {
    finding.message = "an integer was divided by zero, or the least integer by -1";
  }
  *exceptions_ = {};
  fail({std::move(finding), nullptr, trap_.at(), trap_.calls()});
  give_up();
}

void Worker::give_up() {
  Group& g = *now_.group;
  Slot* const left = outside_ring();
  Fiber* const fiber = running_fiber();
  *exceptions_ = {};
  if (!is_unwinding()) begin_unwinding();
  if (!g.waited) {
    g.finished = g.size;
  } else if (left) {
    finish(g, left);
  }
  if (!fiber) longjmp(recovery_, 1);
  if (g.driver_fiber == fiber && !g.driver_lost) {
    if (g.finished == g.size) {
      retire(g);
    } else if (!g.driver) {
      g.driver_lost = true;
    }
  }
  stacks_.set_job(pick(nullptr));
  fiber_loop(fiber);
}

}  // namespace heddle::runtime
