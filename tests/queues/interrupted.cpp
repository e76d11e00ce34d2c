#include <catch2/catch.hpp>

#include <heddle/edit.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "tests/how_many.h"
#include "tests/queues/programs.h"

using namespace queue_tests;

namespace {

constexpr std::uint64_t kSeeds = 60;

/// Takes a number from x[0], and keeps it.
constexpr auto kTakesNumbers = [](auto& inv, StorageBuffer<std::uint32_t> auto x,
                                  StorageBuffer<std::uint32_t> auto numbers) {
  numbers[inv.global_invocation_id().x] = inv.atomic_i_add(x[0], Scope::Device, MemorySemantics::Relaxed, 1u);
};
constexpr int kTakesLine = __LINE__ - 2;
/// Each writes what its neighbour has put into the workgroup's memory.
constexpr auto kTurns = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  const auto tile = workgroup<std::uint32_t[kCount]>(inv, "tile");
  const std::uint32_t i = inv.local_invocation_id().x;
  tile[i] = x[i];
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup,
                      MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory);
  x[i] = tile[(i + 1) % kCount];
};

/// Puts 1 into each element of x, and then into the same one of y.
constexpr auto kBoth = [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto y) {
  const std::uint32_t i = inv.global_invocation_id().x;
  x[i] = 1;
  y[i] = 1;
};
/// Takes what the first one writes into y to `first`, and then what it writes into x to `second`.
constexpr auto kLooksAtBoth = [](auto& inv, StorageBuffer<const std::uint32_t> auto x,
                                 StorageBuffer<const std::uint32_t> auto y, StorageBuffer<std::uint32_t> auto first,
                                 StorageBuffer<std::uint32_t> auto second) {
  const std::uint32_t i = inv.global_invocation_id().x;
  first[i] = y[i];
  second[i] = x[i];
};
constexpr auto kRelease = MemorySemantics::Release | MemorySemantics::MakeAvailable | MemorySemantics::UniformMemory;
constexpr auto kAcquire = MemorySemantics::Acquire | MemorySemantics::MakeVisible | MemorySemantics::UniformMemory;
/// Sends its number in x[i] by a flag in x[i + kCount / 2]: half as many as the buffer has elements.
constexpr auto kSends = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  const std::uint32_t i = inv.global_invocation_id().x;
  x[i] = i + 10;
  inv.atomic_store(x[i + kCount / 2], Scope::Device, kRelease, 1u);
};
/// Puts what it was sent into the elements of `got`; 0 where nothing has come.
constexpr auto kReceives = [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto got) {
  const std::uint32_t i = inv.global_invocation_id().x;
  got[i] = inv.atomic_load(x[i + kCount / 2], Scope::Device, kAcquire) == 1u ? x[i] : 0u;
};

/// Devices of all kinds on which kernels take turns: by memory, and by whether they look for races.
LogicalDeviceOptions of_any_kind(std::uint64_t seed, std::vector<QueueFamily> families = {{2}}) {
  LogicalDeviceOptions out = options(Mode::Emulated, seed, std::move(families));
  constexpr std::array kMemories = {"sequential", "random", "adversarial"};
  out.device.memory = memory_policy(kMemories[seed % kMemories.size()]);
  out.device.races = seed % 2 == 0;
  return out;
}

LogicalDeviceOptions with_memory(const char* memory, std::uint64_t seed) {
  LogicalDeviceOptions out = options(Mode::Emulated, seed);
  out.device.memory = memory_policy(memory);
  return out;
}

/// A command buffer with one dispatch, for the host to read.
template <typename Kernel, typename... Args>
CommandBuffer one_dispatch(const LogicalDevice& device, const Kernel& kernel, Args&&... arguments) {
  CommandBuffer commands = device.command_buffer("one dispatch");
  commands.begin();
  commands.dispatch(kernel, {1}, {kCount}, arguments...);
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  return commands;
}

std::vector<std::uint32_t> all_of(const MappedMemory<std::uint32_t>& map) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < map.size(); ++i) out.push_back(map.read(i));
  return out;
}

}  // namespace

