#pragma once

/// \file
/// Which forward progress a program relies on: whether it ends under a model, and under which weakest one it does.

#include <heddle/explore.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>

namespace heddle {

/// What was found of a program under a model of forward progress.
struct EndsUnder {
  std::string model;
  /// Whether it ended under all seeds that were tried. That is no proof.
  bool ends = true;
  std::uint64_t seeds = 0;
  /// Who waits where, if it does not end, and the command that repeats it.
  std::string hang;
  std::string replay;
};

/// What a program needs, as far as some seeds tell.
struct ProgressNeed {
  /// The weakest model of workgroups, and of invocations of a subgroup, under which it ends: "obe"; empty if it does
  /// not end under `fair`.
  std::string workgroups;
  std::string lanes;
  /// In sentences: under which weaker model it does not end, who waits where, and what to do.
  std::string explain;
};

namespace detail {
SeedOptions options_under(const std::string& model, SeedOptions options);
EndsUnder told_under(const std::string& model, std::uint64_t seeds, const SeedReport& report);
ProgressNeed progress_needed(const std::function<EndsUnder(const std::string&)>& ends_under);
}  // namespace detail

/// Runs `test`, as explore_seeds takes it, under `seeds` seeds, by a scheduler that is adversarial within the model
/// (DeviceOptions::forward_progress). Whatever else is wrong with it counts for nothing here.
template <std::invocable<Trial&> Test>
EndsUnder ends_under(Test&& test, const std::string& model, std::uint64_t seeds = 100,
                     const SeedOptions& options = {}) {
  const SeedReport report = detail::explore_seeds(
      [&test](Trial& trial) {
        try {
          (void)test(trial);
        } catch (const KernelError& error) {
          if (error.finding().kind == FindingKind::NoProgress) throw;
        } catch (const TrialFailed&) {
          return;
        }
      },
      seeds, detail::options_under(model, options));
  return detail::told_under(model, seeds, report);
}

/// Asks from the strongest model to the weakest, of workgroups (fair, lobe, obe, hsa, unfair) and of the invocations of
/// a subgroup (fair, unfair).
template <std::invocable<Trial&> Test>
ProgressNeed progress_needed(Test&& test, std::uint64_t seeds = 100, const SeedOptions& options = {}) {
  return detail::progress_needed(
      [&](const std::string& model) { return heddle::ends_under(test, model, seeds, options); });
}

}  // namespace heddle
