#pragma once

/// \file
/// A lock for critical sections of a few instructions.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace heddle::watch {

/// Whether the process certainly has no other thread: none can come between two instructions of this one then.
inline bool is_only_thread() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

/// For sections of some hundred instructions, or for those that hardly ever meet: half as expensive as a mutex then.
/// Ordering: what was done while it was held happens before what the next holder does.
class SpinLock {
 public:
  [[gnu::always_inline]] void lock() {
    if (is_only_thread() && !held_.load(std::memory_order_relaxed)) {
      // To exchange atomically would take as long as a hundredth part of a small dispatch.
      held_.store(true, std::memory_order_relaxed);
      return;
    }
    if (held_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  void unlock() { held_.store(false, std::memory_order_release); }
  /// Whether somebody holds it just now.
  bool is_held() const { return held_.load(std::memory_order_acquire); }

 private:
  [[gnu::noinline]] void wait() {
    for (std::uint32_t tries = 1; held_.exchange(true, std::memory_order_acquire); ++tries) {
      // The holder may wait for this very core.
      constexpr std::uint32_t kTriesBeforeYield = 1024;
      // The other thread may be at work for long: a sleep is short beside that.
      constexpr std::uint32_t kTriesBeforeSleep = 2 * kTriesBeforeYield;
      constexpr std::chrono::microseconds kSleep{50};
      while (held_.load(std::memory_order_relaxed) && ++tries < kTriesBeforeYield) {
      }
      if (tries >= kTriesBeforeSleep) {
        std::this_thread::sleep_for(kSleep);
      } else if (tries >= kTriesBeforeYield) {
        std::this_thread::yield();
      }
    }
  }

  std::atomic<bool> held_{false};
};

}  // namespace heddle::watch
