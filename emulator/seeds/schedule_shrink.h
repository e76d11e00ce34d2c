#pragma once

/// \file
/// Answers of an oracle that make something fail, made fewer and plainer: the seam of kernels and of host threads.

#include <heddle/schedule.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace heddle::seeds {

/// The answer to a question with which nothing special happens.
std::uint32_t plain_answer(std::uint32_t bound, ChoicePoint point);

/// How many answers there are.
std::uint64_t count_answers(const std::vector<Schedule>& schedules);
/// How many of them delay, keep or interrupt something.
std::uint64_t count_forced(const std::vector<Schedule>& schedules);

/// Answers from a schedule as long as it lasts and fits, then plainly; writes down what it answers.
class GuidedChoice final : public Choice {
 public:
  /// With `otherwise` it asks that one alone. `recorded` may be null.
  GuidedChoice(Schedule guide, std::unique_ptr<Choice> otherwise, Schedule* recorded)
      : guide_(std::move(guide)), otherwise_(std::move(otherwise)), recorded_(recorded) {}

  std::uint32_t below(std::uint32_t bound, ChoicePoint point) override;

 private:
  std::uint32_t plain(std::uint32_t bound, ChoicePoint point);

  Schedule guide_;
  std::unique_ptr<Choice> otherwise_;
  Schedule* recorded_;
  std::size_t next_ = 0;
  std::uint64_t workgroups_chosen_ = 0;
  std::uint64_t invocations_chosen_ = 0;
};

/// Tries smaller and smaller variants of schedules with which something fails, and keeps those that fail (delta
/// debugging, Zeller and Hildebrandt 2002).
class ScheduleShrinker {
 public:
  using Fails = std::function<bool(const std::vector<Schedule>&)>;
  ScheduleShrinker(std::vector<Schedule> schedules, Fails fails, std::function<bool()> time_is_up)
      : schedules_(std::move(schedules)), fails_(std::move(fails)), time_is_up_(std::move(time_is_up)) {}

  /// The schedules that are left; they fail.
  std::vector<Schedule> shrink();

 private:
  void shorter();
  void plainer(bool (*concerns)(ChoicePoint));
  bool plain_part(std::size_t begin, std::size_t end, bool (*concerns)(ChoicePoint));

  std::vector<Schedule> schedules_;
  Fails fails_;
  std::function<bool()> time_is_up_;
};

}  // namespace heddle::seeds
