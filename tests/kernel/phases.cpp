// Kernels in phases: what the second form of a kernel computes, and what it reports, in either mode.

#include "tests/device_under_test.h"

#include <heddle/phases.h>

#include <random>
#include <set>

#include "emulator/watch/tagged_code.h"

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;
using heddle::test::place;

namespace {

const auto kBlockSum = in_phases([](auto& group, StorageBuffer<const std::uint32_t> auto in,
                                    StorageBuffer<std::uint32_t> auto out, bool without_barrier) {
  auto tile = workgroup<std::uint32_t[64]>(group, "tile");
  group.each([&](auto& inv) { tile[inv.local_invocation_index()] = in[inv.global_invocation_id().x]; });
  for (std::uint32_t half = 32; half > 0; half /= 2) {
    const auto add = [&](auto& inv) {
      const auto i = inv.local_invocation_index();
      tile[i] += tile[i + half];
    };
    if (without_barrier) {
      group.first(half, add, kNoBarrier);
    } else {
      group.first(half, add);
    }
  }
  group.once([&](auto& inv) { out[inv.workgroup_id().x] = tile[0]; });
});

std::vector<std::uint32_t> counting(std::uint32_t n) {
  std::vector<std::uint32_t> numbers(n);
  for (std::uint32_t i = 0; i < n; ++i) numbers[i] = i;
  return numbers;
}

}  // namespace

TEST_CASE("a sum in phases is that of the workgroup, and races only without its barriers") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  if (mode == Mode::Emulated) options.races = true;
  Device device(options);
  auto in = device.buffer(counting(256), "in");
  auto out = device.buffer<std::uint32_t>(4, "out");
  device.dispatch(kBlockSum, {4}, {64}, in, out, false);
  CHECK(out.read() == std::vector<std::uint32_t>{2016, 6112, 10208, 14304});
  CHECK(device.races().empty());
  if (mode == Mode::Emulated) {
    device.dispatch(kBlockSum, {4}, {64}, in, out, true);
    CHECK_FALSE(device.races().empty());
  }
}

TEST_CASE("each invocation of each shape of workgroup is there once, with its own variables") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto wrong = device.buffer({0u}, "wrong");
  const auto kernel = in_phases([](auto& group, StorageBuffer<std::uint32_t> auto bad) {
    auto seen = workgroup<std::uint32_t[60]>(group, "seen", kZeroed);
    auto mine = per_invocation<std::uint32_t>(group, "mine");
    auto three = per_invocation<std::uint32_t[3]>(group, "three");
    group.each([&](auto& inv) {
      const uvec3 l = inv.local_invocation_id();
      const uvec3 n = inv.workgroup_size();
      mine[inv] = inv.local_invocation_index();
      for (std::uint32_t k = 0; k < 3; ++k) three[inv][k] = l[k];
      seen[l.x + n.x * (l.y + n.y * l.z)] += 1u;
    });
    group.first(7, [&](auto& inv) { mine[inv] += 100u; });
    group.each([&](auto& inv) {
      const std::uint32_t i = inv.local_invocation_index();
      const uvec3 l{three[inv][0], three[inv][1], three[inv][2]};
      const bool right = mine[inv] == (i < 7 ? i + 100 : i) && seen[i] == 1u && l == inv.local_invocation_id() &&
                         inv.global_invocation_id() == group.workgroup_id() * group.workgroup_size() + l;
      if (!right) inv.atomic_i_increment(bad[0], Scope::Device, MemorySemantics::Relaxed);
    });
  });
  device.dispatch(kernel, {2, 1, 2}, {60}, wrong);
  device.dispatch(kernel, {1, 2}, {3, 4, 5}, wrong);
  device.dispatch(kernel, {3}, {1}, wrong);
  CHECK(wrong.read()[0] == 0);
}

