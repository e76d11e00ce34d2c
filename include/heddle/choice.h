#pragma once

/// \file
/// The one seam through which all nondeterminism passes.

#include <heddle/detail/language.h>

#include <cstdint>

namespace heddle {

/// What is being chosen; a recorded schedule keeps it, so that a replay that drifts is noticed.
enum class ChoicePoint : std::uint8_t {
  /// Which resident workgroup goes on, or that another is admitted.
  Workgroup,
  /// Which invocation of a workgroup goes on, and in which order the others follow it.
  Invocation,
  /// After how many operations the running invocation is interrupted.
  Preemption,
  /// A permutation that maps lanes to invocations.
  LaneMapping,
  /// What the memory does: evictions, stale copies.
  Memory,
};

/// An oracle: asked for a number below a bound, answers. Not thread-safe.
class Choice {
 public:
  virtual ~Choice() = default;
  /// A number in [0, bound); `bound` is at least 1.
  virtual std::uint32_t below(std::uint32_t bound, ChoicePoint point) = 0;
};

/// Answers drawn from a seed: the same on every machine (PCG32, O'Neill 2014).
class SeededChoice final : public Choice {
 public:
  explicit SeededChoice(std::uint64_t seed) {
    next();
    state_ += seed;
    next();
  }
  // Lemire's multiplication; its bias is below 2^-32 * bound and the same on every machine.
  std::uint32_t below(std::uint32_t bound, ChoicePoint) override {
    return static_cast<std::uint32_t>(std::uint64_t{next()} * bound >> 32);
  }

 private:
  std::uint32_t next() {
    const std::uint64_t old = state_;
    state_ = old * 6364136223846793005u + 1442695040888963407u;
    const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
    const auto rotation = static_cast<std::uint32_t>(old >> 59);
    return shifted >> rotation | shifted << (-rotation & 31);
  }

  std::uint64_t state_ = 0;
};

}  // namespace heddle
