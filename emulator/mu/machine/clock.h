#pragma once

/// \file
/// Vector clocks of host threads: how many operations of each thread happen before a point.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::mu::machine {

using ClockValue = std::uint32_t;
using ClockIndex = std::uint32_t;
inline constexpr ClockIndex kNoClock = 0;

inline void join(ClockValue* into, const ClockValue* other, std::uint32_t threads) {
  for (std::uint32_t t = 0; t < threads; ++t) into[t] = std::max(into[t], other[t]);
}

/// One clock for each thread.
class ClockTable {
 public:
  explicit ClockTable(std::uint32_t threads) : threads_(threads), values_(std::size_t{threads} * threads) {}
  void clear() { std::fill(values_.begin(), values_.end(), 0); }
  ClockValue* at(std::uint32_t thread) { return values_.data() + std::size_t{thread} * threads_; }
  const ClockValue* at(std::uint32_t thread) const { return values_.data() + std::size_t{thread} * threads_; }

 private:
  std::uint32_t threads_;
  std::vector<ClockValue> values_;
};

/// Clocks that are made and kept until the execution ends. Number kNoClock is that of nothing.
class Clocks {
 public:
  explicit Clocks(std::uint32_t threads) : threads_(threads), values_(threads) {}
  void clear() { values_.resize(threads_); }
  /// `clock` is not one of these.
  ClockIndex add(const ClockValue* clock) {
    const std::size_t at = values_.size();
    values_.resize(at + threads_);
    std::copy_n(clock, threads_, values_.begin() + static_cast<std::ptrdiff_t>(at));
    return static_cast<ClockIndex>(at / threads_);
  }
  /// The clock of both; one of them where the other is kNoClock.
  ClockIndex joined(ClockIndex a, ClockIndex b) {
    if (a == kNoClock || a == b) return b;
    if (b == kNoClock) return a;
    const std::size_t at_out = values_.size();
    values_.resize(at_out + threads_);
    const auto out = static_cast<ClockIndex>(at_out / threads_);
    std::copy_n(at(a), threads_, values_.data() + at_out);
    join(values_.data() + std::size_t{out} * threads_, at(b), threads_);
    return out;
  }
  /// Valid until the next clock is made.
  const ClockValue* at(ClockIndex clock) const { return values_.data() + std::size_t{clock} * threads_; }

 private:
  std::uint32_t threads_;
  std::vector<ClockValue> values_;
};

}  // namespace heddle::mu::machine
