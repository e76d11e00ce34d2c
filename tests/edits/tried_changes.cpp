#include <catch2/catch.hpp>

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <string>
#include <vector>

#include "tests/edits/tried.h"

using namespace heddle;
using heddle::test::check_first;
using heddle::test::quiet;

// Programs after faults/ of the shared cases, each of which had a change that did not mend it.

namespace {

constexpr MemorySemantics kFence = MemorySemantics::AcquireRelease | MemorySemantics::ImageMemory |
                                   MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;

}  // namespace

TEST_CASE("a conditional write that all read behind it is mended by a barrier between the two, in their order") {
  const auto test = [](Trial& trial) {
    auto y_buffer = trial.device().buffer<std::uint32_t>(64, "y");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto y) {
          auto last = workgroup<std::uint32_t>(inv, "last", kZeroed);
          const auto me = inv.local_invocation_index();
          if (me == 0) last = 1u;
          y[me] = inv.load(last);
        },
        {1}, {64}, y_buffer);
  };
  check_first(test, {"between line " + std::to_string(__LINE__ - 5) + " and line " + std::to_string(__LINE__ - 4)});
}

TEST_CASE("a critical section is mended by its lock, not by a barrier in it") {
  const auto test = [](Trial& trial) {
    auto lock_buffer = trial.device().buffer<std::uint32_t>({0u}, "lock");
    auto x_buffer = trial.device().buffer<std::uint32_t>({0u}, "x");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto lock, StorageBuffer<std::uint32_t> auto x) {
          auto shared = x.non_private();
          if (inv.atomic_compare_exchange(lock[0], Scope::Device, MemorySemantics::Relaxed, MemorySemantics::Relaxed,
                                          1u, 0u) == 0) {
            const std::uint32_t old = shared[0];
            shared[0] = old + 1;
            inv.atomic_exchange(lock[0], Scope::Device, MemorySemantics::Relaxed, 0u);
          }
        },
        {1}, {2}, lock_buffer, x_buffer);
  };
  check_first(test, {"AcquireRelease", "Release"});
}

TEST_CASE("a block that signs off before all of it wrote waits for it") {
  const auto test = [](Trial& trial) {
    auto sum_buffer = trial.device().buffer(std::vector<std::uint32_t>(4, 0), "sums");
    auto retired_buffer = trial.device().buffer<std::uint32_t>({0u}, "retired");
    auto total_buffer = trial.device().buffer<std::uint32_t>({0u}, "total");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto sums, StorageBuffer<std::uint32_t> auto retired,
           StorageBuffer<std::uint32_t> auto total) {
          const std::uint32_t me = inv.local_invocation_index();
          sums.non_private()[inv.global_invocation_id().x] = 1u;
          if (me == 0) {
            inv.memory_barrier(Scope::Device, kBufferBarrier);
            const std::uint32_t before = inv.atomic_i_increment(retired[0], Scope::Device, MemorySemantics::Relaxed);
            inv.memory_barrier(Scope::Device, kBufferBarrier);
            if (before == 1) total[0] = sums.non_private()[0] + sums.non_private()[1] + sums.non_private()[2];
          }
        },
        {2}, {2}, sum_buffer, retired_buffer, total_buffer);
  };
  check_first(test, {"control barrier"});
}

TEST_CASE("a plain look before a compare-exchange becomes atomic") {
  const auto test = [](Trial& trial) {
    auto most_buffer = trial.device().buffer<std::uint32_t>({0u}, "most");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto most) {
          std::uint32_t old = most.non_private()[0];
          const std::uint32_t mine = inv.global_invocation_id().x + 1;
          while (old < mine)
            old = inv.atomic_compare_exchange(most[0], Scope::Device, MemorySemantics::Relaxed,
                                              MemorySemantics::Relaxed, mine, old);
        },
        {2}, {2}, most_buffer);
  };
  check_first(test, {"atomic"});
}

