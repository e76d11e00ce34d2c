#include <catch2/catch.hpp>

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <string>
#include <vector>

#include "tests/edits/tried.h"

using namespace heddle;
using heddle::test::check_clean_with;
using heddle::test::check_first;
using heddle::test::report_of;

// More programs after faults/ of the shared cases: the first change is the one that their heads name, or one that mends
// as well.

namespace {

using U32 = std::uint32_t;
constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

}  // namespace

TEST_CASE("an element that is added to another one is no update: one atomic is not offered") {
  const auto test = [](Trial& trial) {
    trial.device().dispatch(
        [](auto& inv) {
          auto x = workgroup<U32[64]>(inv, "x");
          const auto i = inv.local_invocation_index();
          x[i] = i;
          inv.workgroup_barrier();
          if (i % 32 != 0) x[i] += inv.group_non_uniform_shuffle(U32(x[i - 1]), 1);
        },
        {1}, {64});
  };
  const RaceReport report = report_of(test);
  REQUIRE_FALSE(report.races.empty());
  INFO(to_string(report.races.front()));
  for (const std::string& change : report.races.front().changes)
    CHECK(change.find("one atomic read-modify-write") == std::string::npos);
  if (report.races.front().changes.empty()) CHECK_FALSE(report.races.front().no_change.empty());
}

TEST_CASE("bins that the first set to zero and all count take a barrier between the two, in their order") {
  const auto test = [](Trial& trial) {
    auto out_buffer = trial.device().buffer(std::vector<U32>(64, 0u), "out");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<U32> auto out) {
          auto bins = workgroup<U32[8]>(inv, "bins");
          const auto i = inv.local_invocation_index();
          if (i < 8) bins[i] = 0u;
          inv.atomic_i_increment(bins[i % 8], Scope::Workgroup, kRelaxed);
          inv.workgroup_barrier();
          if (i < 8) out[i] = bins[i];
        },
        {1}, {64}, out_buffer);
  };
  check_first(test, {"between line " + std::to_string(__LINE__ - 7) + " and line " + std::to_string(__LINE__ - 6)});
}

TEST_CASE("what is handed on within a workgroup is released and acquired, by no barrier") {
  const auto test = [](Trial& trial) {
    auto ready_buffer = trial.device().buffer(std::vector<U32>(2, 0), "ready");
    auto x_buffer = trial.device().buffer(std::vector<U32>(2, 0), "x");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<U32> auto ready, StorageBuffer<U32> auto x) {
          const U32 i = inv.global_invocation_id().x;
          U32 sum = 1;
          if (i > 0) {
            while (inv.atomic_load(ready[i - 1], Scope::Device, kRelaxed) == 0) {
            }
            sum += x.non_private()[i - 1];
          }
          x.non_private()[i] = sum;
          inv.atomic_store(ready[i], Scope::Device, kRelaxed, 1u);
        },
        {1}, {2}, ready_buffer, x_buffer);
  };
  check_first(test, {"Release"});
}

TEST_CASE("a plain read that seeds a compare-exchange of elected lanes becomes atomic") {
  const auto test = [](Trial& trial) {
    trial.device().dispatch(
        [](auto& inv) {
          auto sum = workgroup<U32>(inv, "sum", kZeroed);
          if (inv.group_non_uniform_elect()) {
            U32 seen = 0;
            U32 old = 0;
            do {
              seen = inv.load(sum);
              old = inv.atomic_compare_exchange(sum, Scope::Workgroup, kRelaxed, kRelaxed, seen + 1, seen);
            } while (old != seen);
          }
        },
        {1}, {64});
  };
  check_first(test, {"make the read in line " + std::to_string(__LINE__ - 7) + " atomic"});
}

TEST_CASE("the last steps of a sum that are left to one subgroup take barriers of the subgroup") {
  const auto test = [](Trial& trial) {
    auto out_buffer = trial.device().buffer<U32>(1, "out");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<U32> auto out) {
          auto sums = workgroup<U32[64]>(inv, "sums");
          const U32 me = inv.local_invocation_index();
          sums[me] = 1u;
          inv.workgroup_barrier();
          if (me < 32) {
            for (U32 shift = 32; shift > 0; shift /= 2)
              if (me < shift) sums[me] += sums[me + shift];
          }
          if (me == 0) out[0] = sums[0];
        },
        {1}, {64}, out_buffer);
  };
  const RaceReport report = report_of(test);
  REQUIRE_FALSE(report.races.empty());
  INFO(to_string(report.races.front()));
  REQUIRE_FALSE(report.races.front().changes.empty());
  CHECK(report.races.front().changes.front().find("Scope::Workgroup") == std::string::npos);
}

