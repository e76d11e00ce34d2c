#pragma once

/// \file
/// The one seam through which all nondeterminism passes.

#include <cstdint>
#include <memory>
#include <vector>

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

/// A list of answers, with what was asked: enough to run an execution again.
struct Schedule {
  /// Format of `answers`; a schedule of another version is refused.
  std::uint32_t version = 1;
  struct Answer {
    ChoicePoint point;
    std::uint32_t bound;
    std::uint32_t value;
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  std::vector<Answer> answers;
};

/// Asks another oracle and writes down what it answered.
class RecordingChoice final : public Choice {
 public:
  explicit RecordingChoice(std::unique_ptr<Choice> inner) : inner_(std::move(inner)) {}
  std::uint32_t below(std::uint32_t bound, ChoicePoint point) override;
  const Schedule& schedule() const { return schedule_; }

 private:
  std::unique_ptr<Choice> inner_;
  Schedule schedule_;
};

/// Answers from a schedule. Throws std::runtime_error when asked something else than was recorded,
/// or more, and for a schedule of another version.
class ReplayedChoice final : public Choice {
 public:
  explicit ReplayedChoice(Schedule schedule);
  std::uint32_t below(std::uint32_t bound, ChoicePoint point) override;

 private:
  Schedule schedule_;
  std::size_t next_ = 0;
};

}  // namespace heddle
