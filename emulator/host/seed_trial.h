#pragma once

/// \file
/// One trial of a test, under a seed or as a schedule says.

#include <heddle/explore.h>

#include <optional>
#include <string>
#include <vector>

namespace heddle::detail {

/// How a trial is to run.
struct TrialPlan {
  std::uint64_t seed = 1;
  std::uint32_t most_workgroups = std::numeric_limits<std::uint32_t>::max();
  /// Of each dispatch: its answers; beyond them nothing is delayed and nobody interrupted. Nothing: as
  /// the seed says.
  std::optional<std::vector<Schedule>> schedules;
  bool records = false;
  /// Where the trace of it goes; empty for none.
  std::string trace;
};

struct TrialOutcome {
  bool failed = false;
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
  /// Both must outlive it.
  TrialRunner(const TrialFunction& trial, const SeedOptions& options) : trial_(trial), options_(options) {}
  TrialOutcome run(const TrialPlan& plan);

 private:
  std::shared_ptr<DeviceState> device_for(const TrialPlan& plan, decltype(DeviceOptions::choices) choices);
  void keep(std::shared_ptr<DeviceState> device);

  const TrialFunction& trial_;
  const SeedOptions& options_;
  /// What the last trial left; null for nothing.
  std::shared_ptr<DeviceState> left_;
};

/// The answer to a question with which nothing special happens.
std::uint32_t plain_answer(std::uint32_t bound, ChoicePoint point);

/// Makes a failure smaller.
std::optional<ShrunkFailure> shrink(const TrialFunction& trial, const SeedOptions& options,
                                    std::uint64_t seed);

}  // namespace heddle::detail
