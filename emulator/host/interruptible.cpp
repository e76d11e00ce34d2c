#include "emulator/host/interruptible.h"

#include <atomic>

#include "runtime/last_words.h"

namespace heddle::detail {
namespace {

/// The signal that asked to stop; 0 for none.
std::atomic<int> g_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");

/// Whether an Interruptible has the signals.
std::atomic<bool> g_is_taken = false;

constexpr std::array kAsksToStop = {SIGINT, SIGTERM};

/// The next one, whichever, ends the program.
extern "C" void ask_to_stop(int signal) {
  g_signal.store(signal, std::memory_order_relaxed);
  for (const int other : kAsksToStop) {
    struct sigaction now = {};
    sigaction(other, nullptr, &now);
    if (now.sa_handler != ask_to_stop) continue;
    now.sa_handler = SIG_DFL;
    sigaction(other, &now, nullptr);
  }
}

}  // namespace

Interruptible::Interruptible() : has_signals_(!g_is_taken.exchange(true)) {
  if (!has_signals_) return;
  g_signal = 0;
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = SA_RESTART;
  for (Handler& handler : handlers_) {
    sigaction(handler.signal, nullptr, &handler.before);
    if (handler.before.sa_handler != SIG_IGN) sigaction(handler.signal, &action, nullptr);
  }
}

Interruptible::~Interruptible() {
  if (!has_signals_) return;
  for (const Handler& handler : handlers_) sigaction(handler.signal, &handler.before, nullptr);
  g_is_taken = false;
}

int Interruptible::signal() {
  return g_signal.load(std::memory_order_relaxed);
}

void Interruptible::raise_again(int signal) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  if (now.sa_handler == SIG_DFL) runtime::say_last_words();
  std::raise(signal);
}

}  // namespace heddle::detail