TEST_CASE("groups combine the lanes of each subgroup, short ones and shuffled ones as well") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const LaneMapping mapping = GENERATE(LaneMapping::Linear, LaneMapping::Shuffled);
  DeviceOptions options = options_for(mode);
  options.subgroup_size = 8;
  options.lane_mapping = mapping;
  // The mapping is drawn for each dispatch: the first ones of two devices have the same.
  Device device(options);
  Device other(options);
  auto out = device.buffer(std::vector<std::uint32_t>(20, 0), "out");
  auto expected = other.buffer(std::vector<std::uint32_t>(20, 0), "expected");
  device.dispatch(in_phases([](auto& group, StorageBuffer<std::uint32_t> auto to) {
                    auto v = per_invocation<uvec2>(group, "v");
                    group.each([&](auto& inv) { v[inv] = uvec2{inv.local_invocation_index(), 1}; });
                    group.group_non_uniform_i_add(GroupOperation::InclusiveScan, v);
                    group.each([&](auto& inv) {
                      const uvec2 sum = v[inv];
                      to[inv.local_invocation_index()] = sum.x * 100 + sum.y;
                    });
                  }),
                  {1}, {20}, out);
  other.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
        const std::uint32_t i = inv.local_invocation_index();
        const uvec2 sum = inv.group_non_uniform_i_add(GroupOperation::InclusiveScan, uvec2{i, 1});
        to[i] = sum.x * 100 + sum.y;
      },
      {1}, {20}, expected);
  CHECK(out.read() == expected.read());
}

namespace {

constexpr std::uint32_t kResults = 18;

/// Each subgroup operation that is no combining one, as an invocation says it.
constexpr auto kLanesOneByOne = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  const std::uint32_t i = inv.local_invocation_index();
  const std::uint32_t value = i * i % 7;
  const bool odd = value % 2 == 1;
  const std::uint32_t lane = inv.subgroup_local_invocation_id();
  const uvec4 parts = inv.group_non_uniform_partition_nv(value);
  // Where there is no such lane the result is undefined.
  const std::uint32_t from_below = inv.group_non_uniform_shuffle_up(value, 3);
  const std::uint32_t results[kResults] = {
      inv.group_non_uniform_elect(),
      inv.group_non_uniform_all(value != 3),
      inv.group_non_uniform_any(value == 3),
      inv.group_non_uniform_quad_all_khr(odd),
      inv.group_non_uniform_quad_any_khr(odd),
      inv.group_non_uniform_ballot(odd).x,
      inv.group_non_uniform_all_equal(i / 8),
      parts.x,
      inv.group_non_uniform_broadcast(value, 2),
      inv.group_non_uniform_broadcast_first(value),
      inv.group_non_uniform_shuffle(value, lane / 2),
      inv.group_non_uniform_shuffle_xor(value, 1),
      lane < 3 ? 0 : from_below,
      inv.group_non_uniform_rotate_khr(value, 3, 4),
      inv.group_non_uniform_quad_broadcast(value, 1),
      inv.group_non_uniform_quad_swap(value, QuadSwap::Diagonal),
      inv.group_non_uniform_i_add(GroupOperation::PartitionedInclusiveScanNV, value, parts),
      inv.group_non_uniform_i_add(GroupOperation::ClusteredReduce, value, 4),
  };
  for (std::uint32_t k = 0; k < kResults; ++k) out[i * kResults + k] = results[k];
};

