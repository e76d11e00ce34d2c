#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include "tests/seeds/quiet.h"

using namespace heddle;
using heddle::test::printed_to;
using heddle::test::quiet;

namespace {

/// A message whose data is not made available if `wrong`.
template <bool wrong>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto seen) {
  constexpr auto kRelease = wrong ? MemorySemantics::Release | MemorySemantics::UniformMemory : kReleaseBuffers;
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 42;
    inv.atomic_store(flag[0], Scope::Device, kRelease, 1);
  } else {
    while (inv.atomic_load(flag[0], Scope::Device, kAcquireBuffers) == 0) {
    }
    seen[0] = data.non_private()[0];
  }
};

template <bool wrong>
void message_arrives(Trial& trial) {
  auto data = trial.device().buffer({std::uint32_t{0}}, "data");
  auto flag = trial.device().buffer({std::uint32_t{0}}, "flag");
  auto seen = trial.device().buffer({std::uint32_t{0}}, "seen");
  trial.device().dispatch(message<wrong>, {2}, {1}, data, flag, seen);
  trial.require(seen.read()[0] == 42, "no message");
}

std::vector<std::uint64_t> failing(const SeedReport& report) {
  std::vector<std::uint64_t> out;
  for (const SeedFailure& failure : report.failures) out.push_back(failure.seed);
  return out;
}

}  // namespace

TEST_CASE("a wrong kernel fails under some seed, the right one under none") {
  const SeedReport wrong = explore_seeds(message_arrives<true>, 200, quiet());
  REQUIRE(wrong.failures.size() == 1);
  CHECK(wrong.failures[0].what == "no message");
  CHECK_THAT(wrong.failures[0].replay,
             Catch::StartsWith("HEDDLE_EXPLORE_SEED=" + std::to_string(wrong.failures[0].seed)));
  const SeedReport right = explore_seeds(message_arrives<false>, 200, quiet());
  CHECK_FALSE(right.failed());
  CHECK(right.trials == 200);
  CHECK(right.complete);
}

TEST_CASE("the failing seeds are the same on any number of threads, and the first is the lowest") {
  SeedOptions options = quiet();
  options.stop_at_first = false;
  options.shrink_budget = std::chrono::milliseconds(0);
  options.jobs = 1;
  const std::vector<std::uint64_t> alone = failing(explore_seeds(message_arrives<true>, 100, options));
  options.jobs = 3;
  CHECK(failing(explore_seeds(message_arrives<true>, 100, options)) == alone);
  REQUIRE(alone.size() > 1);
  options.stop_at_first = true;
  CHECK(failing(explore_seeds(message_arrives<true>, 100, options)) == std::vector<std::uint64_t>{alone.front()});
}

TEST_CASE("of many short trials on several threads each runs once, and the lowest failing seed is found") {
  SeedOptions options = quiet();
  options.shrink_budget = std::chrono::milliseconds(0);
  options.jobs = 4;
  std::atomic<std::uint64_t> sum = 0;
  const auto some_fail = [&](Trial& trial) {
    sum += trial.seed();
    return trial.seed() % 997 != 996;
  };
  CHECK(failing(explore_seeds(some_fail, 5000, options)) == std::vector<std::uint64_t>{996});
  options.stop_at_first = false;
  sum = 0;
  const SeedReport all = explore_seeds(some_fail, 5000, options);
  CHECK(all.trials == 5000);
  CHECK(sum == 5000 * 5001 / 2);
  CHECK(failing(all) == std::vector<std::uint64_t>{996, 1993, 2990, 3987, 4984});
}

