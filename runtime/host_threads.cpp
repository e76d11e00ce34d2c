#include "runtime/host_threads.h"

#include <utility>

namespace heddle::runtime {
namespace {

constinit thread_local HostThreads* g_running = nullptr;

}  // namespace

HostThreads* host_threads() noexcept {
  return g_running;
}

HostThreads* run_host_threads(HostThreads* threads) noexcept {
  return std::exchange(g_running, threads);
}

}  // namespace heddle::runtime
