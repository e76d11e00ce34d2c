#pragma once

#include <atomic>
#include <thread>

namespace heddle::detail {

/// For sections of some hundred instructions. Ordering: what was done while it was held happens before what
/// the next holder does.
class SpinLock {
 public:
  void lock() {
    for (std::uint32_t tries = 1; held_.test_and_set(std::memory_order_acquire); ++tries) {
      // The holder may wait for this very core.
      constexpr std::uint32_t kTriesBeforeYield = 1024;
      while (held_.test(std::memory_order_relaxed) && ++tries < kTriesBeforeYield) {
      }
      if (tries >= kTriesBeforeYield) std::this_thread::yield();
    }
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_ = ATOMIC_FLAG_INIT;
};

}  // namespace heddle::detail
