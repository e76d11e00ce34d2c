#include "emulator/seeds/seed_trial.h"

#include "emulator/host/device_state.h"
#include "emulator/report/collector.h"
#include "emulator/seeds/schedule_shrink.h"
#include "emulator/watch/own_command.h"

#include <heddle/detail/check.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace heddle::seeds {
namespace {

/// A trial that runs, for checks that fail in it.
struct RunningTrial {
  const TrialPlan& plan;
  /// What was asked and answered in each dispatch until now; empty if the trial only follows its seed.
  const std::vector<std::unique_ptr<Schedule>>& recorded;
};

thread_local bool is_asked_for = false;

std::string schedule_text(const void* context) {
  const auto& running = *static_cast<const RunningTrial*>(context);
  std::string text = fmt::format("  schedule: a trial with seed {}{}\n", running.plan.seed,
                                 running.plan.schedules ? ", whose oracle answers from a list" : "");
  for (std::size_t dispatch = 0; dispatch < running.recorded.size(); ++dispatch) {
    text += fmt::format("    dispatch {}, answer/number of possible ones:", dispatch);
    for (const Schedule::Answer& answer : running.recorded[dispatch]->answers)
      text += fmt::format(" {}/{}", answer.value, answer.bound);
    text += '\n';
  }
  return text;
}

DeviceOptions device_options(const SeedOptions& options, const TrialPlan& plan, const Configuration& configuration) {
  DeviceOptions device = options.device;
  device.mode = Mode::Emulated;
  device.seed = plan.seed;
  device.trace = plan.trace;
  configuration.complete(device);
  if (!plan.edits.empty()) device.edits = plan.edits;
  const char* named = std::getenv("HEDDLE_MEMORY");
  if (!device.memory && (!named || !*named)) device.memory = memory_policy("random");
  return device;
}

}  // namespace

std::shared_ptr<DeviceState> TrialRunner::device_for(const TrialPlan& plan, decltype(DeviceOptions::choices) choices) {
  const Configuration configuration = plan.configuration ? *plan.configuration : search_.configuration_of(plan.seed);
  if (plan.trace.empty()) {
    if (std::shared_ptr<DeviceState> left = left_with(configuration)) {
      left->restart(plan.seed, std::move(choices));
      left->lay_out(configuration);
      return left;
    }
  }
  DeviceOptions options = device_options(search_.options(), plan, configuration);
  options.choices = std::move(choices);
  return std::make_shared<DeviceState>(std::move(options));
}

// Buffers have the device they were made on.
void TrialRunner::keep(std::shared_ptr<DeviceState> device) {
  if (device.use_count() == 1 && device->can_restart()) left_.push_back(std::move(device));
}

// What has another memory, or other limits, models of progress or reconvergence, is made anew.
std::shared_ptr<DeviceState> TrialRunner::left_with(const Configuration& configuration) {
  const auto fits = [&](const std::shared_ptr<DeviceState>& device) {
    const DeviceOptions& o = device->options;
    return (!configuration.memory || *configuration.memory == *o.memory) &&
           (!configuration.limits || *configuration.limits == *o.limits) &&
           (!configuration.forward_progress || *configuration.forward_progress == o.forward_progress) &&
           (!configuration.reconvergence || *configuration.reconvergence == *o.reconvergence);
  };
  const auto found = std::find_if(left_.begin(), left_.end(), fits);
  if (found == left_.end()) return nullptr;
  std::shared_ptr<DeviceState> device = std::move(*found);
  left_.erase(found);
  return device;
}

void TrialRunner::fail_if_raced(const DeviceState& device, std::uint64_t seed, TrialOutcome& outcome) const {
  if (outcome.failed || outcome.abandoned || !search_.options().races_fail || !device.watchers.has_races()) return;
  report::Collector found;
  device.watchers.collect(found, seed);
  const RaceReport report = search_.race_report(found);
  if (report.races.empty()) return;
  outcome.failed = true;
  outcome.finding = to_finding(report.races[0]);
  // What runs the trial again is said of all failures alike.
  outcome.finding->replay.clear();
  outcome.what = to_string(*outcome.finding);
}

