#include "emulator/cli/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace heddle::cli {
namespace {

std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");
int g_descriptor = -1;

void handle_with(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// One signal is a request; the next one, whichever, finds the default action again.
extern "C" void on_signal(int) {
  const int error = errno;
  g_interrupted.store(true, std::memory_order_relaxed);
  const std::uint64_t once = 1;
  // Nothing is to be done where the kernel has no room for a one: who polls knows already.
  [[maybe_unused]] const ssize_t written = write(g_descriptor, &once, sizeof once);
  handle_with(SIG_DFL);
  errno = error;
}

}  // namespace

void watch_for_interrupt() {
  if (g_descriptor < 0) g_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  handle_with(on_signal);
}

const std::atomic<bool>& interrupted() {
  return g_interrupted;
}

int interrupt_descriptor() {
  return g_descriptor;
}

}  // namespace heddle::cli
