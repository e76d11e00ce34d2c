// The memory of a watched device answers most accesses of kernels itself, from what the detector has at hand: it says
// of races what is said where every access has a record.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/how_many.h"

using namespace heddle;

namespace {

constexpr std::uint32_t kGroups = 6;
constexpr std::uint32_t kSteps = 24;
// So many words have cells in more than one piece, and the other variable's begin within one.
constexpr std::uint32_t kWords = 300;
constexpr std::uint32_t kOthers = 40;
// So many bytes of a buffer have cells in several pieces.
constexpr std::uint32_t kBytes = 5000;
// Invocations synchronize by barriers alone, or otherwise, too.
constexpr std::uint32_t kWaysOfBarriers = 22;
constexpr std::uint32_t kWays = 28;

struct Step {
  std::uint32_t way = 0;
  std::uint32_t factor = 1;
  std::uint32_t shift = 0;
};
using Steps = std::vector<Step>;

/// What every invocation does, step by step; each way to access is a line of its own.
const auto random_kernel = [](auto& inv, const Step* steps, StorageBuffer<std::uint32_t> auto data,
                              StorageBuffer<std::uint8_t> auto bytes, StorageBuffer<std::uint32_t> auto sums) {
  auto first = inv.template workgroup<std::uint32_t[3]>("first");
  auto words = inv.template workgroup<std::uint32_t[kWords]>("words");
  auto others = inv.template workgroup<std::uint32_t[kOthers]>("others");
  auto small = inv.template workgroup<std::uint8_t[64]>("small");
  const std::uint32_t me = inv.local_invocation_index();
  const std::uint32_t all = inv.global_invocation_id().x;
  std::uint32_t sum = 0;
  words[me] = me;
  small[me] = 1;
  for (std::uint32_t i = me; i < kOthers; i += inv.workgroup_size().x) others[i] = 0;
  if (me < 3) first[me] = 0;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  for (std::uint32_t s = 0; s < kSteps; ++s) {
    const Step& step = steps[s];
    const std::uint32_t at = (me * step.factor + step.shift) % kWords;
    const std::uint32_t mine = (me + step.shift) % inv.workgroup_size().x;
    const std::uint32_t way = step.way;
    if (way == 0) words[at] = s;
    if (way == 1) words[mine] = sum;
    if (way == 2) sum += words[mine];
    if (way == 3) inv.atomic_i_add(others[at % kOthers], Scope::Workgroup, MemorySemantics::Relaxed, 1u);
    if (way == 4) sum += others[at % kOthers];
    if (way == 5) others[at % kOthers] = 0;
    if (way == 6) sum += bytes[all + 1500];
    if (way == 7) data[all] = sum;
    if (way == 8) sum += data[(all + step.shift) % data.size()];
    if (way == 9) inv.atomic_i_add(sums[at % 16], Scope::Device, MemorySemantics::Relaxed, 1u);
    if (way == 10) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    if (way == 11) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    if (way == 12) inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
    if (way == 13) sum += first[at % 3];
    if (way == 14) small[mine] = static_cast<std::uint8_t>(s);
    if (way == 15) sum += small[mine];
    if (way == 16 && me == step.shift % 8) first[at % 3] = sum;
    if (way == 17) inv.atomic_i_add(others[at % 3], Scope::Workgroup, MemorySemantics::Relaxed, sum);
    if (way == 18) sum += sums[(at + 3) % 16];
    if (way == 19) sum += bytes[(all * 11 + step.shift) % kBytes];
    if (way == 20 && me % 16 == 3) bytes[(all + step.shift) % kBytes] = static_cast<std::uint8_t>(s);
    if (way == 21) inv.atomic_u_max(sums[at % 5], Scope::Workgroup, MemorySemantics::Relaxed, sum);
    if (way == 22) inv.atomic_i_add(sums[at % 4], Scope::Device, kReleaseBuffers, 1u);
    if (way == 23) sum += inv.atomic_load(sums[at % 4], Scope::Device, kAcquireBuffers);
    if (way == 24) inv.memory_barrier(Scope::Device, kReleaseBuffers);
    if (way == 25) inv.memory_barrier(Scope::Device, kAcquireBuffers);
    if (way == 26) inv.store(data[all], sum, MemoryOperands::NonPrivatePointer);
    if (way == 27) sum += inv.load(data[(all + step.shift) % data.size()], MemoryOperands::NonPrivatePointer);
  }
};

using Said = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::string, std::uint64_t>>;

/// The lines and objects of all races, and how often each was seen.
Said races_of(const Steps& steps, std::uint64_t seed, bool every_access_has_a_record) {
  DeviceOptions options;
  options.races = true;
  options.races_parallel = false;
  options.seed = seed;
  options.memory = memory_policy("sequential");
  options.resident_workgroups = 1 + seed % 3;
  // Advice on what orderings were needed for hears of every operation.
  options.race_advice = every_access_has_a_record;
  Device device(options);
  const std::uint32_t size = seed % 2 == 0 ? 64 : 24;
  auto data = device.buffer(std::vector<std::uint32_t>(kGroups * size, 1), "data");
  auto bytes = device.buffer(std::vector<std::uint8_t>(kBytes, 1), "bytes");
  auto sums = device.buffer(std::vector<std::uint32_t>(16, 0), "sums");
  // And again, where other accesses were before.
  const Steps again(steps.rbegin(), steps.rend());
  for (const Steps* each : {&steps, &again})
    device.dispatch(random_kernel, kGroups, size, each->data(), data, bytes, sums);
  Said said;
  const auto add = [&](const DataRace& race) {
    said.emplace_back(race.first.where.line, race.second.where.line, race.object, race.count);
  };
  for (const DataRace& race : device.races()) {
    add(race);
    for (const DataRace& related : race.related) add(related);
  }
  std::sort(said.begin(), said.end());
  return said;
}

/// So many variables of a workgroup, each written by all of it in turns.
const auto many_variables = [](auto& inv) {
  using Variable = decltype(inv.template workgroup<std::uint32_t>(""));
  constexpr std::uint32_t kVariables = 150;
  std::vector<Variable> variables;
  for (std::uint32_t i = 0; i < kVariables; ++i)
    variables.push_back(inv.template workgroup<std::uint32_t>("one of many"));
  for (std::uint32_t round = 0; round < 8; ++round) {
    if (inv.local_invocation_index() == round)
      for (std::uint32_t i = 0; i < kVariables; ++i) variables[i] = 1000 * round + i;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    for (std::uint32_t i = 0; i < kVariables; ++i)
      inv.require(variables[i] == 1000 * round + i, "each variable has its own value");
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  }
};

/// All that atomics compute with words, again and again: one invocation, so that there is one result.
template <typename T>
const auto calculations = [](auto& inv, StorageBuffer<T> auto results) {
  const std::array<T, 6> operands{T(1), T(-1), T(0x7fffffff), T(0x80000000), T(12345), T(0)};
  for (std::uint32_t round = 0; round < 300; ++round) {
    for (const T operand : operands) {
      const auto value = static_cast<T>(static_cast<std::uint32_t>(operand) + round);
      const auto relaxed = MemorySemantics::Relaxed;
      std::uint32_t sum = 0;
      const auto add = [&](T old) { sum = sum * 31 + static_cast<std::uint32_t>(old); };
      add(inv.atomic_i_add(results[0], Scope::Device, relaxed, value));
      add(inv.atomic_i_sub(results[1], Scope::Device, relaxed, value));
      add(inv.atomic_s_min(results[2], Scope::Device, relaxed, value));
      add(inv.atomic_u_min(results[3], Scope::Device, relaxed, value));
      add(inv.atomic_s_max(results[4], Scope::Device, relaxed, value));
      add(inv.atomic_u_max(results[5], Scope::Device, relaxed, value));
      add(inv.atomic_and(results[6], Scope::Device, relaxed, static_cast<T>(value | T(0xff00ff))));
      add(inv.atomic_or(results[7], Scope::Device, relaxed, static_cast<T>(value & T(0xff00ff))));
      add(inv.atomic_xor(results[8], Scope::Device, relaxed, value));
      add(inv.atomic_exchange(results[9], Scope::Device, relaxed, value));
      inv.atomic_xor(results[10], Scope::Device, relaxed, static_cast<T>(sum));
    }
  }
};

template <typename T>
std::vector<T> calculated(const DeviceOptions& options) {
  Device device(options);
  auto results = device.buffer(std::vector<T>{3, 5, 7, 11, 13, 17, T(-1), 19, 23, 29, 0}, "results");
  device.dispatch(calculations<T>, 1, 1, results);
  CHECK(device.races().empty());
  return results.read();
}

}  // namespace