constexpr auto kLanesInPhases = in_phases([](auto& group, StorageBuffer<std::uint32_t> auto out) {
  auto value = per_invocation<std::uint32_t>(group, "value");
  auto lane = per_invocation<std::uint32_t>(group, "lane");
  auto moved = per_invocation<std::uint32_t>(group, "moved");
  auto vote = per_invocation<bool>(group, "vote");
  auto ballot = per_invocation<uvec4>(group, "ballot");
  std::uint32_t k = 0;
  const auto put = [&](auto& from) {
    group.each(
        [&](auto& inv) { out[inv.local_invocation_index() * kResults + k] = static_cast<std::uint32_t>(from[inv]); });
    ++k;
  };
  const auto voted = [&](auto predicate, auto operation) {
    group.each([&](auto& inv) { vote[inv] = predicate(static_cast<std::uint32_t>(value[inv])); });
    operation();
    put(vote);
  };
  const auto exchanged = [&](auto operation) {
    group.each([&](auto& inv) { moved[inv] = static_cast<std::uint32_t>(value[inv]); });
    operation();
    put(moved);
  };
  const auto odd = [](std::uint32_t v) { return v % 2 == 1; };
  group.each([&](auto& inv) {
    const std::uint32_t i = inv.local_invocation_index();
    value[inv] = i * i % 7;
    lane[inv] = inv.subgroup_local_invocation_id();
  });
  group.group_non_uniform_elect(vote);
  put(vote);
  voted([](std::uint32_t v) { return v != 3; }, [&] { group.group_non_uniform_all(vote); });
  voted([](std::uint32_t v) { return v == 3; }, [&] { group.group_non_uniform_any(vote); });
  voted(odd, [&] { group.group_non_uniform_quad_all_khr(vote); });
  voted(odd, [&] { group.group_non_uniform_quad_any_khr(vote); });
  const auto first_word = [&] {
    group.each([&](auto& inv) { moved[inv] = static_cast<uvec4>(ballot[inv]).x; });
    put(moved);
  };
  group.each([&](auto& inv) { vote[inv] = odd(value[inv]); });
  group.group_non_uniform_ballot(vote, ballot);
  first_word();
  group.each([&](auto& inv) { moved[inv] = inv.local_invocation_index() / 8; });
  group.group_non_uniform_all_equal(moved, vote);
  put(vote);
  group.group_non_uniform_partition_nv(value, ballot);
  first_word();
  exchanged([&] { group.group_non_uniform_broadcast(moved, 2); });
  exchanged([&] { group.group_non_uniform_broadcast_first(moved); });
  exchanged([&] {
    auto half = per_invocation<std::uint32_t>(group, "half");
    group.each([&](auto& inv) { half[inv] = lane[inv] / 2u; });
    group.group_non_uniform_shuffle(moved, half);
  });
  exchanged([&] { group.group_non_uniform_shuffle_xor(moved, 1); });
  exchanged([&] {
    group.group_non_uniform_shuffle_up(moved, 3);
    group.each([&](auto& inv) {
      if (lane[inv] < 3u) moved[inv] = 0u;
    });
  });
  exchanged([&] { group.group_non_uniform_rotate_khr(moved, 3, 4); });
  exchanged([&] { group.group_non_uniform_quad_broadcast(moved, 1); });
  exchanged([&] { group.group_non_uniform_quad_swap(moved, QuadSwap::Diagonal); });
  exchanged([&] { group.group_non_uniform_i_add(GroupOperation::PartitionedInclusiveScanNV, moved, ballot); });
  exchanged([&] { group.group_non_uniform_i_add(GroupOperation::ClusteredReduce, moved, 4); });
});

}  // namespace

TEST_CASE("groups vote, ballot and exchange values as the invocations of the first form do") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const LaneMapping mapping = GENERATE(LaneMapping::Linear, LaneMapping::Shuffled);
  DeviceOptions options = options_for(mode);
  options.subgroup_size = 8;
  options.lane_mapping = mapping;
  // The mapping is drawn for each dispatch: the first ones of two devices have the same.
  Device device(options);
  Device other(options);
  auto out = device.buffer(std::vector<std::uint32_t>(20 * kResults, 0), "out");
  auto expected = other.buffer(std::vector<std::uint32_t>(20 * kResults, 0), "expected");
  device.dispatch(kLanesInPhases, {1}, {20}, out);
  other.dispatch(kLanesOneByOne, {1}, {20}, expected);
  CHECK(out.read() == expected.read());
}

TEST_CASE("a group that takes values from lanes that are not there names the operation and the line") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer({0u}, "out");
  const auto kernel = in_phases([](auto& group, StorageBuffer<std::uint32_t> auto x, std::uint32_t from) {
    auto v = per_invocation<std::uint32_t>(group, "v");
    group.each([&](auto& inv) { v[inv] = inv.local_invocation_index(); });
    group.group_non_uniform_broadcast(v, from);
    group.once([&](auto& inv) { x[0] = v[inv]; });
  });
  const std::uint32_t line = __LINE__ - 3;
  // Emulated mode follows the value to where the host reads it.
  const Finding finding = finding_of([&] {
    device.dispatch(kernel, {1}, {8}, out, 9u);
    (void)out.read();
  });
  CHECK(finding.kind == (mode == Mode::Native ? FindingKind::InvalidArgument : FindingKind::UndefinedValue));
  CHECK((mode == Mode::Emulated || finding.where.line == line));
  CHECK(contains(finding.message, "group_non_uniform_broadcast from lane 9, which is not active"));
  CHECK((mode == Mode::Native || contains(finding.message, "phases.cpp:" + std::to_string(line))));
  device.dispatch(kernel, {1}, {8}, out, 7u);
  CHECK(out.read()[0] == 7);
}