TEST_CASE("a barrier of subgroups where one of the workgroup is needed is widened") {
  const auto test = [](Trial& trial) {
    auto y_buffer = trial.device().buffer<U32>(64, "y");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<U32> auto y) {
          auto tile = workgroup<U32[64]>(inv, "tile");
          const auto me = inv.local_invocation_index();
          tile[me] = me;
          inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
          y[me] = tile[63 - me];
        },
        {1}, {64}, y_buffer);
  };
  check_first(test, {"widen the execution scope"});
}

TEST_CASE("a line that reads what others write in it is parted by barriers") {
  const auto test = [](Trial& trial) {
    auto out_buffer = trial.device().buffer<U32>(1, "out");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<U32> auto out) {
          auto t = workgroup<U32[64]>(inv, "t");
          const auto i = inv.local_invocation_index();
          t[i] = i;
          t[i + 32] = i;
          inv.workgroup_barrier();
          for (U32 h = 32; h > 0; h /= 2) {
            t[i] += t[i + h];
          }
          if (i == 0) out[0] = t[0];
        },
        {1}, {32}, out_buffer);
  };
  check_first(test, {"part the read and the write"});
}

TEST_CASE("a flag behind a barrier of the workgroup releases") {
  const auto test = [](Trial& trial) {
    auto data_buffer = trial.device().buffer(std::vector<U32>(16, 0), "data");
    auto flag_buffer = trial.device().buffer<U32>({0u}, "flag");
    auto out_buffer = trial.device().buffer(std::vector<U32>(8, 0), "out");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flag, StorageBuffer<U32> auto out) {
          auto x = data.non_private();
          const auto i = inv.local_invocation_index();
          if (inv.workgroup_id().x == 0) {
            for (auto k = i; k < 16; k += 8) x[k] = k + 1;
            inv.workgroup_barrier(kWorkgroupBarrier | kBufferBarrier);
            if (i == 0) inv.atomic_store(flag[0], Scope::Device, kRelaxed, 1u);
          } else {
            if (i == 0)
              while (inv.atomic_load(flag[0], Scope::Device, kAcquireBuffers) == 0) {
              }
            inv.workgroup_barrier(kWorkgroupBarrier | kBufferBarrier);
            out[i] = x[15 - i];
          }
        },
        {2}, {8}, data_buffer, flag_buffer, out_buffer);
  };
  check_first(test, {"Release"});
}

TEST_CASE("a counter that releases the data and does not acquire does both") {
  const auto test = [](Trial& trial) {
    auto data_buffer = trial.device().buffer(std::vector<U32>(2, 0), "data");
    auto arrived_buffer = trial.device().buffer<U32>({0u}, "arrived");
    auto total_buffer = trial.device().buffer<U32>({0u}, "total");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto arrived, StorageBuffer<U32> auto total) {
          data.non_private()[inv.workgroup_id().x] = 1u;
          const U32 before = inv.atomic_i_increment(arrived[0], Scope::Device, kReleaseBuffers);
          if (before == 1) total[0] = data.non_private()[0] + data.non_private()[1];
        },
        {2}, {1}, data_buffer, arrived_buffer, total_buffer);
  };
  check_first(test, {"AcquireRelease"});
  CHECK_THAT(report_of(test).races.front().reason, Catch::Contains("but it does not acquire"));
}

TEST_CASE("what is counted by atomics and read by one takes a barrier between the two") {
  const auto test = [](Trial& trial) {
    auto out_buffer = trial.device().buffer<U32>({0u}, "out");
    trial.device().dispatch(
        [](auto& inv, StorageBuffer<U32> auto out) {
          auto n = workgroup<U32>(inv, "n", kZeroed);
          if (inv.group_non_uniform_elect()) inv.atomic_i_add(n, Scope::Workgroup, kRelaxed, 1u);
          if (inv.local_invocation_index() == 0) out[0] = inv.load(n);
        },
        {1}, {64}, out_buffer);
    trial.require(out_buffer.read()[0] == 2, "both have counted");
  };
  const RaceReport report = report_of(test);
  REQUIRE_FALSE(report.races.empty());
  INFO(to_string(report.races.front()));
  REQUIRE_FALSE(report.races.front().changes.empty());
  CHECK_THAT(report.races.front().changes.front(), Catch::Contains("put a control barrier"));
}
