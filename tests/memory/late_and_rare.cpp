// Kernels in which something rare goes wrong behind much that does not, and updates that come late.

#include <heddle/heddle.h>

#include <catch2/catch.hpp>

#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

using namespace heddle;

namespace {

constexpr auto kDevice = Scope::Device;
constexpr auto kRelaxed = MemorySemantics::Relaxed;

Device device_on(std::string_view policy, std::uint64_t seed) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy(policy);
  options.seed = seed;
  return Device(options);
}

/// A message behind `traffic` writes of each workgroup, without a release or an acquire.
constexpr auto message = [](auto& inv, std::uint32_t traffic, StorageBuffer<std::uint32_t> auto scratch,
                            StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto out) {
  const std::uint32_t group = inv.workgroup_id().x;
  for (std::uint32_t k = 0; k < traffic; ++k) scratch[group * traffic + k] = k;
  if (group == 0) {
    data.non_private()[0] = 1;
    inv.atomic_store(flag[0], kDevice, kRelaxed, 1);
  } else {
    while (inv.atomic_load(flag[0], kDevice, kRelaxed) == 0) {
    }
    out[0] = data.non_private()[0];
  }
};

/// In how many of so many seeds the message had not arrived.
std::uint32_t missed(std::string_view policy, std::uint32_t traffic, std::uint64_t seeds) {
  std::uint32_t missed = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Device device = device_on(policy, seed);
    auto scratch = device.buffer<std::uint32_t>(2 * traffic, "scratch");
    auto data = device.buffer({0u}, "data");
    auto flag = device.buffer({0u}, "flag");
    auto out = device.buffer({7u}, "out");
    device.dispatch(message, {2}, {1}, traffic, scratch, data, flag, out);
    missed += out.read()[0] == 0 ? 1 : 0;
  }
  return missed;
}

/// Each workgroup adds its numbers up; who comes last adds up what all of them wrote, and no fence orders that.
constexpr auto sum_by_the_last = [](auto& inv, StorageBuffer<const std::uint32_t> auto numbers,
                                    StorageBuffer<std::uint32_t> auto partials, StorageBuffer<std::uint32_t> auto count,
                                    StorageBuffer<std::uint32_t> auto sum) {
  auto tile = inv.template workgroup<std::uint32_t[128]>("tile");
  const std::uint32_t me = inv.local_invocation_index();
  tile[me] = numbers[inv.global_invocation_id().x];
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  for (std::uint32_t half = 64; half > 0; half /= 2) {
    if (me < half) tile[me] += tile[me + half];
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  }
  if (me != 0) return;
  const std::uint32_t groups = inv.num_workgroups().x;
  partials.non_private()[inv.workgroup_id().x] = tile[0];
  if (inv.atomic_i_add(count[0], kDevice, kRelaxed, 1u) != groups - 1) return;
  std::uint32_t all = 0;
  for (std::uint32_t group = 0; group < groups; ++group) all += partials.non_private()[group];
  sum[0] = all;
};

bool is_wrong(std::string_view policy, std::uint64_t seed) {
  constexpr std::uint32_t kGroups = 8;
  std::vector<std::uint32_t> numbers(kGroups * 128);
  std::iota(numbers.begin(), numbers.end(), 1u);
  Device device = device_on(policy, seed);
  auto in = device.buffer(numbers, "numbers");
  auto partials = device.buffer(std::vector<std::uint32_t>(kGroups, 0), "partials");
  auto count = device.buffer({0u}, "count");
  auto sum = device.buffer({0u}, "sum");
  device.dispatch(sum_by_the_last, {kGroups}, {128}, read_only(in), partials, count, sum);
  return sum.read()[0] != std::accumulate(numbers.begin(), numbers.end(), 0u);
}

/// How data and flag are written, and data is read.
enum class By { Plain, Coherent, Update };