TEST_CASE("code between regions that differs in invocations is barrier divergence, with both places") {
  Device device(options_for(Mode::Emulated));
  auto out = device.buffer(std::vector<std::uint32_t>(8, 0), "out");
  // The first form's way to look at memory: each invocation sees another element.
  const auto kernel = in_phases([](auto& group, StorageBuffer<std::uint32_t> auto x) {
    auto mine = per_invocation<std::uint32_t>(group, "mine");
    std::uint32_t seen = 0;
    group.each([&](auto& inv) { seen = inv.local_invocation_index(); });
    if (seen < 4) {
      group.each([&](auto& inv) { mine[inv] = 1u; });
    } else {
      group.each([&](auto& inv) { mine[inv] = 2u; });
    }
    group.each([&](auto& inv) { x[inv.local_invocation_index()] = mine[inv]; });
  });
  const std::uint32_t line = __LINE__ - 6;
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {8}, out); });
  INFO(to_string(finding));
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(contains(to_string(finding), place(line)));
  CHECK(contains(to_string(finding), place(line + 2)));
}

TEST_CASE("what is decided by a uniform load is decided by all alike") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  if (mode == Mode::Emulated) options.races = true;
  Device device(options);
  auto out = device.buffer({0u}, "out");
  device.dispatch(in_phases([](auto& group, StorageBuffer<std::uint32_t> auto x) {
                    auto left = workgroup<std::uint32_t>(group, "left");
                    group.once([&](auto&) { left = 5u; });
                    std::uint32_t turns = 0;
                    while (group.uniform_load(left) != 0) {
                      group.once([&](auto&) { left -= 1u; });
                      ++turns;
                    }
                    group.once([&](auto&) { x[0] = turns; });
                  }),
                  {1}, {16}, out);
  CHECK(out.read()[0] == 5);
  if (mode == Mode::Emulated) CHECK(device.races().empty());
}

TEST_CASE("an invocation that polls in a region for another one is reported by name") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto flag = device.buffer({0u}, "flag");
  const auto kernel = in_phases([](auto& group, StorageBuffer<std::uint32_t> auto f) {
    group.each([&](auto& inv) {
      if (inv.local_invocation_index() == 0) {
        while (inv.atomic_load(f[0], Scope::Device, kAcquireBuffers) == 0) {
        }
      } else if (inv.local_invocation_index() == 1) {
        inv.atomic_store(f[0], Scope::Device, kReleaseBuffers, 1u);
      }
    });
  });
  const std::uint32_t line = __LINE__ - 7;
  if (mode == Mode::Emulated) {
    CHECK_NOTHROW(device.dispatch(kernel, {1}, {2}, flag));
  } else {
    const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {2}, flag); });
    CHECK(finding.kind == FindingKind::NoProgress);
    CHECK(finding.where.line == line);
    CHECK(contains(finding.message, "atomic_load polls in a region"));
  }
}

TEST_CASE("what a region throws names the invocation, and the device goes on") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer({0u}, "out");
  const auto kernel = in_phases([](auto& group, StorageBuffer<std::uint32_t> auto x, std::uint32_t who) {
    group.each([&](auto& inv) {
      inv.require(inv.local_invocation_index() != who, "that one");
      if (inv.local_invocation_index() == who + 1) throw std::runtime_error("this one");
    });
    group.once([&](auto&) { x[0] += 1u; });
  });
  const Finding required = finding_of([&] { device.dispatch(kernel, {1}, {8}, out, 5u); });
  CHECK(required.kind == FindingKind::RequirementFailed);
  CHECK(required.invocation.local == uvec3{5, 0, 0});
  CHECK_THROWS_AS(device.dispatch(kernel, {1}, {8}, out, ~0u), KernelError);
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {8}, out, 8u));
  CHECK(out.read()[0] == 1);
}

// --- Both forms, written at random ---