TEST_CASE("shards share the seeds out: each is in exactly one") {
  std::multiset<std::uint64_t> seen;
  std::mutex mutex;
  const auto note = [&](Trial& trial) {
    const std::lock_guard lock(mutex);
    seen.insert(trial.seed());
  };
  for (std::uint32_t index = 1; index <= 3; ++index) {
    SeedOptions options = quiet();
    options.first_seed = 10;
    options.shard = {index, 3};
    std::ignore = explore_seeds(note, 11, options);
  }
  CHECK(seen.size() == 11);
  for (std::uint64_t seed = 10; seed < 21; ++seed) CHECK(seen.count(seed) == 1);
  SeedOptions late = quiet();
  late.shard = {3, 3};
  CHECK(explore_seeds(note, 2, late).trials == 0);
}

TEST_CASE("no trial begins when the time is up") {
  SeedOptions options = quiet();
  options.budget = std::chrono::milliseconds(1);
  const SeedReport report = explore_seeds(message_arrives<false>, 100000000, options);
  CHECK_FALSE(report.complete);
  CHECK(report.trials < 100000000);
  std::FILE* const out = std::tmpfile();
  REQUIRE(out);
  options.print_to = out;
  std::ignore = explore_seeds(message_arrives<false>, 100000000, options);
  CHECK_THAT(printed_to(out),
             Catch::Contains("the time was up after ") && Catch::Contains(" of 100000000 seeds, 0 failed\n"));
}

TEST_CASE("a shrunk failure fails again, with fewer forced answers, and not without them") {
  const SeedReport report = explore_seeds(message_arrives<true>, 200, quiet());
  REQUIRE(report.failed());
  REQUIRE(report.failures[0].shrunk);
  ShrunkFailure shrunk = *report.failures[0].shrunk;
  CHECK(shrunk.forced < shrunk.forced_before);
  CHECK(replay(message_arrives<true>, shrunk) == "no message");
  // The right kernel does not fail under the same answers.
  CHECK_FALSE(replay(message_arrives<false>, shrunk));
  // Nor does the wrong one, if nothing is forced.
  shrunk.schedules.clear();
  CHECK_FALSE(replay(message_arrives<true>, shrunk));
}

TEST_CASE("a shrunk failure fails again with the data that its seed gave") {
  const auto with_data = [](Trial& trial) {
    const auto sent = static_cast<std::uint32_t>(trial.seed()) * 2 + 1;
    auto data = trial.device().buffer({std::uint32_t{0}}, "data");
    const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto to, std::uint32_t value) {
      if (inv.workgroup_id().x == 0) to[0] = value;
    };
    trial.device().dispatch(kernel, {trial.workgroups(2)}, {1}, data, sent);
    trial.require(data.read()[0] % 10 != 7, "seven");
  };
  const SeedReport report = explore_seeds(with_data, 20, quiet());
  REQUIRE(report.failed());
  REQUIRE(report.failures[0].shrunk);
  CHECK(replay(with_data, *report.failures[0].shrunk) == "seven");
}

namespace {

/// Somebody reads three words while another one writes them, and finds out by a number before and after, without any
/// order.
void reads_in_one_piece(Trial& trial) {
  auto number = trial.device().buffer({std::uint32_t{0}}, "number");
  auto data = trial.device().buffer(std::vector<std::uint32_t>{0, 1, 2}, "data");
  auto seen = trial.device().buffer(std::vector<std::uint32_t>{0, 1, 2}, "seen");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto n, StorageBuffer<std::uint32_t> auto d,
                         StorageBuffer<std::uint32_t> auto out) {
    constexpr auto kNone = MemorySemantics::Relaxed;
    if (inv.workgroup_id().x == 0) {
      for (std::uint32_t k = 1; k <= 3; ++k) {
        inv.atomic_i_increment(n[0], Scope::Device, kNone);
        for (std::uint32_t j = 0; j < 3; ++j) inv.atomic_store(d[j], Scope::Device, kNone, k * 100 + j);
        inv.atomic_i_increment(n[0], Scope::Device, kNone);
      }
    } else {
      for (int tries = 0; tries < 8; ++tries) {
        const std::uint32_t before = inv.atomic_load(n[0], Scope::Device, kNone);
        std::uint32_t values[3];
        for (std::uint32_t j = 0; j < 3; ++j) values[j] = inv.atomic_load(d[j], Scope::Device, kNone);
        if (before % 2 != 0 || before != inv.atomic_load(n[0], Scope::Device, kNone)) continue;
        for (std::uint32_t j = 0; j < 3; ++j) out[j] = values[j];
        return;
      }
    }
  };
  trial.device().dispatch(kernel, {2}, {1}, number, data, seen);
  const std::vector<std::uint32_t> out = seen.read();
  trial.require(out[1] - 1 == out[0] && out[2] - 2 == out[0], "torn");
}

}  // namespace

