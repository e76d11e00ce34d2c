// Dispatches, workgroups and subgroups of every size and shape.

#include "tests/device_under_test.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <set>

using namespace heddle;
using heddle::test::options_for;
using heddle::test::refused;

namespace {

std::uint32_t bits(const uvec4& ballot) {
  return static_cast<std::uint32_t>(std::popcount(ballot.x) + std::popcount(ballot.y) + std::popcount(ballot.z) +
                                    std::popcount(ballot.w));
}

struct Seen {
  uvec3 global;
  uvec3 group;
  uvec3 local;
  std::uint32_t index = 0;
  std::uint32_t subgroup = 0;
  std::uint32_t lane = 0;
  std::uint32_t subgroups = 0;
  std::uint32_t active = 0;
  std::uint32_t visits = 0;
};

const auto kLook = [](auto& inv, auto out) {
  const uvec3 groups = inv.num_workgroups();
  const uvec3 id = inv.workgroup_id();
  const std::uint32_t size = inv.workgroup_size().x * inv.workgroup_size().y * inv.workgroup_size().z;
  const std::uint32_t number = id.x + groups.x * (id.y + groups.y * id.z);
  Seen seen = out[number * size + inv.local_invocation_index()];
  seen.global = inv.global_invocation_id();
  seen.group = id;
  seen.local = inv.local_invocation_id();
  seen.index = inv.local_invocation_index();
  seen.subgroup = inv.subgroup_id();
  seen.lane = inv.subgroup_local_invocation_id();
  seen.subgroups = inv.num_subgroups();
  seen.active = bits(inv.group_non_uniform_ballot(true));
  ++seen.visits;
  out[number * size + inv.local_invocation_index()] = seen;
};

std::vector<Seen> look(const DeviceOptions& options, Extent groups, Extent local) {
  Device device(options);
  const std::uint32_t size = local.x * local.y * local.z;
  const std::uint32_t all = groups.x * groups.y * groups.z * size;
  auto out = device.buffer(std::vector<Seen>(all));
  const DispatchResult result = device.dispatch(kLook, groups, local, out);
  CHECK(result.invocations == all);
  return out.read();
}

}  // namespace

TEST_CASE("a dispatch of no workgroups runs nothing, in any dimension") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer({0u});
  const auto kernel = [](auto&, auto results) { results[0] = 1u; };
  for (const Extent& groups : {Extent{0}, Extent{5, 0}, Extent{5, 5, 0}}) {
    const DispatchResult result = device.dispatch(kernel, groups, {8}, out);
    CHECK(result.workgroups == 0);
    CHECK(result.invocations == 0);
  }
  CHECK(out.read()[0] == 0);
  device.dispatch(kernel, {1}, {1}, out);
  CHECK(out.read()[0] == 1);
}

TEST_CASE("every invocation of a three-dimensional dispatch runs once, with its own ids") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  options.subgroup_size = 16;
  // 7 x 5 x 3 = 105 = 6 * 16 + 9: the last subgroup is short.
  const std::vector<Seen> seen = look(options, {2, 3, 2}, {7, 5, 3});
  REQUIRE(seen.size() == 12 * 105);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> ids;
  for (std::size_t n = 0; n < seen.size(); ++n) {
    const Seen& s = seen[n];
    REQUIRE(s.visits == 1);
    ids.insert({s.global.x, s.global.y, s.global.z});
    REQUIRE(s.global == s.group * uvec3{7, 5, 3} + s.local);
    REQUIRE(s.index == s.local.x + 7 * (s.local.y + 5 * s.local.z));
    REQUIRE(s.index == n % 105);
    REQUIRE(s.subgroups == 7);
    REQUIRE(s.subgroup == s.index / 16);
    REQUIRE(s.lane == s.index % 16);
    REQUIRE(s.active == (s.subgroup == 6 ? 9 : 16));
  }
  CHECK(ids.size() == 12 * 105);
}

TEST_CASE("subgroups of every size from 1 to 128 have that many lanes") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  for (std::uint32_t size = 1; size <= 128; size += mode == Mode::Native ? 1 : 9) {
    DeviceOptions options = options_for(mode);
    options.subgroup_size = size;
    const std::vector<Seen> seen = look(options, {1}, {130});
    for (std::uint32_t i = 0; i < 130; ++i) {
      REQUIRE(seen[i].subgroup == i / size);
      REQUIRE(seen[i].lane == i % size);
      REQUIRE(seen[i].active == std::min(size, 130 - i / size * size));
    }
  }
}

namespace {

/// `plain` is the identity of `size`, and what a seed gives another permutation, the same for the same seed alone.
template <typename OfSeed>
void check_drawn_from_seed(std::size_t size, const std::vector<std::uint32_t>& plain, OfSeed of_seed) {
  std::vector<std::uint32_t> identity(size);
  std::iota(identity.begin(), identity.end(), 0u);
  CHECK(plain == identity);
  std::vector<std::uint32_t> shuffled = of_seed(1);
  CHECK(shuffled != identity);
  CHECK(shuffled == of_seed(1));
  CHECK(shuffled != of_seed(2));
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == identity);
}

}  // namespace

TEST_CASE("the shuffled mapping is a permutation, the same for every workgroup, and drawn from the seed") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto positions = [&](std::uint64_t seed, LaneMapping mapping) {
    DeviceOptions options = options_for(mode, seed);
    options.subgroup_size = 16;
    options.lane_mapping = mapping;
    const std::vector<Seen> seen = look(options, {3}, {100});
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < 300; ++i) {
      // The ids of invocations stay what they are; only their lanes move.
      REQUIRE(seen[i].index == i % 100);
      REQUIRE(seen[i].active == (seen[i].subgroup == 6 ? 4 : 16));
      const std::uint32_t position = seen[i].subgroup * 16 + seen[i].lane;
      if (i < 100)
        result.push_back(position);
      else
        REQUIRE(position == result[i % 100]);
    }
    return result;
  };
  check_drawn_from_seed(100, positions(1, LaneMapping::Linear),
                        [&](std::uint64_t seed) { return positions(seed, LaneMapping::Shuffled); });
}

