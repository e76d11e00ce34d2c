#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace heddle::detail {

/// For sections of some hundred instructions, or for those that hardly ever meet: half as expensive as a mutex then.
/// Ordering: what was done while it was held happens before what the next holder does.
class SpinLock {
 public:
  void lock() {
    if (held_.test_and_set(std::memory_order_acquire)) [[unlikely]] wait();
  }
  void unlock() { held_.clear(std::memory_order_release); }
  /// Whether somebody holds it just now.
  bool is_held() const { return held_.test(std::memory_order_acquire); }

 private:
  [[gnu::noinline]] void wait() {
    for (std::uint32_t tries = 1; held_.test_and_set(std::memory_order_acquire); ++tries) {
      // The holder may wait for this very core.
      constexpr std::uint32_t kTriesBeforeYield = 1024;
      // And it may be at work for long: a sleep is short beside that.
      constexpr std::uint32_t kTriesBeforeSleep = 2 * kTriesBeforeYield;
      constexpr std::chrono::microseconds kSleep{50};
      while (held_.test(std::memory_order_relaxed) && ++tries < kTriesBeforeYield) {
      }
      if (tries >= kTriesBeforeSleep) {
        std::this_thread::sleep_for(kSleep);
      } else if (tries >= kTriesBeforeYield) {
        std::this_thread::yield();
      }
    }
  }

  std::atomic_flag held_ = ATOMIC_FLAG_INIT;
};

}  // namespace heddle::detail