TEST_CASE("every failure of a test that does the same again is made smaller") {
  SeedOptions options = quiet();
  options.device.memory = memory_policy("random");
  std::size_t failures = 0;
  for (options.first_seed = 1; options.first_seed <= 60; ++options.first_seed) {
    const SeedReport report = explore_seeds(reads_in_one_piece, 1, options);
    if (!report.failed()) continue;
    ++failures;
    INFO("seed " << options.first_seed);
    REQUIRE(report.failures[0].shrunk);
    CHECK(replay(reads_in_one_piece, *report.failures[0].shrunk, options) == "torn");
  }
  CHECK(failures > 5);
}

TEST_CASE("a failure that needs no more than two workgroups is shown with two") {
  // Workgroup 1 of any number of them fails.
  const auto second_fails = [](Trial& trial) {
    auto found = trial.device().buffer({std::uint32_t{0}}, "found");
    const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
      if (inv.workgroup_id().x == 1) out[0] = 1;
    };
    trial.device().dispatch(kernel, {trial.workgroups(50)}, {1}, found);
    return found.read()[0] == 0;
  };
  const SeedReport report = explore_seeds(second_fails, 1, quiet());
  REQUIRE(report.failed());
  REQUIRE(report.failures[0].shrunk);
  CHECK(report.failures[0].shrunk->workgroups == 2);
  CHECK(report.failures[0].shrunk->wanted_workgroups == 50);
}

TEST_CASE("what a kernel does wrong is a failure with its finding") {
  const auto out_of_bounds = [](Trial& trial) {
    auto buffer = trial.device().buffer({std::uint32_t{0}}, "small");
    trial.device().dispatch([](auto&, StorageBuffer<std::uint32_t> auto out) { out[7] = 1; }, {1}, {1}, buffer);
  };
  const SeedReport report = explore_seeds(out_of_bounds, 5, quiet());
  REQUIRE(report.failed());
  REQUIRE(report.failures[0].finding);
  CHECK(report.failures[0].finding->kind == FindingKind::OutOfBounds);
  CHECK_THAT(to_string(report.failures[0]), Catch::Contains("small"));
}

TEST_CASE("the environment picks one seed, or a shard, whatever the program says") {
  setenv("HEDDLE_EXPLORE_SEED", "77", 1);
  std::uint64_t seed = 0;
  const auto note = [&](Trial& trial) { seed = trial.seed(); };
  CHECK(explore_seeds(note, 1000, quiet()).trials == 1);
  unsetenv("HEDDLE_EXPLORE_SEED");
  CHECK(seed == 77);
  setenv("HEDDLE_EXPLORE_SHARD", "2/4", 1);
  std::atomic<int> trials{0};
  std::ignore = explore_seeds([&](Trial&) { ++trials; }, 100, quiet());
  CHECK(trials == 25);
  setenv("HEDDLE_EXPLORE_SHARD", "5/4", 1);
  CHECK_THROWS_AS(explore_seeds(note, 10, quiet()), std::invalid_argument);
  unsetenv("HEDDLE_EXPLORE_SHARD");
}

