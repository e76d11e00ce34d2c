#include "emulator/cli/interrupt.h"

#include <csignal>

namespace heddle::cli {
namespace {

std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void handle_with(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// One signal is a request; the next one, whichever, finds the default action again.
extern "C" void on_signal(int) {
  g_interrupted.store(true, std::memory_order_relaxed);
  handle_with(SIG_DFL);
}

}  // namespace

void watch_for_interrupt() {
  handle_with(on_signal);
}

const std::atomic<bool>& interrupted() {
  return g_interrupted;
}

}  // namespace heddle::cli
