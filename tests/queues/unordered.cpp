// Dispatches that no dependency orders: each can come first, and the result of each wrong order shows under some seed.
#include <catch2/catch.hpp>

#include <array>

#include "tests/queues/programs.h"

using namespace queue_tests;

namespace {

constexpr auto kOne = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[inv.global_invocation_id().x] = 1; };
constexpr auto kTwo = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[inv.global_invocation_id().x] = 2; };

/// What the two dispatches do to the memory that both access, in the order in which they are recorded.
enum class Pair : std::uint8_t { WriteRead, ReadWrite, WriteWrite };

/// Whether the result is that of the order in which the dispatches were recorded.
bool is_as_recorded(const LogicalDevice& device, Pair pair, bool has_barrier) {
  const auto shared = numbers(device, MemoryProperty::HostCoherent, "shared");
  const auto copy = numbers(device, MemoryProperty::HostCoherent, "copy");
  const auto map = filled(shared, 7);
  const auto copied = filled(copy, 7);
  CommandBuffer commands = device.command_buffer("two");
  commands.begin();
  if (pair == Pair::ReadWrite) {
    commands.dispatch(kCopy, {1}, {kCount}, read_only(shared.buffer()), copy.buffer());
  } else {
    commands.dispatch(kOne, {1}, {kCount}, shared.buffer());
  }
  if (has_barrier) commands.pipeline_barrier2(kComputeToCompute);
  if (pair == Pair::WriteRead) {
    commands.dispatch(kCopy, {1}, {kCount}, read_only(shared.buffer()), copy.buffer());
  } else {
    commands.dispatch(kTwo, {1}, {kCount}, shared.buffer());
  }
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  const Fence fence = device.fence("done");
  device.queue(0, 0).submit2(commands, fence);
  fence.wait();
  CHECK(device.races().empty() == has_barrier);
  if (pair == Pair::WriteWrite) return map.read(3) == 2;
  return copied.read(3) == (pair == Pair::WriteRead ? 1 : 7);
}

/// The first seed under which it is not; 0 if there is none among so many.
std::uint64_t first_other_order(Pair pair, bool has_barrier, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    if (!is_as_recorded(LogicalDevice(options(Mode::Emulated, seed)), pair, has_barrier)) return seed;
  return 0;
}

constexpr std::array kPairs = {Pair::WriteRead, Pair::ReadWrite, Pair::WriteWrite};

}  // namespace

TEST_CASE("a dispatch that should wait for another one, and does not, has a wrong result within 1,000 seeds") {
  for (const Pair pair : kPairs) {
    CAPTURE(static_cast<int>(pair));
    CHECK(first_other_order(pair, false, 1000) != 0);
  }
}

TEST_CASE("a dispatch that waits for another one by a barrier is never wrong") {
  for (const Pair pair : kPairs) {
    CAPTURE(static_cast<int>(pair));
    CHECK(first_other_order(pair, true, 200) == 0);
  }
}