TEST_CASE("options of a command line are taken, others are left, and nonsense is refused") {
  SeedOptions options;
  std::uint64_t seeds = 5;
  CHECK(options.take("--seeds=1000", seeds));
  CHECK(seeds == 1000);
  CHECK(options.take("--shard=3/8", seeds));
  CHECK(options.shard.index == 3);
  CHECK(options.shard.count == 8);
  CHECK(options.take("--seconds=2", seeds));
  CHECK(options.budget == std::chrono::seconds(2));
  CHECK(options.take("--all", seeds));
  CHECK_FALSE(options.stop_at_first);
  CHECK_FALSE(options.take("--verbose", seeds));
  CHECK_THROWS_AS(options.take("--shard=0/8", seeds), std::invalid_argument);
  CHECK_THROWS_AS(options.take("--shard=9/8", seeds), std::invalid_argument);
  CHECK_THROWS_AS(options.take("--seeds=many", seeds), std::invalid_argument);
  CHECK_THROWS_AS(options.take("--seeds=0", seeds), std::invalid_argument);
}

TEST_CASE("what the environment says of memory is in the command that makes a failure come again") {
  setenv("HEDDLE_MEMORY", "write-back", 1);
  const SeedReport report = explore_seeds(message_arrives<true>, 500, quiet());
  SeedOptions random = quiet();
  random.device.memory = memory_policy("random");
  const SeedReport by_program = explore_seeds(message_arrives<true>, 500, random);
  unsetenv("HEDDLE_MEMORY");
  REQUIRE(report.failed());
  CHECK_THAT(report.failures[0].replay, Catch::Contains(" HEDDLE_MEMORY=write-back "));
  REQUIRE(by_program.failed());
  CHECK_THAT(by_program.failures[0].replay, !Catch::Contains("HEDDLE_MEMORY"));
}

TEST_CASE("what no trial can begin for is thrown, on however many threads") {
  setenv("HEDDLE_MEMORY", "strong", 1);
  for (const unsigned jobs : {1u, 8u}) {
    SeedOptions options = quiet();
    options.jobs = jobs;
    CHECK_THROWS_WITH(explore_seeds(message_arrives<true>, 500, options), Catch::Contains("HEDDLE_MEMORY is 'strong'"));
  }
  unsetenv("HEDDLE_MEMORY");
}

TEST_CASE("no more threads are asked for than there are seeds") {
  SeedOptions options = quiet();
  options.jobs = 1'000'000'000;
  CHECK(explore_seeds([](Trial&) {}, 3, options).trials == 3);
}

namespace {

std::atomic<int> g_interrupts = 0;

}  // namespace

TEST_CASE("Ctrl-C ends after the trials that run, and what has failed until then is printed") {
  std::FILE* const out = std::tmpfile();
  REQUIRE(out);
  const auto before = std::signal(SIGINT, [](int) { ++g_interrupts; });
  SeedOptions options;
  options.print_to = out;
  options.jobs = 1;
  options.stop_at_first = false;
  const auto fail_and_interrupt = [](Trial& trial) {
    if (trial.seed() == 3) std::raise(SIGINT);
    trial.require(trial.seed() != 2, "it is the second");
  };
  const SeedReport report = explore_seeds(fail_and_interrupt, 1000, options);
  std::signal(SIGINT, before);
  CHECK(report.trials == 3);
  CHECK_FALSE(report.complete);
  // The handler that was there before hears of it, once.
  CHECK(g_interrupts == 1);
  const std::string printed = printed_to(out);
  CHECK_THAT(printed, Catch::Contains("seed 2 fails: it is the second"));
  CHECK_THAT(printed, Catch::Contains("interrupted after 3 of 1000 seeds, 1 failed"));
}

