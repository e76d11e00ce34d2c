#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

#include "tests/queues/programs.h"

using namespace queue_tests;

namespace {

constexpr std::uint64_t kSeeds = 60;

/// Takes a number from x[0], and keeps it.
constexpr auto kTakesNumbers = [](auto& inv, StorageBuffer<std::uint32_t> auto x,
                                  StorageBuffer<std::uint32_t> auto numbers) {
  numbers[inv.global_invocation_id().x] = inv.atomic_i_add(x[0], Scope::Device, MemorySemantics::Relaxed, 1u);
};
/// Each writes what its neighbour has put into the workgroup's memory.
constexpr auto kTurns = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  const auto tile = workgroup<std::uint32_t[kCount]>(inv, "tile");
  const std::uint32_t i = inv.local_invocation_id().x;
  tile[i] = x[i];
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup,
                      MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory);
  x[i] = tile[(i + 1) % kCount];
};

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
    const LogicalDevice device(options(Mode::Emulated, seed));
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
    const LogicalDevice device(options(Mode::Emulated, seed));
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
    const LogicalDevice device(options(Mode::Emulated, seed));
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
    const LogicalDevice device(options(Mode::Emulated, seed, {{3}}));
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

TEST_CASE("a kernel that is wrong ends while others are under way, and they go on") {
  const auto wrong = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    x[inv.global_invocation_id().x] = 1;
    inv.require(inv.global_invocation_id().x != kCount - 1, "this is not the last one");
  };
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LogicalDevice device(options(Mode::Emulated, seed));
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
      const LogicalDevice device(options(Mode::Emulated, seed));
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