TEST_CASE("a kernel that reads what another queue's kernel writes may see a part of it") {
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LogicalDevice device(of_any_kind(seed));
    const auto squares = numbers(device, MemoryProperty::HostCoherent, "squares");
    const auto copies = numbers(device, MemoryProperty::HostCoherent, "copies");
    filled(squares, 9999);
    const auto map = filled(copies, 0);
    device.queue(0, 0).submit2(one_dispatch(device, kSquares, squares.buffer()));
    device.queue(0, 1).submit2(one_dispatch(device, kCopy, squares.buffer(), copies.buffer()));
    device.wait_idle();
    const std::vector<std::uint32_t> found = all_of(map);
    seen.insert(static_cast<std::uint32_t>(std::count(found.begin(), found.end(), 9999u)));
    CHECK(device.races().size() == 1);
  }
  CHECK(seen.count(0) == 1);
  CHECK(seen.count(kCount) == 1);
  CHECK(seen.size() > 2);
}

TEST_CASE("a host that does not wait for a kernel may see a part of what it writes") {
  std::set<std::size_t> seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LogicalDevice device(of_any_kind(seed));
    const auto squares = numbers(device, MemoryProperty::HostCoherent, "squares");
    const auto map = filled(squares, 9999);
    device.queue().submit2(one_dispatch(device, kSquares, squares.buffer()));
    const std::vector<std::uint32_t> found = all_of(map);
    seen.insert(static_cast<std::size_t>(std::count(found.begin(), found.end(), 9999u)));
    device.wait_idle();
    CHECK_FALSE(device.races().empty());
  }
  CHECK(seen.size() > 2);
}

TEST_CASE("two kernels that run at once take each number once, and some take turns") {
  std::uint32_t mixed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LogicalDevice device(of_any_kind(seed));
    const auto counter = numbers(device, MemoryProperty::HostCoherent, "counter");
    const auto first = numbers(device, MemoryProperty::HostCoherent, "first");
    const auto second = numbers(device, MemoryProperty::HostCoherent, "second");
    filled(counter, 0);
    const auto first_map = filled(first, 0);
    const auto second_map = filled(second, 0);
    device.queue(0, 0).submit2(one_dispatch(device, kTakesNumbers, counter.buffer(), first.buffer()));
    device.queue(0, 1).submit2(one_dispatch(device, kTakesNumbers, counter.buffer(), second.buffer()));
    device.wait_idle();
    std::vector<std::uint32_t> found = all_of(first_map);
    mixed += *std::max_element(found.begin(), found.end()) - *std::min_element(found.begin(), found.end()) == kCount - 1
                 ? 0
                 : 1;
    const std::vector<std::uint32_t> others = all_of(second_map);
    found.insert(found.end(), others.begin(), others.end());
    CHECK(std::set<std::uint32_t>(found.begin(), found.end()).size() == 2 * kCount);
    device.require_no_races();
  }
  CHECK(mixed > 0);
}

TEST_CASE("kernels that interrupt each other meet at their own barriers, and have their own workgroup memory") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LogicalDevice device(of_any_kind(seed, {{3}}));
    std::vector<DeviceMemory<std::uint32_t>> memories;
    std::vector<MappedMemory<std::uint32_t>> maps;
    for (std::uint32_t q = 0; q < 3; ++q) {
      memories.push_back(numbers(device, MemoryProperty::HostCoherent, "ring " + std::to_string(q)));
      maps.push_back(memories[q].map());
      for (std::uint32_t i = 0; i < kCount; ++i) maps[q].write(i, 100 * q + i);
    }
    for (std::uint32_t q = 0; q < 3; ++q)
      device.queue(0, q).submit2(one_dispatch(device, kTurns, memories[q].buffer()));
    device.wait_idle();
    for (std::uint32_t q = 0; q < 3; ++q)
      for (std::uint32_t i = 0; i < kCount; ++i) CHECK(maps[q].read(i) == 100 * q + (i + 1) % kCount);
    device.require_no_races();
  }
}