TEST_CASE("a kernel that takes the linear mapping for granted works with it, and is caught by the shuffled one") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto wrong_ones = [&](LaneMapping mapping) {
    DeviceOptions options = options_for(mode);
    options.lane_mapping = mapping;
    Device device(options);
    auto out = device.buffer<std::uint32_t>(64);
    const auto kernel = [](auto& inv, auto results) {
      const auto i = inv.local_invocation_index();
      // The neighbour of an invocation is the neighbour of its lane only in the linear mapping.
      results[i] = inv.group_non_uniform_shuffle_xor(i, 1);
    };
    device.dispatch(kernel, {1}, {64}, out);
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < 64; ++i) wrong += out.read()[i] != (i ^ 1);
    return wrong;
  };
  CHECK(wrong_ones(LaneMapping::Linear) == 0);
  CHECK(wrong_ones(LaneMapping::Shuffled) > 0);
}

TEST_CASE("the order in which workgroups begin is a permutation that is drawn from the seed, if it is asked for") {
  const auto begun = [&](std::uint64_t seed, WorkgroupOrder order) {
    DeviceOptions options = options_for(Mode::Emulated, seed);
    options.workgroup_order = order;
    options.resident_workgroups = 1;
    Device device(options);
    auto count = device.buffer({0u});
    auto numbers = device.buffer<std::uint32_t>(30);
    const auto kernel = [](auto& inv, auto next, auto out) {
      const auto id = inv.workgroup_id();
      out[inv.atomic_i_increment(next[0], Scope::Device, MemorySemantics::Relaxed)] = id.x + 2 * id.y + 6 * id.z;
    };
    device.dispatch(kernel, {2, 3, 5}, {1}, count, numbers);
    return numbers.read();
  };
  check_drawn_from_seed(30, begun(1, WorkgroupOrder::Ascending),
                        [&](std::uint64_t seed) { return begun(seed, WorkgroupOrder::Shuffled); });
}

TEST_CASE("a kernel that waits for the workgroup before it is caught where workgroups begin in any order") {
  const auto ends = [&](std::uint64_t seed, WorkgroupOrder order) {
    DeviceOptions options = options_for(Mode::Emulated, seed);
    options.workgroup_order = order;
    options.no_progress_rounds = 100;
    Device device(options);
    auto done = device.buffer(std::vector<std::uint32_t>(8, 0));
    const auto kernel = [](auto& inv, auto flags) {
      const auto me = inv.workgroup_id().x;
      while (me != 0 && inv.atomic_load(flags[me - 1], Scope::Device, MemorySemantics::Relaxed) == 0) {
      }
      inv.atomic_store(flags[me], Scope::Device, MemorySemantics::Relaxed, 1u);
    };
    try {
      device.dispatch(kernel, {8}, {1}, done);
    } catch (const KernelError& error) {
      CHECK(error.finding().kind == FindingKind::NoProgress);
      return false;
    }
    return true;
  };
  for (std::uint64_t seed = 1; seed < 10; ++seed) CHECK(ends(seed, WorkgroupOrder::Ascending));
  CHECK_FALSE(ends(1, WorkgroupOrder::Shuffled));
}

TEST_CASE("workgroups may have up to 65536 invocations, and not none") {
  Device device(options_for(Mode::Native));
  auto count = device.buffer({0u});
  const auto kernel = [](auto& inv, auto counter) {
    inv.atomic_i_increment(counter[0], Scope::Device, MemorySemantics::Relaxed);
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {256, 256}, count));
  CHECK(count.read()[0] == 65536);
  CHECK_THROWS_AS(device.dispatch(kernel, {1}, {256, 257}, count), std::invalid_argument);
  CHECK_THROWS_AS(device.dispatch(kernel, {1}, {0}, count), std::invalid_argument);
  CHECK_THROWS_AS(device.dispatch(kernel, {1}, {16, 0}, count), std::invalid_argument);
}

TEST_CASE("sizes that do not fit in 32 bits are refused") {
  CHECK_THROWS_AS(Extent(-1), std::out_of_range);
  CHECK_THROWS_AS(Extent(1, std::uint64_t{1} << 32), std::out_of_range);
  CHECK(Extent(0xffffffffu).x == 0xffffffffu);
}

TEST_CASE("options that make no sense are refused by name") {
  CHECK(refused([](DeviceOptions&) {}) == "accepted");
  CHECK(test::contains(refused([](DeviceOptions& o) { o.subgroup_size = 0; }), "subgroup_size"));
  CHECK(test::contains(refused([](DeviceOptions& o) { o.subgroup_size = 129; }), "subgroup_size"));
  CHECK(test::contains(refused([](DeviceOptions& o) { o.operations_between_switches = 0; }),
                       "operations_between_switches"));
}

TEST_CASE("the progress of a dispatch is told up to its last workgroup") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  std::atomic<std::uint64_t> most{0};
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> wrong{0};
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    ++calls;
    if (all != 50 || done > all) ++wrong;
    std::uint64_t old = most;
    while (old < done && !most.compare_exchange_weak(old, done)) {
    }
  };
  Device device(options);
  const auto kernel = [](auto&) {};
  device.dispatch(kernel, {50}, {4});
  CHECK(most == 50);
  CHECK(calls >= 1);
  CHECK(calls <= 50);
  CHECK(wrong == 0);
}