TEST_CASE("a trial that does not end does not hide what has failed before it") {
  std::FILE* const out = std::tmpfile();
  REQUIRE(out);
  SeedOptions options;
  options.print_to = out;
  options.jobs = 2;
  options.shrink_budget = std::chrono::milliseconds(0);
  std::string until_then;
  const auto one_waits = [&](Trial& trial) {
    trial.require(trial.seed() != 2, "it is the second");
    if (trial.seed() != 1) return;
    // Until it has been told of.
    while (until_then.find("at work: seed 1\n") == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      until_then.resize(4096);
      const ssize_t read = pread(fileno(out), until_then.data(), until_then.size(), 0);
      until_then.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
    }
  };
  const SeedReport report = explore_seeds(one_waits, 100, options);
  CHECK(report.failures.size() == 1);
  CHECK_THAT(until_then, Catch::Contains("seed 2 fails: it is the second\n  again: HEDDLE_EXPLORE_SEED=2 "));
  CHECK_THAT(printed_to(out), Catch::Contains("seed 2 fails: it is the second"));
}

namespace {

/// Messages through more granules than the machine remembers, with a variable of each workgroup.
constexpr auto exchange = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto seen,
                             std::uint32_t rounds) {
  constexpr std::uint32_t kWords = 4096;
  auto sum = inv.template workgroup<std::uint32_t[1]>("sum");
  const std::uint32_t me = inv.global_invocation_id().x;
  if (inv.local_invocation_index() == 0) sum[0] = 0;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    inv.atomic_i_add(data[(me * 37 + i * 11) % kWords], Scope::Device, MemorySemantics::None, me + i);
    inv.atomic_store(data[(me * 5 + i * 7) % kWords], Scope::Device, MemorySemantics::None, i);
    const std::uint32_t met = inv.atomic_load(data[(me + i * 13) % kWords], Scope::Device, MemorySemantics::None);
    inv.atomic_i_add(sum[0], Scope::Workgroup, MemorySemantics::None, met);
  }
  data[(me + 1) % 4] = me;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  seen[me] = sum[0] + data[me];
};

/// What trials leave behind, by seed.
using Remains = std::map<std::uint64_t, std::string>;

Remains remains_of(std::uint64_t first, std::uint64_t seeds, const SeedOptions& options) {
  Remains remains;
  SeedOptions one_by_one = options;
  one_by_one.first_seed = first;
  one_by_one.jobs = 1;
  const auto note_what_is_left = [&](Trial& trial) {
    Device& device = trial.device();
    auto data = device.buffer(std::vector<std::uint32_t>(4096, 0u));
    auto seen = device.buffer(std::vector<std::uint32_t>(4, 0u), "seen");
    // Enough that records of granules are forgotten; where races are looked for that takes long.
    const std::uint32_t rounds = options.device.races.value_or(false) ? 60 : 900;
    std::string left = to_string(device.dispatch(exchange, {2}, {2}, data, seen, rounds).memory);
    left += to_string(device.dispatch(exchange, {2}, {2}, data, seen, rounds).memory);
    for (const std::uint32_t value : seen.read()) left += std::to_string(value) + ' ';
    for (const std::uint32_t value : data.read()) left += std::to_string(value) + ' ';
    for (const DataRace& race : device.races()) left += to_string(to_finding(race));
    // Names of buffers and the order in which they were made can be told from this.
    auto unnamed = device.buffer<std::uint32_t>(1);
    try {
      device.dispatch([](auto& inv, StorageBuffer<std::uint32_t> auto b) { (void)inv, b[7] = 1; }, {1}, {1}, unnamed);
    } catch (const KernelError& error) {
      left += error.what();
    }
    remains[trial.seed()] = left;
  };
  CHECK_FALSE(explore_seeds(note_what_is_left, seeds, one_by_one).failed());
  return remains;
}

}  // namespace