TEST_CASE("kernels of an edited program interrupt each other, and each is as the edit has it") {
  std::uint32_t mixed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    LogicalDeviceOptions with = of_any_kind(seed);
    with.device.edits =
        edits_from_text("scope Workgroup at atomic-update in interrupted.cpp:" + std::to_string(kTakesLine));
    const LogicalDevice device(with);
    const auto counter = numbers(device, MemoryProperty::HostCoherent, "counter");
    const auto first = numbers(device, MemoryProperty::HostCoherent, "first");
    const auto second = numbers(device, MemoryProperty::HostCoherent, "second");
    filled(counter, 0);
    const auto map = filled(first, 0);
    filled(second, 0);
    device.queue(0, 0).submit2(one_dispatch(device, kTakesNumbers, counter.buffer(), first.buffer()));
    device.queue(0, 1).submit2(one_dispatch(device, kTakesNumbers, counter.buffer(), second.buffer()));
    device.wait_idle();
    const std::vector<std::uint32_t> found = all_of(map);
    const auto [least, most] = std::minmax_element(found.begin(), found.end());
    mixed += *most - *least == kCount - 1 ? 0 : 1;
    REQUIRE(device.races().size() == 1);
    CHECK(device.races().front().object == "counter");
  }
  CHECK(mixed > 0);
}

TEST_CASE("a kernel that is wrong ends while others are under way, and they go on") {
  const auto wrong = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    x[inv.global_invocation_id().x] = 1;
    inv.require(inv.global_invocation_id().x != kCount - 1, "this is not the last one");
  };
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LogicalDevice device(of_any_kind(seed));
    const auto first = numbers(device, MemoryProperty::HostCoherent, "first");
    const auto second = numbers(device, MemoryProperty::HostCoherent, "second");
    const auto map = filled(first, 3);
    filled(second, 3);
    const auto run = [&] {
      device.queue(0, 0).submit2(one_dispatch(device, kTwice, first.buffer()));
      device.queue(0, 1).submit2(one_dispatch(device, wrong, second.buffer()));
      device.wait_idle();
    };
    CHECK_THROWS_WITH(run(), Catch::Contains("this is not the last one"));
    device.wait_idle();
    CHECK(map.read(2) == 6);
  }
}

TEST_CASE("a kernel that is under way when its logical device ends is cut off, and its stacks are unwound") {
  std::uint32_t cut = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::uint32_t begun = 0;
    std::uint32_t left = 0;
    std::uint32_t ended = 0;
    {
      const LogicalDevice device(of_any_kind(seed));
      const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
      filled(memory, 1);
      struct Leaves {
        std::uint32_t& count;
        ~Leaves() { ++count; }
      };
      const auto counts = [&](auto& inv, StorageBuffer<std::uint32_t> auto x) {
        ++begun;
        const Leaves leaves{left};
        for (int i = 0; i < 8; ++i) x[inv.global_invocation_id().x] += 2;
        ++ended;
      };
      device.queue().submit2(one_dispatch(device, counts, memory.buffer()));
    }
    CHECK(begun == left);
    cut += begun != ended ? 1 : 0;
  }
  CHECK(cut > 0);
}

namespace {

std::uint64_t turn_seeds() {
  return how_many("HEDDLE_TURN_SEEDS", 300, 10'000);
}

/// Whether the second kernel, on another queue, finds the second write of the first one and not its first write.
bool is_out_of_order(const LogicalDevice& device) {
  const auto x = numbers(device, MemoryProperty::HostCoherent, "x");
  const auto y = numbers(device, MemoryProperty::HostCoherent, "y");
  const auto first = numbers(device, MemoryProperty::HostCoherent, "first");
  const auto second = numbers(device, MemoryProperty::HostCoherent, "second");
  filled(x, 0);
  filled(y, 0);
  const auto first_map = filled(first, 0);
  const auto second_map = filled(second, 0);
  device.queue(0, 0).submit2(one_dispatch(device, kBoth, x.buffer(), y.buffer()));
  device.queue(0, 1).submit2(
      one_dispatch(device, kLooksAtBoth, x.buffer(), y.buffer(), first.buffer(), second.buffer()));
  device.wait_idle();
  bool out = false;
  for (std::uint32_t i = 0; i < kCount; ++i) out = out || (first_map.read(i) == 1 && second_map.read(i) == 0);
  return out;
}

std::uint64_t out_of_order(const char* memory, std::uint64_t seeds) {
  std::uint64_t out = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) out += is_out_of_order(LogicalDevice(with_memory(memory, seed)));
  return out;
}

}  // namespace

TEST_CASE(
    "weak memory shows a kernel the writes of another queue's kernel out of their order, and sequential does not") {
  CHECK(out_of_order("random", 300) > 0);
  CHECK(out_of_order("sequential", 100) == 0);
}

