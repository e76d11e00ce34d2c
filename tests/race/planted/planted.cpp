#include "tests/race/planted/planted.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>

namespace heddle::planted {
namespace {

/// A way to run: under a policy, or on several threads at once, where a seed decides nothing.
constexpr const char* kParallel = "parallel";
constexpr std::array kPolicies = {"sequential", "random", "adversarial", kParallel};
constexpr std::uint64_t kSeeds = 4;
// What comes about in some interleavings only has to come about in one of so many.
constexpr std::uint64_t kParallelRuns = 100;

std::uint64_t most_runs(const char* policy) {
  return policy == kParallel ? kParallelRuns : kSeeds;
}

DeviceOptions racing(const char* policy, std::uint64_t seed) {
  DeviceOptions options;
  options.races = true;
  options.seed = seed;
  options.races_parallel = policy == kParallel;
  options.memory = memory_policy(policy == kParallel ? "sequential" : policy);
  options.subgroup_size = 8;
  options.resident_workgroups = 4;
  options.workers = 4;
  options.operations_between_switches = 4;
  return options;
}

/// What a run with a planted bug came to.
struct Outcome {
  bool race = false;
  bool out_of_bounds = false;
  bool race_or_uninitialized = false;
  std::string other;
};

Outcome outcome_of(const Algorithm& algorithm, Bug bug, const char* policy, std::uint64_t seed) {
  Device device(racing(policy, seed));
  Outcome outcome;
  try {
    (void)algorithm(device, bug);
  } catch (const KernelError& error) {
    outcome.out_of_bounds = error.finding().kind == FindingKind::OutOfBounds;
    outcome.race_or_uninitialized = error.finding().kind == FindingKind::UninitializedRead;
    outcome.other = error.what();
  }
  outcome.race = !device.races().empty();
  outcome.race_or_uninitialized = outcome.race_or_uninitialized || outcome.race;
  return outcome;
}

void check(const Algorithm& algorithm, Bug bug, bool Outcome::*expected) {
  for (const char* policy : kPolicies) {
    std::uint64_t found = 0;
    std::string other;
    for (std::uint64_t seed = 1; seed <= most_runs(policy) && found == 0; ++seed) {
      const Outcome outcome = outcome_of(algorithm, bug, policy, seed);
      found += outcome.*expected ? 1 : 0;
      other += outcome.other;
    }
    INFO("bug " << static_cast<int>(bug) << " on " << policy << " memory: " << other);
    CHECK(found > 0);
  }
}

}  // namespace

void check_clean(const Algorithm& algorithm) {
  for (const char* policy : kPolicies)
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Device device(racing(policy, seed));
      INFO("seed " << seed << " on " << policy << " memory");
      CHECK(algorithm(device, Bug::None));
      for (const DataRace& race : device.races()) UNSCOPED_INFO(to_string(race));
      CHECK(device.races().empty());
    }
}

void check_race(const Algorithm& algorithm, std::initializer_list<Bug> bugs) {
  for (const Bug bug : bugs) check(algorithm, bug, &Outcome::race);
}

void check_out_of_bounds(const Algorithm& algorithm, std::initializer_list<Bug> bugs) {
  for (const Bug bug : bugs) check(algorithm, bug, &Outcome::out_of_bounds);
}

void check_race_or_uninitialized(const Algorithm& algorithm, std::initializer_list<Bug> bugs) {
  for (const Bug bug : bugs) check(algorithm, bug, &Outcome::race_or_uninitialized);
}

}  // namespace heddle::planted
