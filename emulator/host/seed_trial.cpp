#include "emulator/host/seed_trial.h"

#include "emulator/host/device_state.h"
#include "emulator/host/own_command.h"

#include <cstdlib>

namespace heddle::detail {
namespace {

/// Answers from a schedule as long as it lasts and fits, then plainly; writes down what it answers.
class GuidedChoice final : public Choice {
 public:
  GuidedChoice(Schedule guide, std::unique_ptr<Choice> otherwise, Schedule* recorded)
      : guide_(std::move(guide)), otherwise_(std::move(otherwise)), recorded_(recorded) {}

  std::uint32_t below(std::uint32_t bound, ChoicePoint point) override {
    std::uint32_t value = 0;
    if (otherwise_) {
      value = otherwise_->below(bound, point);
    } else if (next_ < guide_.answers.size() && guide_.answers[next_].point == point) {
      value = std::min(guide_.answers[next_++].value, bound - 1);
    } else {
      value = plain_answer(bound, point);
      ++next_;
    }
    if (recorded_) recorded_->answers.push_back({point, bound, value});
    return value;
  }

 private:
  Schedule guide_;
  std::unique_ptr<Choice> otherwise_;
  Schedule* recorded_;
  std::size_t next_ = 0;
};

DeviceOptions device_options(const SeedOptions& options, const TrialPlan& plan) {
  DeviceOptions device = options.device;
  device.mode = Mode::Emulated;
  device.seed = plan.seed;
  device.trace = plan.trace;
  const char* named = std::getenv("HEDDLE_MEMORY");
  if (!device.memory && (!named || !*named)) device.memory = memory_policy("random");
  return device;
}

}  // namespace

std::uint32_t plain_answer(std::uint32_t bound, ChoicePoint point) {
  switch (point) {
    case ChoicePoint::Workgroup:
    case ChoicePoint::Invocation: return 0;
    // As late as can be; a permutation that changes nothing; a chance that does not come about.
    case ChoicePoint::Preemption:
    case ChoicePoint::LaneMapping:
    case ChoicePoint::Memory: return bound - 1;
  }
  return 0;
}

std::shared_ptr<DeviceState> TrialRunner::device_for(const TrialPlan& plan,
                                                     decltype(DeviceOptions::choices) choices) {
  if (left_ && plan.trace.empty()) {
    left_->restart(plan.seed, std::move(choices));
    return std::move(left_);
  }
  DeviceOptions options = device_options(options_, plan);
  options.choices = std::move(choices);
  return std::make_shared<DeviceState>(std::move(options));
}

// Buffers have the device they were made on.
void TrialRunner::keep(std::shared_ptr<DeviceState> device) {
  if (device.use_count() == 1 && device->can_restart()) left_ = std::move(device);
}

TrialOutcome TrialRunner::run(const TrialPlan& plan) {
  TrialOutcome outcome;
  // Schedules are handed out by address.
  std::vector<std::unique_ptr<Schedule>> recorded;
  decltype(DeviceOptions::choices) choices;
  if (plan.records || plan.schedules) {
    choices = [&](std::uint64_t dispatch_seed) -> std::unique_ptr<Choice> {
      const std::size_t dispatch = recorded.size();
      recorded.push_back(std::make_unique<Schedule>());
      Schedule guide;
      std::unique_ptr<Choice> otherwise;
      if (!plan.schedules) {
        otherwise = std::make_unique<SeededChoice>(dispatch_seed);
      } else if (dispatch < plan.schedules->size()) {
        guide = (*plan.schedules)[dispatch];
      }
      return std::make_unique<GuidedChoice>(std::move(guide), std::move(otherwise),
                                            recorded.back().get());
    };
  }
  std::shared_ptr<DeviceState> device = device_for(plan, std::move(choices));
  {
    const InTrial in_trial;
    Trial trial(device, plan.most_workgroups);
    try {
      trial_(trial);
    } catch (const KernelError& error) {
      outcome.failed = true;
      outcome.what = error.what();
      outcome.finding = error.finding();
    } catch (const std::exception& error) {
      outcome.failed = true;
      outcome.what = error.what();
    } catch (...) {
      outcome.failed = true;
      outcome.what = "it threw something that is no std::exception";
    }
    outcome.wanted_workgroups = trial.wanted_workgroups();
  }
  keep(std::move(device));
  for (auto& schedule : recorded) outcome.schedules.push_back(std::move(*schedule));
  return outcome;
}

std::optional<std::string> replay(const TrialFunction& trial, const ShrunkFailure& failure,
                                  const SeedOptions& options) {
  TrialPlan plan;
  plan.seed = failure.seed;
  plan.most_workgroups = failure.workgroups;
  plan.schedules = failure.schedules;
  const TrialOutcome outcome = TrialRunner(trial, options).run(plan);
  if (!outcome.failed) return std::nullopt;
  return outcome.what;
}

}  // namespace heddle::detail