TEST_CASE("a host that does not wait sees the writes of a kernel out of their order on weak memory") {
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const LogicalDevice device(with_memory("random", seed));
    const auto x = numbers(device, MemoryProperty::HostCoherent, "x");
    const auto y = numbers(device, MemoryProperty::HostCoherent, "y");
    const auto x_map = filled(x, 0);
    const auto y_map = filled(y, 0);
    device.queue().submit2(one_dispatch(device, kBoth, x.buffer(), y.buffer()));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const std::uint32_t second = y_map.read(i);
      if (second == 1 && x_map.read(i) == 0) ++found;
    }
    device.wait_idle();
  }
  CHECK(found > 0);
}

TEST_CASE("what a kernel releases to another queue's kernel, which acquires it, is there on each memory") {
  std::uint32_t received = 0;
  for (std::uint64_t seed = 1; seed <= turn_seeds(); ++seed) {
    const LogicalDevice device(of_any_kind(seed));
    const auto x = numbers(device, MemoryProperty::HostCoherent, "x");
    const auto got = numbers(device, MemoryProperty::HostCoherent, "got");
    filled(x, 0);
    const auto map = filled(got, 0);
    const auto dispatch = [&](const auto& kernel, auto&&... arguments) {
      CommandBuffer commands = device.command_buffer("half of them");
      commands.begin();
      commands.dispatch(kernel, {kCount / 4}, {2}, arguments...);
      commands.pipeline_barrier2(kComputeToHost);
      commands.end();
      return commands;
    };
    device.queue(0, 0).submit2(dispatch(kSends, x.buffer()));
    device.queue(0, 1).submit2(dispatch(kReceives, x.buffer(), got.buffer()));
    device.wait_idle();
    for (std::uint32_t i = 0; i < kCount / 2; ++i) {
      const std::uint32_t found = map.read(i);
      received += found == 0 ? 0 : 1;
      if (found != 0 && found != i + 10) FAIL("seed " << seed << ": " << found << " in place of " << i + 10);
    }
    device.require_no_races();
    device.device().require_no_races();
  }
  CHECK(received > 0);
}

TEST_CASE("kernels with a semaphore between them are clean on each memory while another one is under way") {
  for (std::uint64_t seed = 1; seed <= turn_seeds(); ++seed) {
    const LogicalDevice device(of_any_kind(seed, {{3}}));
    const auto x = numbers(device, MemoryProperty::HostCoherent, "x");
    const auto copy = numbers(device, MemoryProperty::HostCoherent, "copy");
    const auto other = numbers(device, MemoryProperty::HostCoherent, "other");
    filled(x, 3);
    const auto map = filled(copy, 0);
    const auto other_map = filled(other, 5);
    const Semaphore ready = device.semaphore("ready");
    device.queue(0, 2).submit2(one_dispatch(device, kTurns, other.buffer()));
    device.queue(0, 0).submit2(
        {{.command_buffers = {one_dispatch(device, kSquares, x.buffer())}, .signal_semaphores = {{ready}}}});
    device.queue(0, 1).submit2(
        {{.wait_semaphores = {{ready}}, .command_buffers = {one_dispatch(device, kCopy, x.buffer(), copy.buffer())}}});
    device.wait_idle();
    for (std::uint32_t i = 0; i < kCount; ++i) {
      if (map.read(i) != i * i) FAIL("seed " << seed << ", element " << i << ": " << map.read(i));
      CHECK(other_map.read(i) == 5);
    }
    device.require_no_races();
    device.device().require_no_races();
  }
}

TEST_CASE("races inside of kernels that take turns are the device's, each once") {
  const auto races = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[0] = inv.global_invocation_id().x; };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    LogicalDeviceOptions wanted = options(Mode::Emulated, seed);
    wanted.device.races = true;
    const LogicalDevice device(wanted);
    const auto first = numbers(device, MemoryProperty::HostCoherent, "first");
    const auto second = numbers(device, MemoryProperty::HostCoherent, "second");
    device.queue(0, 0).submit2(one_dispatch(device, races, first.buffer()));
    device.queue(0, 1).submit2(one_dispatch(device, races, second.buffer()));
    device.wait_idle();
    CHECK(device.races().empty());
    CHECK(device.device().races().size() == 1);
  }
}
