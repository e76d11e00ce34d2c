// Which lanes take part in a subgroup operation where less is promised than that all are together: with each rule of
// Reconvergence, in subgroups of eight.

#include "tests/device_under_test.h"
#include "tests/variable.h"

#include <heddle/explore.h>

#include <set>

using namespace heddle;

namespace {

constexpr std::uint32_t kLanes = 8;
/// Most ballots of an invocation.
constexpr std::uint32_t kBallots = 8;

/// The ballots of each invocation, in its order.
using Ballots = std::vector<std::vector<std::uint32_t>>;

/// Runs `body(inv, note)`, which notes ballots, in one workgroup. Buffer `x` is for accesses that mean nothing.
template <typename Body>
Ballots run(Reconvergence rule, std::uint64_t seed, Body body, std::uint32_t local = kLanes) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.seed = seed;
  options.subgroup_size = kLanes;
  options.reconvergence = rule;
  Device device(options);
  auto out = device.buffer(std::vector<std::uint32_t>(local * kBallots, 0), "out");
  auto x = device.buffer(std::vector<std::uint32_t>(local, 0), "x");
  const auto kernel = [body](auto& inv, auto to, auto of) {
    const std::uint32_t me = inv.local_invocation_index();
    std::uint32_t count = 0;
    std::uint32_t seen[kBallots] = {};
    body(inv, of, [&](const uvec4& ballot) { seen[count++] = ballot.x; });
    for (std::uint32_t i = 0; i < count; ++i) to[me * kBallots + i] = seen[i];
  };
  device.dispatch(kernel, {1}, {local}, out, x);
  const std::vector<std::uint32_t> all = out.read();
  Ballots ballots(local);
  for (std::uint32_t i = 0; i < local; ++i)
    for (std::uint32_t b = 0; b < kBallots && all[i * kBallots + b] != 0; ++b)
      ballots[i].push_back(all[i * kBallots + b]);
  return ballots;
}

constexpr auto nested = [](auto& inv, auto, auto note) {
  const std::uint32_t lane = inv.subgroup_local_invocation_id();
  if (lane < 4) {
    if (lane < 2) {
      note(inv.group_non_uniform_ballot(true));
    } else {
      note(inv.group_non_uniform_ballot(true));
    }
    note(inv.group_non_uniform_ballot(true));
  }
  note(inv.group_non_uniform_ballot(true));
};

/// All lanes of the first subgroup, and none of the others, come to the second ballot.
constexpr auto in_one_subgroup = [](auto& inv, auto, auto note) {
  if (inv.subgroup_id() != 0) return;
  if (inv.subgroup_local_invocation_id() < 4) note(inv.group_non_uniform_ballot(true));
  note(inv.group_non_uniform_ballot(true));
};

constexpr auto after_return = [](auto& inv, auto, auto note) {
  const std::uint32_t lane = inv.subgroup_local_invocation_id();
  if (lane == 7) return;
  if (lane < 4) note(inv.group_non_uniform_ballot(true));
  note(inv.group_non_uniform_ballot(true));
};

/// Only accesses to memory tell that lanes went different ways.
constexpr auto by_accesses = [](auto& inv, auto x, auto note) {
  const std::uint32_t lane = inv.subgroup_local_invocation_id();
  if (lane < 6) {
    for (std::uint32_t i = 0; i <= lane / 3; ++i) x[lane] = i;
    note(inv.group_non_uniform_ballot(true));
  }
  note(inv.group_non_uniform_ballot(true));
};

constexpr auto loop = [](auto& inv, auto, auto note) {
  for (std::uint32_t i = 0; i <= inv.subgroup_local_invocation_id() / 4; ++i) note(inv.group_non_uniform_ballot(true));
  note(inv.group_non_uniform_ballot(true));
};

constexpr auto barrier_between = [](auto& inv, auto, auto note) {
  const std::uint32_t lane = inv.subgroup_local_invocation_id();
  if (lane < 4) note(inv.group_non_uniform_ballot(true));
  inv.workgroup_barrier();
  note(inv.group_non_uniform_ballot(true));
};

using One = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("behind a branch inside of a branch lanes stay apart, and are together behind the outer one") {
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const Ballots maximal = run(Reconvergence::Maximal, seed, nested);
    CHECK(maximal[0] == One{0x03, 0x0f, 0xff});
    CHECK(maximal[3] == One{0x0c, 0x0f, 0xff});
    for (const Reconvergence rule : {Reconvergence::Minimum, Reconvergence::Subgroup}) {
      const Ballots apart = run(rule, seed, nested);
      CHECK(apart[0] == One{0x03, 0x03, 0xff});
      CHECK(apart[3] == One{0x0c, 0x0c, 0xff});
      CHECK(apart[7] == One{0xff});
    }
  }
}

