// Undefined values: they may be moved about, and are a finding where they decide something.
#include <catch2/catch.hpp>

#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include <heddle/explore.h>

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::contains;

namespace {

using U32 = std::uint32_t;

DeviceOptions under_emulation(std::uint64_t seed = 1) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.seed = seed;
  options.subgroup_size = 8;
  return options;
}

/// What is wrong when a subgroup of 8 has run `kernel(inv, x)` and the host has read x[0] to x[7], which held 0 to 7.
template <typename Kernel>
Finding wrong_with(Kernel kernel, DeviceOptions options = under_emulation()) {
  Device device(options);
  auto x = device.buffer<U32>({0, 1, 2, 3, 4, 5, 6, 7}, "x");
  try {
    device.dispatch([kernel](auto& inv, StorageBuffer<U32> auto data) { kernel(inv, data); }, {1}, {8}, x);
    (void)x.read();
  } catch (const KernelError& error) {
    return error.finding();
  }
  return {};
}

/// In lane 0 undefined, in every other one the number of the lane below.
template <typename Inv>
U32 below(Inv& inv) {
  return inv.group_non_uniform_shuffle_up(inv.subgroup_local_invocation_id(), 1u);
}

}  // namespace

TEST_CASE("an undefined value that is added up and stored is found where the host reads it") {
  constexpr U32 kLine = __LINE__ + 4;
  const Finding wrong = wrong_with([](auto& inv, auto x) {
    U32 sum = x[inv.local_invocation_index()];
    for (U32 delta = 4; delta > 0; delta /= 2) sum += inv.group_non_uniform_shuffle_down(sum, delta);
    x[inv.local_invocation_index()] = sum;
  });
  CHECK(wrong.kind == FindingKind::UndefinedValue);
  CHECK(wrong.where.line == kLine);
  CHECK(wrong.object == "x");
  CHECK(contains(wrong.message, "where the host or another dispatch reads it, depends on an undefined value"));
  CHECK(contains(wrong.message, "group_non_uniform_shuffle_down from lane 8, which is not active, at "));
  CHECK(contains(wrong.message, ":" + std::to_string(kLine - 1)));
  CHECK(contains(wrong.replay, "HEDDLE_SEED=1"));
}