/// Message passing without order.
template <By by>
constexpr auto pass = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                         StorageBuffer<std::uint32_t> auto out) {
  if (inv.workgroup_id().x == 0) {
    if constexpr (by == By::Plain) data.non_private()[0] = 1;
    if constexpr (by == By::Coherent) data.coherent(kDevice)[0] = 1;
    if constexpr (by == By::Update) {
      inv.atomic_exchange(data[0], kDevice, kRelaxed, 1);
      inv.atomic_exchange(flag[0], kDevice, kRelaxed, 1);
    } else {
      inv.atomic_store(flag[0], kDevice, kRelaxed, 1);
    }
    return;
  }
  if constexpr (by == By::Update) {
    out[0] = inv.atomic_i_add(flag[0], kDevice, kRelaxed, 0);
    out[1] = inv.atomic_i_add(data[0], kDevice, kRelaxed, 0);
  } else {
    out[0] = inv.atomic_load(flag[0], kDevice, kRelaxed);
    if constexpr (by == By::Plain) out[1] = data.non_private()[0];
    if constexpr (by == By::Coherent) out[1] = data.coherent(kDevice)[0];
  }
};

/// In how many of so many seeds the flag was there and the data were not.
template <By by>
std::uint32_t stale(std::string_view policy, std::uint64_t seeds) {
  std::uint32_t stale = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Device device = device_on(policy, seed);
    auto data = device.buffer({0u}, "data");
    auto flag = device.buffer({0u}, "flag");
    auto out = device.buffer({9u, 9u}, "out");
    device.dispatch(pass<by>, {2}, {1}, data, flag, out);
    stale += out.read() == std::vector<std::uint32_t>{1, 0} ? 1 : 0;
  }
  return stale;
}

}  // namespace

TEST_CASE("a missing release is seen behind a thousand other writes half as often as behind one, on every policy") {
  constexpr std::uint64_t kSeeds = 120;
  for (const std::string_view policy : {"random", "adversarial", "incoherent-l1", "write-back", "reordering"}) {
    const std::uint32_t alone = missed(policy, 1, kSeeds);
    const std::uint32_t behind_many = missed(policy, 1024, kSeeds);
    INFO(policy << ": " << alone << " and " << behind_many << " of " << kSeeds);
    CHECK(alone > kSeeds / 4);
    CHECK(2 * behind_many >= alone);
  }
}

TEST_CASE("a reduction of eight workgroups that the last one ends without a fence is wrong within 200 seeds") {
  for (const std::string_view policy : {"random", "adversarial", "incoherent-l1", "write-back", "reordering"}) {
    std::uint64_t seed = 1;
    while (seed <= 200 && !is_wrong(policy, seed)) ++seed;
    INFO(policy);
    CHECK(seed <= 200);
  }
  CHECK_FALSE(is_wrong("sequential", 1));
}

TEST_CASE("a message that is passed by exchanges and additions of 0 may be stale") {
  CHECK(stale<By::Update>("random", 2000) > 0);
  CHECK(stale<By::Update>("reordering", 2000) > 0);
  CHECK(stale<By::Update>("sequential", 200) == 0);
}

// A plain write may also stay in the cache of its subgroup or workgroup; one that is coherent on the device may not.
TEST_CASE("coherent data behind a relaxed flag are stale two thirds as often as plain data, at least") {
  const std::uint32_t plain = stale<By::Plain>("random", 2000);
  const std::uint32_t coherent = stale<By::Coherent>("random", 2000);
  INFO(plain << " and " << coherent << " of 2000");
  CHECK(plain > 100);
  CHECK(3 * coherent >= 2 * plain);
}

TEST_CASE("a policy that remembers all says that it did, and another one how little") {
  const auto run = [](std::string_view policy) {
    Device device = device_on(policy, 1);
    auto data = device.buffer<std::uint32_t>(10000, "data");
    return device.dispatch([](auto& inv, auto to) { to[inv.global_invocation_id().x] = 1u; }, {100}, {100}, data)
        .memory;
  };
  const MemoryReport all = run("adversarial:all");
  CHECK(all.writes == 10000);
  CHECK(all.recorded == 10000);
  const MemoryReport some = run("adversarial");
  CHECK(some.recorded < 2000);
  CHECK(some.recorded > 200);
}
