#include <heddle/choice.h>

#include <stdexcept>
#include <string>

namespace heddle {

namespace {
constexpr std::uint64_t kMultiplier = 6364136223846793005u;
constexpr std::uint64_t kIncrement = 1442695040888963407u;

std::uint32_t pcg32(std::uint64_t& state) {
  const std::uint64_t old = state;
  state = old * kMultiplier + kIncrement;
  const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
  const auto rotation = static_cast<std::uint32_t>(old >> 59);
  return shifted >> rotation | shifted << (-rotation & 31);
}
}  // namespace

SeededChoice::SeededChoice(std::uint64_t seed) {
  pcg32(state_);
  state_ += seed;
  pcg32(state_);
}

std::uint32_t SeededChoice::below(std::uint32_t bound, ChoicePoint) {
  // Lemire's multiplication; its bias is below 2^-32 * bound and the same on every machine.
  return static_cast<std::uint32_t>(std::uint64_t{pcg32(state_)} * bound >> 32);
}

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
    throw std::runtime_error("schedule ends after " + std::to_string(next_) +
                             " answers, but the run asks for another");
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