TEST_CASE("a trial after many others leaves what it leaves alone") {
  for (const char* policy : {"sequential", "random", "adversarial", "write-back", "incoherent-l1"}) {
    for (const bool races : {false, true}) {
      CAPTURE(policy, races);
      SeedOptions options = quiet();
      options.device.memory = memory_policy(policy);
      options.device.races = races;
      const Remains in_a_row = remains_of(1, 5, options);
      REQUIRE(in_a_row.size() == 5);
      for (const std::uint64_t seed : {1, 5}) CHECK(remains_of(seed, 1, options).at(seed) == in_a_row.at(seed));
      CHECK(in_a_row.at(1) != in_a_row.at(2));
    }
  }
}

TEST_CASE("a race is found in the same way after trials without any and alone") {
  // The first two of three trials leave buffers and atomics of other sizes behind, and race with nothing.
  constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                              std::uint32_t seed) {
    constexpr auto kBuffers = MemorySemantics::UniformMemory;
    const std::uint32_t last = static_cast<std::uint32_t>(data.size()) - 1;
    if (inv.workgroup_id().x == 0) {
      data.non_private()[last] = seed;
      if (seed % 3 == 0) {
        inv.atomic_store(flag[0], Scope::Device, MemorySemantics::Relaxed, 1u);
      } else {
        inv.atomic_store(flag[0], Scope::Device, MemorySemantics::Release | MemorySemantics::MakeAvailable | kBuffers,
                         1u);
      }
    } else if (inv.atomic_load(flag[0], Scope::Device,
                               MemorySemantics::Acquire | MemorySemantics::MakeVisible | kBuffers) != 0) {
      data.non_private()[last] = data.non_private()[last] + 1;
    }
  };
  const auto races_of = [&](std::uint64_t first, std::uint64_t seeds, const char* policy) {
    std::map<std::uint64_t, std::string> found;
    SeedOptions options = quiet();
    options.device.memory = memory_policy(policy);
    options.device.races = true;
    options.first_seed = first;
    options.jobs = 1;
    std::ignore = explore_seeds(
        [&](Trial& trial) {
          Device& device = trial.device();
          const auto seed = static_cast<std::uint32_t>(trial.seed());
          auto data = device.buffer(std::vector<std::uint32_t>(1 + seed % 5 * 40, 0u), "data");
          auto flag = device.buffer(std::vector<std::uint32_t>(1, 0u), "flag");
          device.dispatch(message, {2}, {1}, data, flag, seed);
          for (const DataRace& race : device.races()) found[trial.seed()] += to_string(to_finding(race));
        },
        seeds, options);
    return found;
  };
  constexpr std::uint64_t kSeeds = 300;
  for (const char* policy : {"sequential", "random"}) {
    CAPTURE(policy);
    const auto in_a_row = races_of(1, kSeeds, policy);
    REQUIRE(in_a_row.size() > 3);
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      CAPTURE(seed);
      const auto alone = races_of(seed, 1, policy);
      CHECK(alone.count(seed) == in_a_row.count(seed));
      if (alone.count(seed) != 0 && in_a_row.count(seed) != 0) CHECK(alone.at(seed) == in_a_row.at(seed));
      CHECK((seed % 3 == 0 || in_a_row.count(seed) == 0));
    }
  }
}

