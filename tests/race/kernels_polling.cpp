#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <string>
#include <vector>

#include "tests/device_under_test.h"

using namespace heddle;

namespace {

constexpr std::uint32_t kItems = 192;
constexpr std::uint32_t kInvocations = 16;
constexpr auto kAll = MemorySemantics::UniformMemory | MemorySemantics::WorkgroupMemory;

/// What the synchronization of the kernel has.
template <MemorySemantics load, MemorySemantics store, MemorySemantics barrier>
struct Orders {
  static constexpr MemorySemantics kLoad = load;
  static constexpr MemorySemantics kStore = store;
  static constexpr MemorySemantics kBarrier = barrier;
};

constexpr auto kRightLoad = MemorySemantics::Acquire | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;
constexpr auto kRightStore = MemorySemantics::Release | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable;
constexpr auto kRightBarrier =
    MemorySemantics::AcquireRelease | kAll | MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;

/// Persistent workgroups that wait for the item that theirs needs; no invocation has its elements alone.
constexpr auto polling = [](auto& inv, auto orders, StorageBuffer<std::uint32_t> auto next,
                            StorageBuffer<std::uint32_t> auto done, StorageBuffer<std::uint32_t> auto data_) {
  using Of = decltype(orders);
  auto data = data_.non_private();
  auto item = inv.template workgroup<std::uint32_t[1]>("item");
  const std::uint32_t me = inv.local_invocation_index();
  while (true) {
    if (me == 0) {
      const std::uint32_t mine = inv.atomic_i_add(next[0], Scope::Device, MemorySemantics::None, 1u);
      item[0] = mine;
      if (mine != 0 && mine < kItems)
        while (inv.atomic_load(done[mine / 2], Scope::Device, Of::kLoad) == 0) {
        }
    }
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, Of::kBarrier);
    const std::uint32_t mine = item[0];
    if (mine >= kItems) return;
    data[mine * kInvocations + me] = mine == 0 ? me : data[mine / 2 * kInvocations + (me + 1) % kInvocations] + 1;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kRightBarrier);
    if (me == 0) inv.atomic_store(done[mine], Scope::Device, Of::kStore, 1u);
  }
};

template <typename Of>
std::vector<DataRace> races(Of orders) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.races = true;
  Device device(options);
  auto next = device.buffer(std::vector<std::uint32_t>(1, 0u), "next");
  auto done = device.buffer(std::vector<std::uint32_t>(kItems, 0u), "done");
  auto data = device.buffer<std::uint32_t>(kItems * kInvocations, "data");
  device.dispatch(polling, {4}, {kInvocations}, orders, next, done, data);
  return device.races();
}

}  // namespace

TEST_CASE("a persistent kernel that polls has no race") {
  CHECK(races(Orders<kRightLoad, kRightStore, kRightBarrier>()).empty());
}

//= vk:memory-model-availability-visibility-semantics type=test
TEST_CASE("a persistent kernel has a race if its load acquires for another storage class") {
  constexpr auto kOther = MemorySemantics::Acquire | MemorySemantics::ImageMemory | MemorySemantics::MakeVisible;
  CHECK_FALSE(races(Orders<kOther, kRightStore, kRightBarrier>()).empty());
}

TEST_CASE("a persistent kernel has a race if its load is relaxed, or its store is") {
  CHECK_FALSE(races(Orders<MemorySemantics::None, kRightStore, kRightBarrier>()).empty());
  CHECK_FALSE(races(Orders<kRightLoad, MemorySemantics::None, kRightBarrier>()).empty());
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a persistent kernel has a race if its store makes nothing available, or its load nothing visible") {
  constexpr auto kUnavailable = MemorySemantics::Release | MemorySemantics::UniformMemory;
  constexpr auto kInvisible = MemorySemantics::Acquire | MemorySemantics::UniformMemory;
  CHECK_FALSE(races(Orders<kRightLoad, kUnavailable, kRightBarrier>()).empty());
  CHECK_FALSE(races(Orders<kInvisible, kRightStore, kRightBarrier>()).empty());
}
