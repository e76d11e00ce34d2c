#pragma once

/// \file
/// One trial of a test, under a seed or as a schedule says.

#include <heddle/explore.h>

#include "emulator/host/trial_limit.h"
#include "emulator/seeds/search.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::watch {
class Watchers;
}

namespace heddle::seeds {

using detail::DeviceState;
using detail::TrialLimit;

/// How a trial is to run.
struct TrialPlan {
  std::uint64_t seed = 1;
  std::uint32_t most_workgroups = std::numeric_limits<std::uint32_t>::max();
  /// The answers in each dispatch; beyond them nothing is delayed and no invocation interrupted. Nothing: as the seed
  /// says.
  std::optional<std::vector<Schedule>> schedules;
  bool records = false;
  /// Nothing: as the sweep has it for the seed.
  std::optional<Configuration> configuration;
  /// Edits of the kernels. All trials of one runner have the same.
  std::vector<Edit> edits = {};
  /// Where the trace of it goes; empty for none.
  std::string trace;
  /// After so many operations, and then, it is abandoned.
  std::uint64_t most_operations = TrialLimit::kNoLimit;
  TrialLimit::Clock::time_point end = TrialLimit::Clock::time_point::max();
  /// Whether it is what was asked for, of which answers tell: no smaller form of one, and none with a change.
  bool is_asked_for = false;
  /// Called after a trial that was not abandoned, with what listened to its device; may be null.
  std::function<void(const watch::Watchers&)> look;
};

/// A limit for a trial that differs a little from one of so many operations: it may wait in places where the other one
/// went on.
constexpr std::uint64_t some_more_than(std::uint64_t operations) {
  return 16 * (operations + 16384);
}

struct TrialOutcome {
  bool failed = false;
  /// The trial came to its limit before it could fail or not.
  bool abandoned = false;
  /// Some more than it did, and 0 if it did few.
  std::uint64_t operations = 0;
  std::string what;
  std::optional<Finding> finding;
  std::uint32_t wanted_workgroups = 0;
  /// If the plan records: what was asked and answered in each dispatch.
  std::vector<Schedule> schedules;
};

/// Runs trials of a test one after the other, on one thread. A trial that leaves nothing of its device behind leaves
/// that to the next one, which takes less than a new one and finds no difference.
class TrialRunner {
 public:
  /// All must outlive it. Once `stop` is true its trials are abandoned.
  TrialRunner(const Search& search, const std::atomic<bool>* stop) : search_(search), limit_(stop) {}
  TrialOutcome run(const TrialPlan& plan);

 private:
  TrialOutcome run_once(const TrialPlan& plan);
  std::shared_ptr<DeviceState> device_for(const TrialPlan& plan, decltype(DeviceOptions::choices) choices);
  std::shared_ptr<DeviceState> left_with(const Configuration& configuration);
  void keep(std::shared_ptr<DeviceState> device);
  /// Says how it ended; but for what limits say.
  void call(Trial& trial, TrialOutcome& outcome);
  void fail_if_raced(const DeviceState& device, std::uint64_t seed, TrialOutcome& outcome) const;

  const Search& search_;
  TrialLimit limit_;
  /// What trials left, one for each memory and limits.
  std::vector<std::shared_ptr<DeviceState>> left_;
};

/// Whether the trial that this thread runs is asked for, as TrialPlan has it.
bool trial_is_asked_for();

/// Makes a failure smaller, until `stop`.
std::optional<ShrunkFailure> shrink(const Search& search, std::uint64_t seed, const std::atomic<bool>* stop);

}  // namespace heddle::seeds