TEST_CASE("what is not written yet reads alike in a trial after others and alone") {
  struct Read {
    std::uint32_t* values;
  };
  // One of them each time: who finds nothing written goes no further.
  constexpr auto early = [](auto& inv, StorageBuffer<std::uint32_t> auto unwritten, std::uint32_t number, Read read) {
    auto own = inv.template workgroup<std::uint32_t[1]>("own");
    const bool in_workgroup = number % 2 == 0;
    if (inv.local_invocation_index() == 0) {
      unwritten[0] = number;
      own[0] = number;
    } else if (in_workgroup) {
      read.values[0] = own[0];
    } else {
      read.values[1] = unwritten[0];
    }
  };
  // What it writes comes to where the memory of later workgroups is.
  constexpr auto leave = [](auto& inv, std::uint32_t number) {
    auto own = inv.template workgroup<std::uint32_t[1]>("own");
    for (int k = 0; k < 1000; ++k) own[0] = number;
  };
  const auto values = [&](std::uint64_t first, std::uint64_t seeds) {
    std::map<std::uint64_t, std::string> by_seed;
    SeedOptions options = quiet();
    options.jobs = 1;
    options.first_seed = first;
    options.stop_at_first = false;
    options.shrink_budget = std::chrono::milliseconds(0);
    std::ignore = explore_seeds(
        [&](Trial& trial) {
          auto unwritten = trial.device().buffer<std::uint32_t>(1);
          auto& text = by_seed[trial.seed()];
          std::array<std::uint32_t, 2> read{};
          try {
            trial.device().dispatch(early, {1}, {2}, unwritten, static_cast<std::uint32_t>(trial.seed()) + 1000,
                                    Read{read.data()});
          } catch (const KernelError& error) {
            text = error.what();
          }
          for (const std::uint32_t value : read) text += ' ' + std::to_string(value);
          trial.device().dispatch(leave, {8}, {1}, static_cast<std::uint32_t>(trial.seed()) + 1000);
        },
        seeds, options);
    return by_seed;
  };
  const auto in_a_row = values(1, 60);
  // In another order: after what another one left.
  for (std::uint64_t seed = 60; seed != 0; --seed) CHECK(values(seed, 1).at(seed) == in_a_row.at(seed));
}

TEST_CASE("a trial that throws what is no std::exception fails, and the others go on") {
  SeedOptions options = quiet();
  options.stop_at_first = false;
  const SeedReport report = explore_seeds(
      [](Trial& trial) {
        if (trial.seed() == 7) throw 42;
        trial.require(trial.seed() != 3, "three");
      },
      20, options);
  CHECK(report.trials == 20);
  CHECK(failing(report) == std::vector<std::uint64_t>{3, 7});
  CHECK_THAT(report.failures.at(1).what, Catch::Contains("no std::exception"));
}

TEST_CASE("a buffer that a trial keeps is its own as long as it is kept") {
  std::vector<Buffer<std::uint32_t>> kept;
  SeedOptions options = quiet();
  options.jobs = 1;
  std::ignore = explore_seeds(
      [&](Trial& trial) {
        auto mine = trial.device().buffer(std::vector<std::uint32_t>(4, static_cast<std::uint32_t>(trial.seed())));
        if (trial.seed() % 2 == 0) kept.push_back(std::move(mine));
      },
      10, options);
  REQUIRE(kept.size() == 5);
  for (std::size_t i = 0; i < kept.size(); ++i) CHECK(kept[i].read() == std::vector<std::uint32_t>(4, 2 * i + 2));
}

TEST_CASE("one answer is an answer, two are answers") {
  SeedFailure failure;
  failure.shrunk.emplace();
  failure.shrunk->workgroups = failure.shrunk->wanted_workgroups = 1;
  failure.shrunk->forced = 1;
  failure.shrunk->forced_before = 7;
  failure.shrunk->answers = 5;
  failure.shrunk->answers_before = 30;
  CHECK_THAT(to_string(failure),
             Catch::Contains("made smaller: it still fails with 1 of 1 workgroup, and with 1 choice that interrupts an "
                             "invocation or delays a write (7 before); the last one is choice 5 of 30\n"));
  failure.shrunk->wanted_workgroups = 4;
  failure.shrunk->forced = 2;
  CHECK_THAT(
      to_string(failure),
      Catch::Contains("made smaller: it still fails with 1 of 4 workgroups, and with 2 choices that interrupt an "
                      "invocation or delay a write (7 before); the last one is choice 5 of 30\n"));
  failure.shrunk->wanted_workgroups = 0;
  failure.shrunk->forced = 0;
  CHECK_THAT(to_string(failure), Catch::Contains("made smaller: it still fails where nothing is interrupted or delayed "
                                                 "(7 choices did so before)\n"));
}