namespace {

constexpr std::uint32_t kInvocations = 8;

/// What the invocations whose index is below `first` do to a tile and to a number of their own, and whether all wait
/// for each other then.
struct Step {
  std::uint32_t kind, a, b, first;
  bool waits;
};
struct Steps {
  std::uint32_t count = 0;
  Step steps[6]{};
};

Steps random_steps(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Steps made;
  made.count = 2 + below(5);
  for (Step& step : made.steps) {
    step.kind = below(4);
    step.a = 1 + below(7);
    step.b = below(8);
    step.first = below(3) == 0 ? 1 + below(kInvocations) : kInvocations;
    step.waits = below(4) != 0;
  }
  return made;
}

/// Does it; returns what the number of this invocation is then.
constexpr auto kDo = [](auto& inv, const Step& step, auto tile, std::uint32_t value) -> std::uint32_t {
  const std::uint32_t i = inv.local_invocation_index();
  const std::uint32_t other = (i * step.a + step.b) % kInvocations;
  switch (step.kind) {
    case 0:
      tile[i] = value * step.a + step.b;
      return value;
    case 1:
      return value * 3 + tile[other];
    case 2:
      tile[other] = value + step.a;
      return value;
    default:
      return value + inv.atomic_i_add(tile[other], Scope::Workgroup, MemorySemantics::Relaxed, step.a);
  }
};

const auto kOneByOne = [](auto& inv, Steps program, StorageBuffer<std::uint32_t> auto out) {
  auto tile = workgroup<std::uint32_t[kInvocations]>(inv, "tile", kZeroed);
  std::uint32_t mine = inv.local_invocation_index();
  for (std::uint32_t k = 0; k < program.count; ++k) {
    if (inv.local_invocation_index() < program.steps[k].first) mine = kDo(inv, program.steps[k], tile, mine);
    if (program.steps[k].waits) inv.workgroup_barrier();
  }
  out[inv.global_invocation_id().x] = mine;
};

const auto kInRegions = in_phases([](auto& group, Steps program, StorageBuffer<std::uint32_t> auto out) {
  auto tile = workgroup<std::uint32_t[kInvocations]>(group, "tile", kZeroed);
  auto mine = per_invocation<std::uint32_t>(group, "mine");
  group.each([&](auto& inv) { mine[inv] = inv.local_invocation_index(); }, kNoBarrier);
  for (std::uint32_t k = 0; k < program.count; ++k) {
    const RegionEnd end = program.steps[k].waits ? RegionEnd(kWorkgroupBarrier) : kNoBarrier;
    const auto step = [&](auto& inv) { mine[inv] = kDo(inv, program.steps[k], tile, mine[inv]); };
    group.first(program.steps[k].first, step, end);
  }
  group.each([&](auto& inv) { out[inv.global_invocation_id().x] = mine[inv]; }, kNoBarrier);
});

struct Outcome {
  std::vector<std::uint32_t> values;
  std::size_t races = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

template <typename Kernel>
Outcome outcome_of(const Kernel& kernel, const Steps& program, Mode mode, std::uint64_t seed,
                   std::string_view policy = "sequential") {
  DeviceOptions options = options_for(mode, seed);
  if (mode == Mode::Emulated) {
    options.races = true;
    options.memory = memory_policy(policy);
  }
  Device device(options);
  auto out = device.buffer(std::vector<std::uint32_t>(2 * kInvocations, 0), "out");
  device.dispatch(kernel, {2}, {kInvocations}, program, out);
  return {out.read(), device.races().size()};
}

}  // namespace

TEST_CASE("random kernels in both forms have one result and one set of races under each seed and policy") {
  std::mt19937 random(7);
  std::size_t racing = 0;
  std::size_t differing = 0;
  constexpr int kPrograms = 30;
  for (int n = 0; n < kPrograms; ++n) {
    const Steps program = random_steps(random);
    INFO("program " << n);
    std::size_t races = 0;
    std::set<std::vector<std::uint32_t>> explored;
    for (const MemoryPolicy& policy : memory_policies()) {
      INFO("policy " << policy.name);
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const Outcome first = outcome_of(kOneByOne, program, Mode::Emulated, seed, policy.name);
        REQUIRE(outcome_of(kInRegions, program, Mode::Emulated, seed, policy.name) == first);
        races += first.races;
        explored.insert(first.values);
      }
    }
    racing += races != 0 ? 1 : 0;
    differing += explored.size() > 1 ? 1 : 0;
    // Without races and atomics there is one result; natively it is the same.
    bool ordered = races == 0;
    for (std::uint32_t k = 0; k < program.count; ++k) ordered = ordered && program.steps[k].kind != 3;
    if (!ordered) continue;
    REQUIRE(explored.size() == 1);
    REQUIRE(outcome_of(kInRegions, program, Mode::Native, 1).values == *explored.begin());
    REQUIRE(outcome_of(kOneByOne, program, Mode::Native, 1).values == *explored.begin());
  }
  // Some race, and some do not; of those that race, seeds and policies show more than one result.
  CHECK(racing > kPrograms / 10);
  CHECK(racing < kPrograms * 9 / 10);
  CHECK(differing > kPrograms / 10);
}

// Races are looked for in another, slower way where there is code with tags. This program has none; kernel_tags_test
// has.
TEST_CASE("kernels in phases without tags do not mark their program as one with tags") {
  CHECK_FALSE(watch::has_tagged_code());
}
