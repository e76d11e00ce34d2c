#include "emulator/seeds/schedule_shrink.h"

#include <algorithm>

namespace heddle::seeds {
namespace {

bool is_plain(const Schedule::Answer& answer) {
  return answer.value == plain_answer(answer.bound, answer.point);
}

/// Plain answers at the end say nothing.
void trim(std::vector<Schedule>& schedules) {
  for (Schedule& schedule : schedules)
    while (!schedule.answers.empty() && is_plain(schedule.answers.back())) schedule.answers.pop_back();
}

}  // namespace

std::uint32_t plain_answer(std::uint32_t bound, ChoicePoint point) {
  switch (point) {
    case ChoicePoint::Workgroup:
    case ChoicePoint::Invocation:
      return 0;
    // As late as can be; a permutation that changes nothing; a chance that does not come about.
    case ChoicePoint::Preemption:
    case ChoicePoint::LaneMapping:
    case ChoicePoint::Memory:
      return bound - 1;
  }
  return 0;
}

std::uint64_t count_answers(const std::vector<Schedule>& schedules) {
  std::uint64_t count = 0;
  for (const Schedule& schedule : schedules) count += schedule.answers.size();
  return count;
}

std::uint64_t count_forced(const std::vector<Schedule>& schedules) {
  std::uint64_t count = 0;
  for (const Schedule& schedule : schedules)
    for (const Schedule::Answer& answer : schedule.answers) count += is_plain(answer) ? 0 : 1;
  return count;
}

std::uint32_t GuidedChoice::below(std::uint32_t bound, ChoicePoint point) {
  std::uint32_t value = 0;
  if (otherwise_) {
    value = otherwise_->below(bound, point);
  } else if (next_ < guide_.answers.size() && guide_.answers[next_].point == point) {
    value = std::min(guide_.answers[next_++].value, bound - 1);
  } else {
    value = plain(bound, point);
    ++next_;
  }
  if (recorded_) recorded_->answers.push_back({point, bound, value});
  return value;
}

/// No invocation is interrupted; but one that waits does not have every turn: after some turns it is another one's.
std::uint32_t GuidedChoice::plain(std::uint32_t bound, ChoicePoint point) {
  constexpr std::uint64_t kTurns = 64;
  if (point == ChoicePoint::Workgroup) return static_cast<std::uint32_t>(workgroups_chosen_++ / kTurns % bound);
  if (point == ChoicePoint::Invocation) return static_cast<std::uint32_t>(invocations_chosen_++ / kTurns % bound);
  return plain_answer(bound, point);
}

/// Cuts the schedules off, the last dispatch's first.
void ScheduleShrinker::shorter() {
  for (std::size_t dispatch = schedules_.size(); dispatch-- > 0;) {
    std::size_t least = 0;
    std::size_t most = schedules_[dispatch].answers.size();
    while (least < most && !time_is_up_()) {
      const std::size_t middle = least + (most - least) / 2;
      std::vector<Schedule> cut = schedules_;
      cut[dispatch].answers.resize(middle);
      if (fails_(cut)) {
        schedules_ = std::move(cut);
        most = middle;
      } else {
        least = middle + 1;
      }
    }
  }
}

/// Makes a part of all answers plain; whether that changed any and it fails still.
bool ScheduleShrinker::plain_part(std::size_t begin, std::size_t end, bool (*concerns)(ChoicePoint)) {
  std::vector<Schedule> plainer = schedules_;
  bool changed = false;
  std::size_t at = 0;
  for (Schedule& schedule : plainer) {
    for (Schedule::Answer& answer : schedule.answers) {
      const bool inside = at >= begin && at < end;
      ++at;
      if (!inside || !concerns(answer.point) || is_plain(answer)) continue;
      answer.value = plain_answer(answer.bound, answer.point);
      changed = true;
    }
  }
  if (!changed || !fails_(plainer)) return false;
  schedules_ = std::move(plainer);
  return true;
}

void ScheduleShrinker::plainer(bool (*concerns)(ChoicePoint)) {
  const std::size_t all = count_answers(schedules_);
  for (std::size_t part = std::max<std::size_t>(all, 1); part > 0; part /= 2)
    for (std::size_t begin = 0; begin < all && !time_is_up_(); begin += part) plain_part(begin, begin + part, concerns);
}

std::vector<Schedule> ScheduleShrinker::shrink() {
  shorter();
  plainer([](ChoicePoint point) { return point == ChoicePoint::Memory; });
  plainer([](ChoicePoint point) { return point != ChoicePoint::Memory; });
  // Whether an answer is plain depends on how many there were to choose from, which others before it may have changed.
  std::vector<Schedule> trimmed = schedules_;
  trim(trimmed);
  if (fails_(trimmed)) schedules_ = std::move(trimmed);
  return std::move(schedules_);
}

}  // namespace heddle::seeds
