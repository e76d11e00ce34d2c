#include <heddle/schedule.h>

#include <stdexcept>
#include <string>

namespace heddle {

std::uint32_t RecordingChoice::below(std::uint32_t bound, ChoicePoint point) {
  const std::uint32_t value = inner_->below(bound, point);
  schedule_.answers.push_back({point, bound, value});
  return value;
}

ReplayedChoice::ReplayedChoice(Schedule schedule) : schedule_(std::move(schedule)) {
  if (schedule_.version != Schedule{}.version) {
    throw std::runtime_error("schedule has version " + std::to_string(schedule_.version) +
                             ", this heddle reads version " + std::to_string(Schedule{}.version));
  }
}

std::uint32_t ReplayedChoice::below(std::uint32_t bound, ChoicePoint point) {
  if (next_ == schedule_.answers.size()) {
    throw std::runtime_error("schedule ends after " + std::to_string(next_) + " answers, but the run asks for another");
  }
  const Schedule::Answer& answer = schedule_.answers[next_++];
  if (answer.point != point || answer.bound != bound) {
    throw std::runtime_error("answer " + std::to_string(next_ - 1) +
                             " of the schedule was given to another question: the kernel or its "
                             "input is not the one that was recorded");
  }
  return answer.value;
}

}  // namespace heddle