TEST_CASE("what only one subgroup of a workgroup does is uniform by the rule Subgroup alone") {
  std::set<One> by_minimum;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    CHECK(run(Reconvergence::Subgroup, seed, in_one_subgroup, 2 * kLanes)[0] == One{0x0f, 0xff});
    by_minimum.insert(run(Reconvergence::Minimum, seed, in_one_subgroup, 2 * kLanes)[0]);
  }
  CHECK(by_minimum.count({0x0f, 0x0f}) == 1);
}

TEST_CASE("where an invocation has returned nothing brings lanes together again that went different ways") {
  CHECK(run(Reconvergence::Maximal, 1, after_return)[0] == One{0x0f, 0x7f});
  for (const Reconvergence rule : {Reconvergence::Minimum, Reconvergence::Subgroup}) {
    const Ballots apart = run(rule, 1, after_return);
    CHECK(apart[0] == One{0x0f, 0x0f});
    CHECK(apart[4] == One{0x70});
  }
}

TEST_CASE("lanes that made other accesses to memory have gone another way") {
  const Ballots apart = run(Reconvergence::Minimum, 1, by_accesses);
  CHECK(apart[0] == One{0x07, 0xff});
  CHECK(apart[3] == One{0x38, 0xff});
  CHECK(run(Reconvergence::Maximal, 1, by_accesses)[0] == One{0x3f, 0xff});
}

TEST_CASE("lanes that leave a loop at different times are together behind it where the workgroup came to it together") {
  for (const Reconvergence rule : {Reconvergence::Minimum, Reconvergence::BySeed, Reconvergence::Maximal}) {
    const Ballots ballots = run(rule, 1, loop);
    CHECK(ballots[0] == One{0xff, 0xff});
    CHECK(ballots[7] == One{0xff, 0xf0, 0xff});
  }
}

TEST_CASE("behind a control barrier of the workgroup all are together by every rule") {
  for (std::uint64_t seed = 1; seed < 8; ++seed)
    for (const Reconvergence rule : {Reconvergence::Minimum, Reconvergence::BySeed})
      CHECK(run(rule, seed, barrier_between)[0] == One{0x0f, 0xff});
}

TEST_CASE("by seed lanes that went different ways are together in some runs and apart in others") {
  std::set<One> seen;
  for (std::uint64_t seed = 1; seed < 30; ++seed) seen.insert(run(Reconvergence::BySeed, seed, nested)[0]);
  CHECK(seen == std::set<One>{{0x03, 0x03, 0xff}, {0x03, 0x0f, 0xff}});
}

TEST_CASE("the environment says which lanes are together, and nonsense is refused with what may stand there") {
  const auto rule = [](Mode mode) {
    DeviceOptions options;
    options.mode = mode;
    return *Device(options).options().reconvergence;
  };
  CHECK(rule(Mode::Emulated) == Reconvergence::Maximal);
  const test::Variable minimum("HEDDLE_RECONVERGENCE", "minimum");
  CHECK(rule(Mode::Emulated) == Reconvergence::Minimum);
  CHECK(rule(Mode::Native) == Reconvergence::Maximal);
  const test::Variable none("HEDDLE_RECONVERGENCE", "always");
  CHECK_THROWS_WITH(rule(Mode::Emulated),
                    "HEDDLE_RECONVERGENCE is 'always'; it may be 'maximal', 'subgroup', 'minimum' or 'seed'");
}

TEST_CASE("a sweep of reconvergence finds a kernel that takes it for granted, and the failure says so") {
  const auto sums_up = [](Trial& trial) {
    auto out = trial.device().buffer(std::vector<std::uint32_t>(kLanes, 0), "out");
    const auto kernel = [](auto& inv, auto to) {
      const std::uint32_t lane = inv.subgroup_local_invocation_id();
      if (lane == 7) return;
      if (lane < 4) to[lane] = 1;
      to[lane] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
    };
    trial.device().dispatch(kernel, {1}, {kLanes}, out);
    for (std::uint32_t lane = 0; lane < 7; ++lane) trial.require(out.read()[lane] == 7, "a lane was not counted");
  };
  SeedOptions options;
  options.print_to = nullptr;
  options.replay_file = "";
  options.jobs = 1;
  options.device.subgroup_size = kLanes;
  options.device.lane_mapping = LaneMapping::Linear;
  CHECK_FALSE(explore_seeds(sums_up, 40, options).failed());
  options.sweep = "usual reconvergence";
  const SeedReport report = explore_seeds(sums_up, 40, options);
  REQUIRE(report.failed());
  REQUIRE(report.failures[0].shrunk);
  CHECK_THAT(report.failures[0].shrunk->unusual, Catch::StartsWith("reconvergence="));
  CHECK(replay(sums_up, *report.failures[0].shrunk, options) == "a lane was not counted");
}
