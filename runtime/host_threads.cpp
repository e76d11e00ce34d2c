#include "runtime/host_threads.h"

#include <utility>

namespace heddle::runtime {
namespace {

constinit thread_local HostThreads* g_running = nullptr;
constinit thread_local bool g_is_native = false;

}  // namespace

HostThreads* host_threads() noexcept {
  return g_running;
}

HostThreads* run_host_threads(HostThreads* threads) noexcept {
  return std::exchange(g_running, threads);
}

bool is_native_host_thread() noexcept {
  return g_is_native;
}

bool be_native_host_thread(bool is_one) noexcept {
  return std::exchange(g_is_native, is_one);
}

}  // namespace heddle::runtime
