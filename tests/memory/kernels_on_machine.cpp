// Kernels on the weak machine: what is ordered stays ordered, whatever the policy and however many
// invocations there are; what is not, goes wrong.

#include <heddle/heddle.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "tests/temporary_file.h"

using namespace heddle;

namespace {

constexpr auto kEverything = MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory |
                             MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
constexpr std::uint64_t kSeeds = 40;

DeviceOptions on(const MemoryPolicy& policy, std::uint64_t seed) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = policy;
  options.seed = seed;
  options.operations_between_switches = 2;
  return options;
}

/// Sums of workgroups, by halves, with a barrier of these semantics.
template <MemorySemantics semantics>
constexpr auto reduce =
    [](auto& inv, StorageBuffer<const std::uint32_t> auto numbers, StorageBuffer<std::uint32_t> auto sums) {
      auto partial = inv.template workgroup<std::uint32_t[256]>("partial");
      const std::uint32_t me = inv.local_invocation_index();
      partial[me] = numbers[inv.global_invocation_id().x];
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, semantics);
      for (std::uint32_t half = inv.workgroup_size().x / 2; half > 0; half /= 2) {
        if (me < half) partial[me] += partial[me + half];
        inv.control_barrier(Scope::Workgroup, Scope::Workgroup, semantics);
      }
      if (me == 0) sums[inv.workgroup_id().x] = partial[0];
    };

/// Whether a sum is wrong, or was about to be: a part of it was read as it was before anybody wrote it.
template <MemorySemantics semantics>
bool is_wrong_sum(Device& device, const std::vector<std::uint32_t>& numbers, std::uint32_t groups, std::uint32_t size) {
  auto in = device.buffer(numbers, "numbers");
  auto sums = device.buffer(std::vector<std::uint32_t>(groups, 0), "sums");
  try {
    device.dispatch(reduce<semantics>, {groups}, {size}, read_only(in), sums);
  } catch (const KernelError& error) {
    CHECK(error.finding().kind == FindingKind::UninitializedRead);
    return true;
  }
  const std::vector<std::uint32_t> found = sums.read();
  for (std::uint32_t group = 0; group < groups; ++group) {
    const auto begin = numbers.begin() + std::ptrdiff_t{group} * size;
    if (found[group] != std::accumulate(begin, begin + size, 0u)) return true;
  }
  return false;
}

/// How many of so many seeds gave a wrong sum.
template <MemorySemantics semantics>
std::uint64_t wrong_sums(const MemoryPolicy& policy, std::uint32_t groups, std::uint32_t size, std::uint64_t seeds) {
  std::vector<std::uint32_t> numbers(std::size_t{groups} * size);
  std::iota(numbers.begin(), numbers.end(), 1u);
  std::uint64_t wrong = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Device device(on(policy, seed));
    wrong += is_wrong_sum<semantics>(device, numbers, groups, size) ? 1 : 0;
  }
  return wrong;
}

/// Every workgroup looks whether the one three before it has raised its flag, and then for what it wrote before
/// a barrier of this memory scope that all of it came to. Returns how many did not find it, and how many saw
/// the flag.
template <Scope memory>
std::pair<std::uint64_t, std::uint64_t> missed(std::uint64_t seeds) {
  constexpr std::uint32_t kGroups = 24;
  constexpr std::uint32_t kBack = 3;
  constexpr auto kernel = [](auto& inv, auto data, auto flags, auto found) {
    constexpr auto kRelease = MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory |
                              MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
    const std::uint32_t group = inv.workgroup_id().x;
    const bool first = inv.local_invocation_index() == 0;
    if (first) {
      data.non_private()[2 * group] = group + 1;
      if (group >= kBack && inv.atomic_or(flags[group - kBack], Scope::Device, MemorySemantics::None, 0u) != 0) {
        inv.memory_barrier(Scope::Device, MemorySemantics::Acquire | MemorySemantics::UniformMemory);
        const std::uint32_t written = data.coherent(Scope::Device)[2 * (group - kBack)];
        found[group] = written == group - kBack + 1 ? 1u : 2u;
      }
    }
    inv.control_barrier(Scope::Workgroup, memory, kRelease);
    if (first) inv.atomic_exchange(flags[group], Scope::Device, MemorySemantics::None, 1u);
  };
  std::uint64_t stale = 0;
  std::uint64_t seen = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Device device(on(memory_policy("adversarial"), seed));
    auto data = device.buffer(std::vector<std::uint32_t>(2 * kGroups, 0), "data");
    auto flags = device.buffer(std::vector<std::uint32_t>(kGroups, 0), "flags");
    auto found = device.buffer(std::vector<std::uint32_t>(kGroups, 0), "found");
    device.dispatch(kernel, {kGroups}, {64}, data, flags, found);
    for (const std::uint32_t f : found.read()) {
      seen += f != 0 ? 1 : 0;
      stale += f == 2 ? 1 : 0;
    }
  }
  return {stale, seen};
}

