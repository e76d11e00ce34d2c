#pragma once

/// \file
/// Whether the machine does what an exploration has found.

#include <heddle/explore.h>
#include <heddle/explore_kernel.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

namespace heddle {

/// Whether both are of the same two lines.
inline bool is_of(const KernelRace& a, const KernelRace& b) {
  const auto lines = [](const KernelRace& race) { return std::set{race.first.line, race.second.line}; };
  return lines(a) == lines(b);
}

/// Whether the race comes about in a run.
inline auto shows_race(const KernelRace& race) {
  return [race](const KernelExecutions& run) {
    return std::any_of(run.races.begin(), run.races.end(), [&](const KernelRace& one) { return is_of(one, race); });
  };
}

/// What a run says that is_seen is true of.
inline constexpr const char* kSeen = "the execution that is looked for";

/// What a seed says under which a run comes about of which `is_seen` says true, and what that seed says once more;
/// empty where no seed shows it.
struct OnMachine {
  std::string first;
  std::string again;
};

template <typename Program, typename IsSeen>
OnMachine on_machine(const Program& program, const IsSeen& is_seen) {
  SeedOptions options;
  options.print_to = nullptr;
  options.replay_file = "";
  options.jobs = 1;
  options.change_budget = std::chrono::milliseconds(0);
  options.shrink_budget = std::chrono::milliseconds(0);
  options.sweep = "memory=random,write-back";
  options.device.subgroup_size = 1;
  options.device.workgroup_memory_zeroed = true;
  options.device.races = true;
  const auto test = machine_test(program, is_seen);
  constexpr std::uint64_t kSeeds = 200;
  // A run may do something else that is wrong.
  while (options.first_seed <= kSeeds) {
    const SeedReport seen = explore_seeds(test, kSeeds + 1 - options.first_seed, options);
    if (!seen.failed()) return {};
    options.first_seed = seen.failures[0].seed;
    const SeedReport again = explore_seeds(test, 1, options);
    if (seen.failures[0].what == kSeen) return {kSeen, again.failed() ? again.failures[0].what : ""};
    ++options.first_seed;
  }
  return {};
}

}  // namespace heddle
