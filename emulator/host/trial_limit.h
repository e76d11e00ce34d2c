#pragma once

/// \file
/// How long the kernels of a trial may run.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "runtime/launch.h"

namespace heddle::detail {

/// The limit of one trial after the other, on one thread.
class TrialLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  /// Once it is true, trials end; may be null.
  explicit TrialLimit(const std::atomic<bool>* stop) : stop_(stop) {}

  /// A trial begins, which may take `operations`, and until `end`.
  void begin(std::uint64_t operations, Clock::time_point end) {
    spent_ = 0;
    was_exceeded_ = false;
    most_ = operations;
    end_ = end;
  }
  /// So many more are about to be done, in a kernel. Cuts its dispatch off if that is too many, or too late. What the
  /// dispatch then reports means nothing: ask the limit.
  void spend(std::uint32_t operations) {
    spent_ += operations;
    if (spent_ > most_ || (stop_ && stop_->load(std::memory_order_relaxed)) ||
        (end_ != Clock::time_point::max() && Clock::now() >= end_)) {
      was_exceeded_ = true;
      runtime::cut_off("whose time was up, or which took too long for a smaller form of a failure");
    }
  }
  bool was_exceeded() const { return was_exceeded_; }
  std::uint64_t spent() const { return spent_; }

 private:
  const std::atomic<bool>* stop_;
  std::uint64_t spent_ = 0;
  bool was_exceeded_ = false;
  std::uint64_t most_ = kNoLimit;
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace heddle::detail