/// The first of two dispatches writes, the second reads; returns what it read.
template <typename Between>
std::uint32_t passed_on(const MemoryPolicy& policy, std::uint64_t seed, const Between& between) {
  const auto write = [](auto&, auto data, std::uint32_t value) { data[0] = value; };
  const auto read = [](auto&, auto data, auto out) { out[0] = data[0]; };
  Device device(on(policy, seed));
  auto data = device.buffer({0u}, "data");
  auto out = device.buffer({0u}, "out");
  device.submit([&](Commands& commands) {
    commands.dispatch(write, {1}, {1}, data, 7u);
    between(commands);
    commands.dispatch(read, {1}, {1}, data, out);
  });
  return out.read()[0];
}

/// Accesses of all kinds and sizes to buffers and Workgroup memory, some of them atomic, some of which release or
/// acquire if `synchronizes`.
constexpr auto anything = [](auto& inv, bool synchronizes, auto words, auto bytes, auto wide, auto counters) {
  auto own = inv.template workgroup<std::uint32_t[64]>("own");
  const std::uint32_t me = inv.local_invocation_index();
  constexpr auto kBuffers = MemorySemantics::UniformMemory;
  std::uint32_t x = inv.global_invocation_id().x * 2654435761u;
  inv.atomic_store(own[me % 64], Scope::Workgroup, MemorySemantics::Relaxed, x);
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kEverything);
  for (int step = 0; step < 20; ++step) {
    x = x * 1664525u + 1013904223u;
    const std::uint32_t at = (x >> 8) % static_cast<std::uint32_t>(words.size());
    switch ((x >> 28) % 12) {
      case 0:
        words[at] = x;
        break;
      case 1:
        x += words[at];
        break;
      case 2:
        bytes[at] = static_cast<std::uint8_t>(x);
        break;
      case 3:
        x += bytes[at];
        break;
      case 4:
        wide[at] = x;
        break;
      case 5:
        x += static_cast<std::uint32_t>(wide[at]);
        break;
      case 6:
        x += inv.atomic_i_add(counters[at], Scope::Device, MemorySemantics::Relaxed, 1u);
        break;
      case 7:
        x += inv.atomic_load(counters[at], Scope::Device, MemorySemantics::Relaxed);
        break;
      case 8:
        inv.atomic_i_add(own[me % 64], Scope::Workgroup, MemorySemantics::Relaxed, 1u);
        break;
      case 9:
        if (synchronizes) {
          inv.atomic_store(counters[at], Scope::Device, MemorySemantics::Release | kBuffers, x);
        } else {
          inv.atomic_store(counters[at], Scope::Device, MemorySemantics::Relaxed, x);
        }
        break;
      case 10:
        if (synchronizes) x += inv.atomic_load(counters[at], Scope::Device, MemorySemantics::Acquire | kBuffers);
        break;
      default:
        x += own[x % 64 % inv.workgroup_size().x];
        break;
    }
  }
};

/// What two dispatches of that left in the buffers, and what the memory says of the second.
template <typename Change>
auto run_of_anything(const MemoryPolicy& policy, std::uint64_t seed, Change change) {
  DeviceOptions options = on(policy, seed);
  options.operations_between_switches = 16;
  change(options);
  Device device(options);
  const std::size_t size = 64 + seed * 50 % 2000;
  auto words = device.buffer(std::vector<std::uint32_t>(size, 0), "words");
  auto bytes = device.buffer(std::vector<std::uint8_t>(size, 0), "bytes");
  auto wide = device.buffer(std::vector<std::uint64_t>(size, 0), "wide");
  auto counters = device.buffer(std::vector<std::uint32_t>(size, 0), "counters");
  const std::uint64_t groups = 1 + seed % 6;
  const std::uint64_t local = 1 + seed * 37 % 200;
  std::string said;
  for (int time = 0; time < 2; ++time)
    said = to_string(device.dispatch(anything, {groups}, {local}, seed % 3 == 0, words, bytes, wide, counters).memory);
  return std::tuple(words.read(), bytes.read(), wide.read(), counters.read(), said);
}

}  // namespace

TEST_CASE("barriers that make available and visible give the right sums, whatever the memory") {
  // Fewer agents than there are lanes of clocks, some more, and so many that all share one.
  struct Size {
    std::uint32_t groups, invocations;
    std::uint64_t seeds;
  };
  for (const Size size : {Size{1, 8, kSeeds}, Size{4, 8, kSeeds}, Size{2, 64, 10}, Size{4, 256, 2}})
    for (const MemoryPolicy& policy : memory_policies()) {
      INFO(policy.name << ", " << size.groups << " x " << size.invocations);
      CHECK(wrong_sums<kEverything>(policy, size.groups, size.invocations, size.seeds) == 0);
    }
}

TEST_CASE("barriers that order no memory give wrong sums on weak memory, and right ones on sequential") {
  constexpr auto kNothing = MemorySemantics::None;
  CHECK(wrong_sums<kNothing>(memory_policy("sequential"), 2, 8, kSeeds) == 0);
  CHECK(wrong_sums<kNothing>(memory_policy("random"), 2, 8, kSeeds) > 0);
  CHECK(wrong_sums<kNothing>(memory_policy("adversarial"), 2, 8, kSeeds) > 0);
}