TEST_CASE("a counter that releases and does not acquire does both") {
  const auto test = [](Trial& trial) {
    auto sum_buffer = trial.device().buffer<std::uint32_t>({0u, 0u}, "sum");
    auto arrived_buffer = trial.device().buffer<std::uint32_t>({0u}, "arrived");
    auto total_buffer = trial.device().buffer<std::uint32_t>({0u}, "total");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto sum, StorageBuffer<std::uint32_t> auto arrived,
           StorageBuffer<std::uint32_t> auto total) {
          for (std::uint32_t bin = 0; bin < 2; ++bin)
            inv.atomic_i_add(sum[bin], Scope::Device, MemorySemantics::Relaxed, 1u);
          const std::uint32_t before = inv.atomic_i_increment(arrived[0], Scope::Device, kReleaseBuffers);
          if (before == 1) total[0] = sum.non_private()[0] + sum.non_private()[1];
        },
        {2}, {1}, sum_buffer, arrived_buffer, total_buffer);
  };
  check_first(test, {"AcquireRelease"});
}

TEST_CASE("fences go by a counter only with its class") {
  const auto test = [](Trial& trial) {
    auto image_buffer = trial.device().image<std::uint32_t, ImageDim::Dim1D>({2}, "image");
    image_buffer.write(std::vector<std::uint32_t>(2, 0));
    auto counter_buffer = trial.device().buffer<std::uint32_t>({0u}, "counter");
    auto out_buffer = trial.device().buffer<std::uint32_t>(1, "out");
    trial.device().dispatch(
        [](auto& inv, StorageImage<std::uint32_t, ImageDim::Dim1D> auto image,
           StorageBuffer<std::uint32_t> auto counter, StorageBuffer<std::uint32_t> auto out) {
          auto mip = image.non_private();
          mip.write(static_cast<std::int32_t>(inv.workgroup_id().x), 1u);
          inv.memory_barrier(Scope::Device, kFence);
          const std::uint32_t before = inv.atomic_i_increment(counter[0], Scope::Device, MemorySemantics::Relaxed);
          inv.memory_barrier(Scope::Device, kFence);
          if (before == 1) out[0] = mip.read(0) + mip.read(1);
        },
        {2}, {1}, image_buffer, counter_buffer, out_buffer);
  };
  check_first(test, {"UniformMemory"});
}

TEST_CASE("a write after a read of the dispatch before takes an execution dependency alone") {
  const auto test = [](Trial& trial) {
    auto x_buffer = trial.device().buffer(std::vector<std::uint32_t>(4, 1), "x");
    auto y_buffer = trial.device().buffer(std::vector<std::uint32_t>(4, 1), "y");
    trial.device().submit([&](Commands& commands) {
      commands.dispatch(
          [](auto& inv, StorageBuffer<const std::uint32_t> auto from, StorageBuffer<std::uint32_t> auto to) {
            to[inv.global_invocation_id().x] = from[3 - inv.global_invocation_id().x];
          },
          {1}, {4}, read_only(x_buffer), y_buffer);
      commands.dispatch([](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[inv.global_invocation_id().x] = 9u; },
                        {1}, {4}, x_buffer);
    });
  };
  check_first(test, {"execution dependency"});
}

TEST_CASE("nothing is tried where the time for it is 0, and the changes of the recorded run are there") {
  SeedOptions options = quiet();
  options.change_budget = std::chrono::milliseconds(0);
  const RaceReport report =
      explore_seeds(
          [](Trial& trial) {
            auto x_buffer = trial.device().buffer<std::uint32_t>({0u}, "x");
            trial.device().dispatch([](auto&, StorageBuffer<std::uint32_t> auto x) { x[0] += 1u; }, {1}, {2}, x_buffer);
          },
          5, options)
          .races;
  REQUIRE(report.races.size() == 1);
  CHECK(report.races[0].tried_runs == 0);
  CHECK_FALSE(report.races[0].changes.empty());
  CHECK(report.together.empty());
}
