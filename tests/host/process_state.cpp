// What a program finds of its process before heddle runs kernels, while it does, and when the last device is gone:
// handlers of signals, masks, the alternate stack, locale, environment, and what the C++ library calls when it is at
// its end. process_state default: the program has none of its own; process_state own: it has.

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
extern char** environ;
}

using namespace heddle;

namespace {

using State = std::map<std::string, std::string>;

std::string text(const void* address) {
  char hexadecimal[32];
  std::snprintf(hexadecimal, sizeof hexadecimal, "%p", address);
  return hexadecimal;
}

std::string mask_of_thread() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  std::string signals;
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&mask, signal) == 1) signals += std::to_string(signal) + ' ';
  return signals;
}

std::string environment() {
  std::string all;
  for (char** variable = environ; *variable; ++variable) all += std::string(*variable) + '\n';
  return all;
}

State state() {
  State now;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    // The C library sets it in all that it installs (SA_RESTORER of the kernel).
    action.sa_flags &= ~0x04000000;
    now["handler of signal " + std::to_string(signal)] =
        text(reinterpret_cast<const void*>(action.sa_handler)) + " flags " + std::to_string(action.sa_flags);
  }
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  now["alternate stack"] = (stack.ss_flags & SS_DISABLE) != 0 ? "none" : text(stack.ss_sp);
  now["signal mask"] = mask_of_thread();
  now["locale"] = std::setlocale(LC_ALL, nullptr);
  now["environment"] = environment();
  now["terminate handler"] = text(reinterpret_cast<const void*>(std::get_terminate()));
  now["new handler"] = text(reinterpret_cast<const void*>(std::get_new_handler()));
  return now;
}

int g_mistakes = 0;

/// Tells of each thing that is not as it was, but for those whose names begin as one of `allowed`.
void compare(const char* when, const State& before, const State& now, const std::vector<std::string>& allowed) {
  for (const auto& [name, value] : before) {
    bool may_differ = false;
    for (const std::string& one : allowed) may_differ = may_differ || name == one;
    if (now.at(name) == value || may_differ) continue;
    std::printf("%s: %s was %s, and is %s\n", when, name.c_str(), value.c_str(), now.at(name).c_str());
    ++g_mistakes;
  }
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++g_mistakes;
}

/// What differs inside of a kernel.
const std::vector<std::string> kOfKernels = {"handler of signal " + std::to_string(SIGSEGV),
                                             "handler of signal " + std::to_string(SIGFPE), "alternate stack"};

/// What may differ inside of a kernel of which one invocation traps: while its thread unwinds, and others go on, what
/// would end the process has handlers that tell of the finding. Those of SIGINT and SIGTERM are an exploration's, too.
std::vector<std::string> of_kernels_that_fail() {
  auto names = kOfKernels;
  names.push_back("terminate handler");
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU})
    names.push_back("handler of signal " + std::to_string(signal));
  return names;
}

std::mutex g_mutex;
std::vector<State> g_inside;

/// Compares with `before` what invocations have noted since the last call.
void compare_inside(const char* where, const State& before, const std::vector<std::string>& allowed) {
  expect(!g_inside.empty(), "kernels ran");
  for (const State& seen : g_inside) compare(where, before, seen, allowed);
  g_inside.clear();
}

/// Its invocations, on all threads, note what they find; some trap.
constexpr auto looks_around = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint32_t divisor) {
  inv.workgroup_barrier();
  const auto i = inv.global_invocation_id().x;
  {
    const std::lock_guard lock(g_mutex);
    g_inside.push_back(state());
  }
  x[i] = i / divisor;
  inv.workgroup_barrier();
};

void run(Mode mode, const State& before) {
  Device device(mode);
  auto x = device.buffer<std::uint32_t>(64, "x");
  device.dispatch(looks_around, {8}, {8}, x, 1u);
  compare_inside("in a kernel", before, kOfKernels);
  bool found = false;
  try {
    device.dispatch(looks_around, {8}, {8}, x, 0u);
  } catch (const KernelError& error) {
    found = error.finding().kind == FindingKind::DivisionByZero;
  }
  expect(found, "a division by zero is found");
  compare_inside("in a kernel that fails", before, of_kernels_that_fail());
}

void explore() {
  SeedOptions options;
  options.print_to = std::tmpfile();
  const auto report = explore_seeds(
      [](Trial& trial) {
        auto x = trial.device().buffer<std::uint32_t>(64, "x");
        trial.device().dispatch(looks_around, {2}, {8}, x, trial.seed() == 3 ? 0u : 1u);
      },
      5, options);
  expect(report.failed(), "seed 3 fails");
  std::fclose(options.print_to);
}

volatile sig_atomic_t g_own_signals = 0;

extern "C" void own_handler(int, siginfo_t*, void*) {
  g_own_signals = g_own_signals + 1;
}

void install_own() {
  static char own_stack[1 << 16];
  stack_t stack{};
  stack.ss_sp = own_stack;
  stack.ss_size = sizeof own_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = own_handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGFPE, SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &mask, nullptr);
  std::set_terminate([] { std::_Exit(7); });
  std::set_new_handler([] { throw std::bad_alloc(); });
  setenv("OWN", "variable", 1);
  std::setlocale(LC_ALL, "C.UTF-8");
}

}  // namespace

int main(int count, char** arguments) {
  const bool own = count > 1 && std::strcmp(arguments[1], "own") == 0;
  if (own) install_own();
  const State before = state();
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device lives_on(mode);
    run(mode, before);
    compare("between dispatches", before, state(), kOfKernels);
    // What is no kernel's comes to the program, also while a device lives.
    if (own) {
      std::raise(SIGSEGV);
      std::raise(SIGFPE);
    }
  }
  if (own) expect(g_own_signals == 4, "signals that no kernel raised come to the program's handlers");
  compare("after the last device", before, state(), {});

  explore();
  compare("after an exploration", before, state(), {});
  compare_inside("in a trial", before, of_kernels_that_fail());
  if (g_mistakes == 0) std::puts("all is as it was");
  return g_mistakes == 0 ? 0 : 1;
}
