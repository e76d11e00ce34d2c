#pragma once

/// \file
/// Answers of an oracle, written down: how an execution is run again.

#include <heddle/choice.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle {

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
