#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <cmath>

#include "emulator/race/radix_tree.h"

using namespace heddle;
using heddle::race::radix_tree_work;
using heddle::race::RadixTreeWork;

namespace {

DeviceOptions racing() {
  DeviceOptions options;
  options.races = true;
  return options;
}

/// What the clocks of the detector did while f ran.
template <typename F>
RadixTreeWork work_of(F f) {
  radix_tree_work.steps = 0;
  radix_tree_work.most_bytes = radix_tree_work.bytes;
  const std::int64_t before = radix_tree_work.bytes;
  f();
  RadixTreeWork work = radix_tree_work;
  work.most_bytes -= before;
  REQUIRE(work.steps > 0);
  return work;
}

/// Each of a workgroup makes a fence, and the last one an atomic, as in a look-back.
RadixTreeWork fences_by_all(std::uint32_t size) {
  Device device(racing());
  auto flags = device.buffer(std::vector<std::uint32_t>(2, 0u), "flags");
  return work_of([&] {
    device.dispatch(
        [=](auto& inv, StorageBuffer<std::uint32_t> auto f) {
          const std::uint32_t g = inv.workgroup_id().x, i = inv.local_invocation_index();
          for (std::uint32_t r = 0; r < 4; ++r) {
            inv.memory_barrier(Scope::Device, kBufferBarrier);
            if (i == size - 1) inv.atomic_store(f[g], Scope::Device, MemorySemantics::Relaxed, r);
            if (i == size - 1 && g > 0) inv.atomic_load(f[g - 1], Scope::Device, MemorySemantics::Relaxed);
            inv.workgroup_barrier();
          }
        },
        {2}, {size}, flags);
    CHECK(device.races().empty());
  });
}

/// Each subgroup of a workgroup meets at barriers of its own.
RadixTreeWork subgroup_barriers(std::uint32_t size, std::uint32_t times) {
  Device device(racing());
  return work_of([&] {
    device.dispatch(
        [=](auto& inv) {
          auto x = workgroup<float[256]>(inv, "x");
          const std::uint32_t i = inv.local_invocation_index();
          for (std::uint32_t k = 0; k < times; ++k) {
            x[i] = float(k);
            inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
          }
        },
        {4}, {size});
    CHECK(device.races().empty());
  });
}

/// Each of `groups` workgroups of 16 takes a lock three times, and adds to what it guards.
RadixTreeWork polled_lock(std::uint32_t groups) {
  DeviceOptions options = racing();
  options.seed = 8;
  options.resident_workgroups = 2;
  Device device(options);
  auto lock = device.buffer(std::vector<std::uint32_t>(1, 0u), "lock");
  auto sum = device.buffer(std::vector<std::uint32_t>(1, 0u), "sum");
  return work_of([&] {
    device.dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto l, StorageBuffer<std::uint32_t> auto s) {
          constexpr MemorySemantics kTake =
              MemorySemantics::Acquire | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;
          constexpr MemorySemantics kGive =
              MemorySemantics::Release | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable;
          for (std::uint32_t round = 0; round < 3; ++round) {
            while (inv.atomic_compare_exchange(l[0], Scope::Device, kTake, kTake, 1u, 0u) != 0) {
            }
            s.non_private()[0] += 1u;
            inv.atomic_store(l[0], Scope::Device, kGive, 0u);
          }
        },
        {groups}, {16}, lock, sum);
    CHECK(device.races().empty());
    CHECK(sum.read()[0] == groups * 48);
  });
}

/// Each invocation updates one word between two fences.
RadixTreeWork word_between_fences(std::uint32_t groups) {
  constexpr std::uint32_t kSize = 128;
  Device device(racing());
  auto word = device.buffer(std::vector<std::uint32_t>(1, 0u), "word");
  return work_of([&] {
    device.dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto w) {
          inv.memory_barrier(Scope::Device, kBufferBarrier);
          inv.atomic_i_add(w[0], Scope::Device, MemorySemantics::Relaxed, 1u);
          inv.memory_barrier(Scope::Device, kBufferBarrier);
        },
        {groups}, {kSize}, word);
    CHECK(device.races().empty());
    CHECK(word.read()[0] == groups * kSize);
  });
}

/// Whether twice as much does, and needs at a time, less than 2^exponent times of it.
bool grows_less(const RadixTreeWork& once, const RadixTreeWork& twice, double exponent) {
  UNSCOPED_INFO("steps " << once.steps << " and " << twice.steps << ", bytes " << once.most_bytes << " and "
                         << twice.most_bytes);
  const auto grows = [&](auto a, auto b) {
    return static_cast<double>(b) < std::exp2(exponent) * static_cast<double>(a);
  };
  return grows(once.steps, twice.steps) && grows(once.most_bytes, twice.most_bytes);
}

}  // namespace

TEST_CASE("memory barriers by all invocations of a workgroup cost far less than the square of how many these are") {
  RadixTreeWork last = fences_by_all(64);
  for (const std::uint32_t size : {128u, 256u, 512u}) {
    const RadixTreeWork work = fences_by_all(size);
    CHECK(grows_less(last, work, 1.5));
    last = work;
  }
}

TEST_CASE("barriers of subgroups cost in proportion to how many subgroups there are, and how many barriers") {
  CHECK(grows_less(subgroup_barriers(64, 12), subgroup_barriers(128, 12), 1.1));
  CHECK(grows_less(subgroup_barriers(128, 12), subgroup_barriers(256, 12), 1.1));
  CHECK(grows_less(subgroup_barriers(64, 24), subgroup_barriers(64, 48), 1.1));
}

// Each access needs the releases and acquires of all who had the lock before.
TEST_CASE("a lock that many invocations of several workgroups poll costs in proportion to how often it is taken") {
  CHECK(grows_less(polled_lock(5), polled_lock(10), 1.2));
  CHECK(grows_less(polled_lock(10), polled_lock(20), 1.2));
}

// All that read the word see all releases so far, none of which knows of another: each is looked at once by each.
TEST_CASE("a word between fences costs no more than the square of how many invocations update it") {
  CHECK(grows_less(word_between_fences(2), word_between_fences(4), 2));
  CHECK(grows_less(word_between_fences(4), word_between_fences(8), 2));
}