TEST_CASE("barriers that order no memory give wrong sums of many workgroups, too") {
  CHECK(wrong_sums<MemorySemantics::None>(memory_policy("random"), 16, 256, 3) == 3);
  CHECK(wrong_sums<MemorySemantics::None>(memory_policy("adversarial"), 16, 256, 3) == 3);
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE(
    "a relaxed flag carries the release of a barrier of Device scope that a workgroup came to, not one of Workgroup "
    "scope") {
  const auto device = missed<Scope::Device>(10);
  CHECK(device.first == 0);
  CHECK(device.second > 0);
  const auto workgroup = missed<Scope::Workgroup>(10);
  CHECK(workgroup.first > 0);
  CHECK(workgroup.second > 0);
}

TEST_CASE("a memory barrier between two dispatches passes on what was written, nothing less does") {
  const auto adversarial = memory_policy("adversarial");
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CHECK(passed_on(adversarial, seed, [](Commands& c) { c.memory_barrier(); }) == 7);
    CHECK(passed_on(adversarial, seed, [](Commands& c) { c.execution_barrier(); }) == 0);
    CHECK(passed_on(adversarial, seed, [](Commands&) {}) == 0);
  }
}

TEST_CASE(
    "a dispatch of a submission reads nothing that a later one writes, and races with it where nothing orders them") {
  constexpr auto kCopy = [](auto& inv, StorageBuffer<const std::uint32_t> auto from, auto to) {
    to[inv.global_invocation_id().x] = from[inv.global_invocation_id().x];
  };
  constexpr auto kOverwrite = [](auto& inv, auto to) { to[inv.global_invocation_id().x] = 2; };
  const std::vector<std::uint32_t> sevens(16, 7u);
  for (const bool has_dependency : {false, true}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      DeviceOptions options = on(memory_policy("random"), seed);
      options.races = true;
      Device device(options);
      auto x = device.buffer(sevens, "x");
      auto copy = device.buffer(std::vector<std::uint32_t>(16, 0u), "copy");
      device.submit([&](Commands& commands) {
        commands.dispatch(kCopy, {2}, {8}, read_only(x), copy);
        if (has_dependency) commands.execution_barrier();
        commands.dispatch(kOverwrite, {2}, {8}, x);
      });
      CHECK(copy.read() == sevens);
      CHECK(device.races().empty() == has_dependency);
    }
  }
}

TEST_CASE("the same seed gives the same run on weak memory") {
  const auto run = [](std::uint64_t seed) {
    Device device(on(memory_policy("random"), seed));
    auto log = device.buffer(std::vector<std::uint32_t>(64, 0), "log");
    auto next = device.buffer({0u}, "next");
    const auto kernel = [](auto& inv, auto to, auto counter) {
      const std::uint32_t me = inv.global_invocation_id().x;
      const std::uint32_t at = inv.atomic_i_increment(counter[0], Scope::Device, MemorySemantics::None);
      to[at] = me + 1;
    };
    const DispatchResult result = device.dispatch(kernel, {8}, {8}, log, next);
    return std::pair(log.read(), result.memory.delayed);
  };
  for (std::uint64_t seed = 0; seed < 8; ++seed) CHECK(run(seed) == run(seed));
  CHECK(run(1).first != run(2).first);
}

// Most accesses are made in place where nothing listens, and all are told of where something does.
TEST_CASE("a seed gives the same run on weak memory whatever listens: a race detector, advice, a trace") {
  const TemporaryFile file;
  const auto as_it_is = [](DeviceOptions&) {};
  const auto races = [](DeviceOptions& options) { options.races = true; };
  const auto advice = [](DeviceOptions& options) { options.races = options.race_advice = true; };
  const auto trace = [&](DeviceOptions& options) { options.trace = file.path(); };
  for (const MemoryPolicy& policy : memory_policies()) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      INFO(fmt::format("{}, seed {}", policy.name, seed));
      const auto alone = run_of_anything(policy, seed, as_it_is);
      CHECK(run_of_anything(policy, seed, races) == alone);
      CHECK(run_of_anything(policy, seed, advice) == alone);
      CHECK(run_of_anything(policy, seed, trace) == alone);
    }
  }
}

TEST_CASE("a value that is wider than eight bytes arrives whole") {
  struct Wide {
    std::uint32_t words[5];
  };
  for (const MemoryPolicy& policy : memory_policies()) {
    Device device(on(policy, 3));
    auto in = device.buffer(std::vector<Wide>{{{1, 2, 3, 4, 5}}, {{6, 7, 8, 9, 10}}}, "in");
    auto out = device.buffer(std::vector<Wide>(2), "out");
    device.dispatch(
        [](auto&, auto from, auto to) {
          const Wide first = from[1];
          to[1] = first;
          const Wide again = to[1];
          to[0] = again;
        },
        {1}, {1}, in, out);
    INFO(policy.name);
    CHECK(out.read()[0].words[4] == 10);
    CHECK(out.read()[1].words[0] == 6);
  }
}