TEST_CASE("an undefined value that is discarded is no finding, wherever it was moved") {
  const auto scan = [](auto& inv, auto x) {
    auto tile = workgroup<U32[8]>(inv, "tile");
    const U32 lane = inv.subgroup_local_invocation_id();
    U32 sum = x[lane];
    for (U32 delta = 1; delta < 8; delta *= 2) {
      tile[lane] = inv.group_non_uniform_shuffle_up(sum, delta);
      if (const U32 lower = tile[lane]; lane >= delta) sum += lower;
    }
    x[lane] = sum;
    // Overwritten before anybody can see it.
    x[lane] = below(inv);
    x[lane] = sum;
  };
  CHECK(wrong_with(scan).message.empty());
  Device device(under_emulation());
  auto x = device.buffer(std::vector<U32>(8, 1), "x");
  device.dispatch(scan, {1}, {8}, x);
  CHECK(x.read() == std::vector<U32>{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("an undefined value is found where it is an address, a branch, an atomic or a requirement") {
  const auto expect = [](const Finding& wrong, const char* what) {
    CHECK(wrong.kind == FindingKind::UndefinedValue);
    CHECK(contains(wrong.message, what));
  };
  expect(wrong_with([](auto& inv, auto x) { (void)U32(x[below(inv) % 8]); }), "which element of element");
  expect(wrong_with([](auto& inv, auto x) {
           if (below(inv) % 2 == 0) x[0] = 0u;
         }),
         "depends on an undefined value");
  expect(wrong_with(
             [](auto& inv, auto x) { inv.atomic_i_add(x[0], Scope::Device, MemorySemantics::Relaxed, below(inv)); }),
         "an atomic of element 0 of StorageBuffer 'x' depends on an undefined value");
  expect(wrong_with(
             [](auto& inv, auto) { inv.require(below(inv) % 2 == 0 || inv.local_invocation_index() != 0, "even"); }),
         "whether this requirement holds depends on an undefined value");
}

TEST_CASE("an undefined value is found where what it decides is wrong anyway") {
  const auto expect = [](const Finding& wrong, std::uint32_t line, const std::string& decided,
                         const std::string& then) {
    CHECK(wrong.kind == FindingKind::UndefinedValue);
    CHECK(wrong.where.line == line);
    CHECK(contains(wrong.message, decided + " depends on an undefined value"));
    CHECK(contains(wrong.message, "from lane "));
    CHECK(contains(wrong.message, ":" + std::to_string(line - 1)));
    CHECK(contains(wrong.message, then));
  };
  constexpr U32 kFirst = __LINE__ + 3;
  expect(wrong_with([](auto& inv, auto x) {
           const U32 at = inv.group_non_uniform_shuffle_up(inv.subgroup_local_invocation_id(), 1);
           x[at] = 0u;
         }),
         kFirst, "this access of 'x'", "with the value that was drawn here, out of bounds: element ");
  constexpr U32 kSecond = __LINE__ + 3;
  expect(wrong_with([](auto& inv, auto x) {
           const U32 base = inv.group_non_uniform_broadcast(U32(x[0]), 9);
           x[base + inv.local_invocation_index()] = 0u;
         }),
         kSecond, "this access of 'x'", "out of bounds: element ");
  constexpr U32 kThird = __LINE__ + 3;
  expect(wrong_with([](auto& inv, auto) {
           const U32 size = inv.group_non_uniform_shuffle_up(8u, 1);
           (void)inv.group_non_uniform_rotate_khr(1u, 1, size);
         }),
         kThird, "what happens here", "invalid argument: cluster size ");
  constexpr U32 kFourth = __LINE__ + 4;
  expect(wrong_with([](auto& inv, auto) {
           auto own = private_variable<U32[4]>(inv, "own");
           const U32 at = inv.group_non_uniform_shuffle_up(inv.subgroup_local_invocation_id() / 8, 1);
           own[at] = 0u;
         }),
         kFourth, "this access of 'own'", "out of bounds: element ");
}

TEST_CASE("what is wrong whatever an undefined value is remains what it is") {
  const Finding outside = wrong_with([](auto& inv, auto x) {
    (void)inv.group_non_uniform_shuffle_up(1u, 1);
    x[99] = 0u;
  });
  CHECK(outside.kind == FindingKind::OutOfBounds);
  const Finding told = wrong_with([](auto& inv, auto) {
    const U32 value = inv.group_non_uniform_shuffle_up(1u, 1);
    inv.require(inv.local_invocation_index() != 0, "it is {}", value);
  });
  CHECK(told.kind == FindingKind::RequirementFailed);
}

TEST_CASE("an undefined value is found by a dispatch that reads what another one left, until it is written again") {
  Device device(under_emulation());
  auto x = device.buffer(std::vector<U32>(8, 1), "x");
  device.dispatch([](auto& inv, StorageBuffer<U32> auto data) { data[inv.local_invocation_index()] = below(inv); }, {1},
                  {8}, x);
  constexpr auto read = [](auto& inv, StorageBuffer<U32> auto data) { (void)U32(data[inv.local_invocation_index()]); };
  CHECK_THROWS_WITH(device.dispatch(read, {1}, {8}, x),
                    Catch::Contains("undefined value: element 0 of") && Catch::Contains("it was stored at "));
  device.dispatch([](auto&, StorageBuffer<U32> auto data) { data[0] = 5u; }, {1}, {1}, x);
  device.dispatch(read, {1}, {8}, x);
  CHECK(x.read() == std::vector<U32>{5, 0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("a value from a lane that is named and not active is undefined as one from a neighbour is") {
  const auto shuffle = [](auto& inv, auto x) {
    const U32 lane = inv.subgroup_local_invocation_id();
    if (lane == 7) return;
    const U32 other = inv.group_non_uniform_shuffle(lane, lane + 1);
    const bool flag = inv.group_non_uniform_shuffle(true, lane + 1);
    if (lane < 6) x[lane] = other + (flag ? 1 : 0);
  };
  CHECK(wrong_with(shuffle).message.empty());
  const Finding stored = wrong_with([](auto& inv, auto x) {
    const U32 lane = inv.subgroup_local_invocation_id();
    if (lane < 5) x[lane] = inv.group_non_uniform_shuffle_xor(lane, 1u);
  });
  CHECK(stored.kind == FindingKind::UndefinedValue);
  CHECK(contains(stored.message, "group_non_uniform_shuffle_xor from lane 5, which is not active"));
}

TEST_CASE("a broadcast whose lane is not the same everywhere is refused at once") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    DeviceOptions options = under_emulation();
    options.mode = mode;
    const Finding wrong = wrong_with(
        [](auto& inv, auto) { (void)inv.group_non_uniform_broadcast(1u, inv.subgroup_local_invocation_id() % 2); },
        options);
    CHECK(wrong.kind == FindingKind::InvalidArgument);
    CHECK(contains(wrong.message, "it must be the same number in all active lanes"));
    CHECK(wrong_with([](auto& inv, auto) {
            (void)inv.group_non_uniform_quad_broadcast(1u, inv.subgroup_local_invocation_id() / 4);
          }).message.empty());
  }
}

TEST_CASE("undefined values are zero and not followed where that is asked for") {
  DeviceOptions options = under_emulation();
  options.undefined = UndefinedValues::Zero;
  Device device(options);
  auto x = device.buffer(std::vector<U32>(8, 9), "x");
  auto fresh = device.buffer<U32>(4, "fresh");
  device.dispatch([](auto& inv, StorageBuffer<U32> auto data) { data[inv.local_invocation_index()] = below(inv); }, {1},
                  {8}, x);
  CHECK(x.read() == std::vector<U32>{0, 0, 1, 2, 3, 4, 5, 6});
  CHECK(fresh.read() == std::vector<U32>(4, 0));
  CHECK(wrong_with([](auto& inv, auto) { (void)inv.group_non_uniform_shuffle(1u, 9u); }, options).kind ==
        FindingKind::InvalidArgument);
}

TEST_CASE("bytes that were never written differ by seed, and are the same under one") {
  const auto left = [](std::uint64_t seed) {
    Device device(under_emulation(seed));
    return device.buffer<U32>(4, "x").read();
  };
  CHECK(left(1) == left(1));
  CHECK(left(1) != left(2));
  CHECK(left(1) != std::vector<U32>(4, 0));
}

TEST_CASE("following an undefined value runs the kernel twice, and only once for all to see") {
  std::FILE* const file = std::tmpfile();
  DeviceOptions options = under_emulation();
  options.print_to = file;
  int calls = 0;
  CHECK(wrong_with(
            [&calls, file](auto& inv, auto) {
              if (below(inv) != 8 && inv.group_non_uniform_elect()) ++calls;
              if (inv.local_invocation_index() == 1) {
                inv.print("printed\n");
                std::fputs("by hand\n", file);
                std::fflush(file);
              }
            },
            options)
            .message.empty());
  CHECK(calls == 1);
  std::rewind(file);
  std::string text(100, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  CHECK(text == "printed\nby hand\n");
  std::fclose(file);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("what only one of two undefined values lets go on for ever is found, or left alone") {
  const Finding wrong = wrong_with([](auto& inv, auto x) {
    const U32 value = below(inv);
    while (value >= 8 && inv.atomic_load(x[7], Scope::Device, MemorySemantics::Relaxed) == 7 && value % 2 == 0) {
    }
  });
  // The process that polls sees that nothing goes on; the other one goes on to its end.
  CHECK((wrong.kind == FindingKind::UndefinedValue || wrong.kind == FindingKind::NoProgress));
}

TEST_CASE("a stale read of what was never written is an uninitialized read under every seed that shows it") {
  SeedOptions options;
  options.shrink_budget = std::chrono::milliseconds(0);
  options.stop_at_first = false;
  options.print_to = nullptr;
  options.replay_file = "";
  options.jobs = 1;
  const SeedReport report = explore_seeds(
      [](Trial& trial) {
        auto data = trial.device().buffer<U32>(1, "data");
        auto flag = trial.device().buffer({0u}, "flag");
        auto seen = trial.device().buffer({42u}, "seen");
        trial.device().dispatch(
            [](auto& inv, StorageBuffer<U32> auto d, StorageBuffer<U32> auto f, StorageBuffer<U32> auto s) {
              if (inv.workgroup_id().x == 0) {
                d.non_private()[0] = 42u;
                inv.atomic_store(f[0], Scope::Device, kReleaseBuffers, 1u);
              } else {
                while (inv.atomic_load(f[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
                }
                s[0] = d.non_private()[0];
              }
            },
            {2}, {1}, data, flag, seen);
        trial.require(seen.read()[0] == 42, "another value");
      },
      100, options);
  CHECK(report.failures.size() > 10);
  for (const SeedFailure& failure : report.failures) {
    REQUIRE(failure.finding);
    CHECK(failure.finding->kind == FindingKind::UninitializedRead);
    CHECK(contains(failure.what, "was never written as far as this read can tell"));
  }
}