// What a framework has to say of its checks is told before what ended the trial, which may be the framework itself.
void TrialRunner::call(Trial& trial, TrialOutcome& outcome) {
  detail::TestFramework* const framework = search_.framework();
  if (framework) framework->trial_begins();
  bool is_unknown = false;
  try {
    search_.trial()(trial);
  } catch (const KernelError& error) {
    outcome.failed = true;
    outcome.what = error.what();
    outcome.finding = error.finding();
  } catch (const std::exception& error) {
    outcome.failed = true;
    outcome.what = error.what();
  } catch (...) {
    outcome.failed = is_unknown = true;
    outcome.what = "it threw something that is no std::exception";
  }
  const std::string checks = framework ? framework->trial_ends() : "";
  if (checks.empty()) return;
  outcome.what = outcome.failed && !is_unknown ? checks + '\n' + outcome.what : checks;
  outcome.failed = true;
}

bool trial_is_asked_for() {
  return is_asked_for;
}

TrialOutcome TrialRunner::run(const TrialPlan& plan) {
  TrialOutcome outcome = run_once(plan);
  const bool stands_still = outcome.finding && outcome.finding->kind == FindingKind::NoProgress;
  if (!stands_still && !outcome.abandoned) return outcome;
  if (plan.configuration || !search_.runs_again_in_order(plan.seed)) return outcome;
  // A trial that came to its limit may have been about to stand still.
  if (stands_still) search_.keep_order(plan.seed);
  TrialPlan in_order = plan;
  in_order.configuration = search_.configuration_of(plan.seed);
  in_order.configuration->workgroup_order = WorkgroupOrder::Ascending;
  return run_once(in_order);
}

TrialOutcome TrialRunner::run_once(const TrialPlan& plan) {
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
      return std::make_unique<GuidedChoice>(std::move(guide), std::move(otherwise), recorded.back().get());
    };
  }
  std::shared_ptr<DeviceState> device = device_for(plan, std::move(choices));
  {
    const watch::InTrial in_trial(search_.command());
    const RunningTrial running{plan, recorded};
    const detail::Situation situation(&schedule_text, &running);
    Trial trial(new detail::DeviceHandle{device}, plan.most_workgroups);
    limit_.begin(plan.most_operations, plan.end);
    device->limit = &limit_;
    const bool outer = std::exchange(is_asked_for, plan.is_asked_for);
    call(trial, outcome);
    is_asked_for = outer;
    if (limit_.was_exceeded()) {
      outcome = {};
      outcome.abandoned = true;
    }
    outcome.wanted_workgroups = trial.wanted_workgroups();
    outcome.operations = limit_.spent();
    device->limit = nullptr;
    fail_if_raced(*device, plan.seed, outcome);
    if (plan.look && !outcome.abandoned && device->watchers.looks_for_races()) plan.look(device->watchers);
  }
  if (!outcome.abandoned) keep(std::move(device));
  for (auto& schedule : recorded) outcome.schedules.push_back(std::move(*schedule));
  return outcome;
}

}  // namespace heddle::seeds

namespace heddle::detail {

std::optional<std::string> replay(const TrialFunction& trial, const ShrunkFailure& failure,
                                  const SeedOptions& options) {
  const seeds::Search search(trial, options);
  seeds::TrialPlan plan;
  plan.seed = failure.seed;
  plan.most_workgroups = failure.workgroups;
  plan.schedules = failure.schedules;
  plan.configuration = failure.configuration;
  const seeds::TrialOutcome outcome = seeds::TrialRunner(search, nullptr).run(plan);
  if (!outcome.failed) return std::nullopt;
  return outcome.what;
}

}  // namespace heddle::detail
