#include "emulator/cli/interrupt.h"

#include <csignal>

namespace heddle::cli {
namespace {

std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

extern "C" void on_signal(int) {
  g_interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

void watch_for_interrupt() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  // One signal is a request; the next one finds the default action again.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& interrupted() {
  return g_interrupted;
}

}  // namespace heddle::cli