TEMPLATE_TEST_CASE("atomics compute the same natively, emulated, and watched by either detector", "", std::int32_t,
                   std::uint32_t) {
  DeviceOptions options;
  options.memory = memory_policy("sequential");
  options.mode = Mode::Native;
  const std::vector<TestType> natively = calculated<TestType>(options);
  options.mode = Mode::Emulated;
  options.races = false;
  CHECK(calculated<TestType>(options) == natively);
  options.races = true;
  for (const bool parallel : {false, true}) {
    options.races_parallel = parallel;
    CHECK(calculated<TestType>(options) == natively);
  }
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("a watched device says the same of random kernels whether it answers quickly or each access has a record",
          "[nightly]") {
  const auto programs = static_cast<std::uint32_t>(how_many("HEDDLE_RACE_KERNELS", 12, 4000));
  std::size_t racy = 0;
  std::size_t free_of_races = 0;
  for (std::uint32_t number = 0; number < programs; ++number) {
    std::mt19937 random(static_cast<std::uint32_t>(first_seed()) + number);
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
    Steps steps(kSteps);
    // In every third one invocations synchronize otherwise than by barriers.
    const std::uint32_t ways = number % 3 == 0 ? kWays : kWaysOfBarriers;
    for (Step& step : steps) step = {below(ways), 1 + below(2), below(4) == 0 ? below(kWords) : 0};
    // Half of them with a barrier behind every other step.
    if (number % 2 == 0)
      for (std::uint32_t s = 1; s < kSteps; s += 2) steps[s].way = 10;
    const Said quickly = races_of(steps, number, false);
    CAPTURE(number);
    CHECK(quickly == races_of(steps, number, true));
    ++(quickly.empty() ? free_of_races : racy);
  }
  CHECK(racy > programs / 3);
  CHECK(free_of_races > 0);
}

TEST_CASE("of more variables than a watched device has at hand each keeps its values, and none races") {
  for (const bool parallel : {false, true}) {
    DeviceOptions options;
    options.races = true;
    options.races_parallel = parallel;
    options.memory = memory_policy("sequential");
    Device device(options);
    device.dispatch(many_variables, 5, 16);
    CHECK(device.races().empty());
  }
}
