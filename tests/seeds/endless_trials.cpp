// Trials that wait for long, or do not end: budgets, signals, and what has failed until then.

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include "tests/seeds/quiet.h"

using namespace heddle;
using heddle::test::printed_to;
using heddle::test::quiet;

namespace {

/// The second workgroup sets a flag that the first one polls through a barrier with plain reads.
constexpr auto poll_through_barriers = [](auto& inv, StorageBuffer<std::uint32_t> auto done) {
  auto flag = inv.template workgroup<std::uint32_t[1]>("flag");
  const bool leads = inv.local_invocation_index() == 0;
  if (inv.workgroup_id().x == 1) {
    if (leads) inv.atomic_store(done[0], Scope::Device, MemorySemantics::None, 1);
    return;
  }
  while (true) {
    if (leads) flag[0] = inv.atomic_load(done[0], Scope::Device, MemorySemantics::None);
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    const std::uint32_t is_done = flag[0];
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    if (is_done) return;
  }
};

/// Never ends, and accesses memory all the time.
constexpr auto count_for_ever = [](auto& inv, StorageBuffer<std::uint32_t> auto counts) {
  while (true) inv.atomic_i_add(counts[0], Scope::Device, MemorySemantics::None, 1);
};

/// What a process prints that runs `search` and gets SIGTERM after a while; and how it ended.
template <typename Search>
std::pair<std::string, int> terminated(Search search) {
  std::FILE* const out = std::tmpfile();
  REQUIRE(out);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);
    search(out);
    std::_Exit(0);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  kill(child, SIGTERM);
  int status = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(20)) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {printed_to(out), status};
}

}  // namespace

TEST_CASE("a failure whose smaller runs poll for what another workgroup sets is made smaller") {
  SeedOptions options = quiet();
  options.shrink_budget = std::chrono::seconds(20);
  const auto fail_always = [](Trial& trial) {
    auto done = trial.device().buffer({std::uint32_t{0}}, "done");
    trial.device().dispatch(poll_through_barriers, {2}, {2}, done);
    trial.require(false, "always wrong");
  };
  const SeedReport report = explore_seeds(fail_always, 5, options);
  REQUIRE(report.failures.size() == 1);
  REQUIRE(report.failures[0].shrunk);
  CHECK(report.failures[0].shrunk->forced == 0);
  CHECK(report.seconds < 15);
}

TEST_CASE("a budget ends the trials that run") {
  SeedOptions options = quiet();
  options.jobs = 2;
  options.budget = std::chrono::milliseconds(300);
  const auto run_for_ever = [](Trial& trial) {
    auto counts = trial.device().buffer({std::uint32_t{0}}, "counts");
    trial.device().dispatch(count_for_ever, {2}, {2}, counts);
  };
  const SeedReport report = explore_seeds(run_for_ever, 100, options);
  CHECK(report.trials == 0);
  CHECK_FALSE(report.failed());
  CHECK_FALSE(report.complete);
  CHECK(report.seconds < 15);
}

TEST_CASE("the first SIGTERM ends a search whose trials do not end, and what failed is printed") {
  const auto search = [](auto after_the_first) {
    return terminated([&](std::FILE* out) {
      SeedOptions options;
      options.print_to = out;
      options.jobs = 2;
      options.stop_at_first = false;
      options.shrink_budget = std::chrono::milliseconds(0);
      std::ignore = explore_seeds(
          [&](Trial& trial) {
            trial.require(trial.seed() != 1, "it is the first");
            after_the_first(trial);
          },
          100, options);
    });
  };
  const auto check = [](const std::pair<std::string, int>& end) {
    CHECK(WIFSIGNALED(end.second));
    CHECK(WTERMSIG(end.second) == SIGTERM);
    CHECK_THAT(end.first, Catch::Contains("seed 1 fails: it is the first\n  again: HEDDLE_EXPLORE_SEED=1 "));
    CHECK_THAT(end.first, Catch::Contains("interrupted after "));
  };
  SECTION("in operations") {
    check(search([](Trial& trial) {
      auto counts = trial.device().buffer({std::uint32_t{0}}, "counts");
      trial.device().dispatch(count_for_ever, {2}, {2}, counts);
    }));
  }
  SECTION("in a loop of their own") {
    check(search([](Trial&) {
      for (volatile bool goes_on = true; goes_on;) {
      }
    }));
  }
}

TEST_CASE("a failure is printed before a smaller one is looked for") {
  const auto [printed, status] = terminated([](std::FILE* out) {
    SeedOptions options;
    options.print_to = out;
    options.jobs = 1;
    options.shrink_budget = std::chrono::hours(1);
    bool first = true;
    std::ignore = explore_seeds(
        [&](Trial& trial) {
          if (!std::exchange(first, false))
            for (volatile bool goes_on = true; goes_on;) {
            }
          trial.require(false, "always wrong");
        },
        1, options);
  });
  CHECK(WIFSIGNALED(status));
  CHECK_THAT(printed, Catch::Contains("seed 1 fails: always wrong"));
}
