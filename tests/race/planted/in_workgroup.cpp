// Algorithms in which the invocations of a workgroup meet at barriers.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "tests/race/planted/planted.h"

using namespace heddle;
using namespace heddle::planted;

namespace {

constexpr std::uint32_t kGroup = 16;
constexpr std::uint32_t kGroups = 2;
constexpr std::uint32_t kSize = kGroup * kGroups;

std::vector<std::uint32_t> numbers(std::uint32_t count) {
  std::vector<std::uint32_t> made(count);
  for (std::uint32_t i = 0; i < count; ++i) made[i] = i * 7919 % 101;
  return made;
}

constexpr auto meet = [](auto& inv, Bug bug) {
  inv.control_barrier(Scope::Workgroup, barrier_scope(bug), barrier_semantics(bug));
};

constexpr auto reduce = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                           StorageBuffer<std::uint32_t> auto sums, Bug bug) {
  auto tile = inv.template workgroup<std::uint32_t[kGroup]>("tile");
  const std::uint32_t me = inv.local_invocation_index();
  tile[me] = in[inv.global_invocation_id().x];
  if (bug != Bug::BarrierRemoved) meet(inv, bug);
  const std::uint32_t first = bug == Bug::OffByOne ? kGroup : kGroup / 2;
  for (std::uint32_t half = first; half > 0; half /= 2) {
    if (me < half) tile[me] += tile[me + half];
    if (bug != Bug::SecondBarrierRemoved) meet(inv, bug);
  }
  if (me == 0) sums[inv.workgroup_id().x] = tile[0];
};

bool run_reduce(Device& device, Bug bug) {
  const std::vector<std::uint32_t> values = numbers(kSize);
  auto in = device.buffer(values, "in");
  auto sums = device.buffer(std::vector<std::uint32_t>(kGroups, 0), "sums");
  device.dispatch(reduce, kGroups, kGroup, read_only(in), sums, bug);
  const auto found = sums.read();
  return std::accumulate(found.begin(), found.end(), 0u) == std::accumulate(values.begin(), values.end(), 0u);
}

constexpr auto scan = [](auto& inv, StorageBuffer<const std::uint32_t> auto in, StorageBuffer<std::uint32_t> auto out,
                         Bug bug) {
  auto sums = inv.template workgroup<std::uint32_t[2][kGroup]>("sums");
  const std::uint32_t me = inv.local_invocation_index();
  std::uint32_t mine = in[me];
  std::uint32_t half = 0;
  for (std::uint32_t distance = 1; distance < kGroup; distance *= 2) {
    sums[half][me] = mine;
    if (bug != Bug::BarrierRemoved) meet(inv, bug);
    if (me >= distance || bug == Bug::GuardRemoved) mine += sums[half][me - distance];
    if (bug != Bug::InPlace) half = 1 - half;
  }
  out[me] = mine;
};

bool run_scan(Device& device, Bug bug) {
  std::vector<std::uint32_t> values = numbers(kGroup);
  auto in = device.buffer(values, "in");
  auto out = device.buffer(std::vector<std::uint32_t>(kGroup, 0), "out");
  device.dispatch(scan, 1, kGroup, read_only(in), out, bug);
  std::partial_sum(values.begin(), values.end(), values.begin());
  return out.read() == values;
}

constexpr auto bitonic_sort = [](auto& inv, StorageBuffer<std::uint32_t> auto values, Bug bug) {
  auto block = inv.template workgroup<std::uint32_t[2 * kGroup]>("block");
  const std::uint32_t me = inv.local_invocation_index();
  block[me] = values[me];
  block[me + kGroup] = values[me + kGroup];
  for (std::uint32_t run = 2; run <= 2 * kGroup; run *= 2) {
    for (std::uint32_t distance = run / 2; distance > 0; distance /= 2) {
      if (bug != Bug::BarrierRemoved) meet(inv, bug);
      const std::uint32_t low = 2 * (me / distance * distance) + me % distance;
      const std::uint32_t a = block[low], b = block[low + distance];
      if ((a > b) != ((low & run) == 0)) continue;
      block[low] = b;
      block[low + distance] = a;
    }
  }
  if (bug != Bug::SecondBarrierRemoved) meet(inv, bug);
  values[me] = block[me];
  values[me + kGroup] = block[me + kGroup];
};

bool run_bitonic_sort(Device& device, Bug bug) {
  std::vector<std::uint32_t> values = numbers(2 * kGroup);
  auto buffer = device.buffer(values, "values");
  device.dispatch(bitonic_sort, 1, kGroup, buffer, bug);
  std::sort(values.begin(), values.end());
  return buffer.read() == values;
}

constexpr std::uint32_t kTile = 4;
constexpr std::uint32_t kSide = 8;

constexpr auto matmul = [](auto& inv, StorageBuffer<const std::uint32_t> auto a,
                           StorageBuffer<const std::uint32_t> auto b, StorageBuffer<std::uint32_t> auto c, Bug bug) {
  auto tile_a = inv.template workgroup<std::uint32_t[kTile][kTile]>("tile_a");
  auto tile_b = inv.template workgroup<std::uint32_t[kTile][kTile]>("tile_b");
  const uvec3 at = inv.local_invocation_id();
  const uvec3 to = inv.global_invocation_id();
  std::uint32_t sum = 0;
  const std::uint32_t tiles = kSide / kTile + (bug == Bug::OffByOne ? 1 : 0);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    tile_a[at.y][at.x] = a[to.y * kSide + tile * kTile + at.x];
    tile_b[at.y][at.x] = b[(tile * kTile + at.y) * kSide + to.x];
    if (bug != Bug::BarrierRemoved) meet(inv, bug);
    for (std::uint32_t k = 0; k < kTile; ++k) sum += tile_a[at.y][k] * tile_b[k][at.x];
    if (bug != Bug::SecondBarrierRemoved) meet(inv, bug);
  }
  c[to.y * kSide + to.x] = sum;
};

bool run_matmul(Device& device, Bug bug) {
  const std::vector<std::uint32_t> values = numbers(kSide * kSide);
  auto a = device.buffer(values, "a");
  auto b = device.buffer(values, "b");
  auto c = device.buffer(std::vector<std::uint32_t>(values.size(), 0), "c");
  device.dispatch(matmul, {kSide / kTile, kSide / kTile}, {kTile, kTile}, read_only(a), read_only(b), c, bug);
  const std::vector<std::uint32_t> found = c.read();
  for (std::uint32_t y = 0; y < kSide; ++y)
    for (std::uint32_t x = 0; x < kSide; ++x) {
      std::uint32_t sum = 0;
      for (std::uint32_t k = 0; k < kSide; ++k) sum += values[y * kSide + k] * values[k * kSide + x];
      if (found[y * kSide + x] != sum) return false;
    }
  return true;
}

constexpr auto transpose = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                              StorageBuffer<std::uint32_t> auto out, Bug bug) {
  auto tile = inv.template workgroup<std::uint32_t[kTile][kTile]>("tile");
  const uvec3 at = inv.local_invocation_id();
  const uvec3 group = inv.workgroup_id();
  const std::uint32_t off = bug == Bug::OffByOne ? 1 : 0;
  tile[at.y + off][at.x] = in[(group.y * kTile + at.y) * kSide + group.x * kTile + at.x];
  if (bug != Bug::BarrierRemoved) meet(inv, bug);
  out[(group.x * kTile + at.y) * kSide + group.y * kTile + at.x] = tile[at.x][at.y];
};

bool run_transpose(Device& device, Bug bug) {
  const std::vector<std::uint32_t> values = numbers(kSide * kSide);
  auto in = device.buffer(values, "in");
  auto out = device.buffer(std::vector<std::uint32_t>(values.size(), 0), "out");
  device.dispatch(transpose, {kSide / kTile, kSide / kTile}, {kTile, kTile}, read_only(in), out, bug);
  const std::vector<std::uint32_t> found = out.read();
  for (std::uint32_t y = 0; y < kSide; ++y)
    for (std::uint32_t x = 0; x < kSide; ++x)
      if (found[x * kSide + y] != values[y * kSide + x]) return false;
  return true;
}

// Two steps of a blur, each a dispatch: what one writes the next one reads, of the neighbours too.
constexpr auto blur = [](auto& inv, StorageBuffer<std::uint32_t> auto from, StorageBuffer<std::uint32_t> auto to,
                         Bug bug) {
  const std::uint32_t i = inv.global_invocation_id().x;
  const bool inside = i > 0 && i + 1 < from.size();
  if (!inside && bug != Bug::GuardRemoved) {
    to[i] = from[i];
    return;
  }
  to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
};

std::vector<std::uint32_t> blurred(const std::vector<std::uint32_t>& from) {
  std::vector<std::uint32_t> to = from;
  for (std::size_t i = 1; i + 1 < from.size(); ++i) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
  return to;
}

bool run_blur(Device& device, Bug bug) {
  const std::vector<std::uint32_t> values = numbers(kSize);
  auto a = device.buffer(values, "a");
  auto b = bug == Bug::InPlace ? a : device.buffer(values, "b");
  device.submit([&](Commands& commands) {
    commands.dispatch(blur, kGroups, kGroup, a, b, bug);
    if (bug == Bug::NoMemoryDependency) {
      commands.execution_barrier();
    } else if (bug != Bug::BarrierRemoved) {
      commands.memory_barrier();
    }
    commands.dispatch(blur, kGroups, kGroup, b, a, bug);
  });
  return a.read() == blurred(blurred(values));
}

}  // namespace

TEST_CASE("a tree reduction has no race but for the planted ones") {
  check_clean(run_reduce);
  check_race_or_uninitialized(run_reduce, {Bug::BarrierRemoved});
  check_race(run_reduce, {Bug::SecondBarrierRemoved, Bug::ScopeNarrowed, Bug::WrongStorageClass});
  check_out_of_bounds(run_reduce, {Bug::OffByOne});
}

TEST_CASE("a scan of a workgroup has no race but for the planted ones") {
  check_clean(run_scan);
  check_race_or_uninitialized(run_scan, {Bug::BarrierRemoved});
  check_race(run_scan, {Bug::InPlace, Bug::ScopeNarrowed, Bug::WrongStorageClass});
  check_out_of_bounds(run_scan, {Bug::GuardRemoved});
}

TEST_CASE("a bitonic sort has no race but for the planted ones") {
  check_clean(run_bitonic_sort);
  check_race_or_uninitialized(run_bitonic_sort, {Bug::BarrierRemoved});
  check_race(run_bitonic_sort, {Bug::SecondBarrierRemoved, Bug::ScopeNarrowed, Bug::WrongStorageClass});
}

TEST_CASE("a product of matrices by tiles has no race but for the planted ones") {
  check_clean(run_matmul);
  check_race_or_uninitialized(run_matmul, {Bug::BarrierRemoved});
  check_race(run_matmul, {Bug::SecondBarrierRemoved, Bug::ScopeNarrowed, Bug::WrongStorageClass});
  check_out_of_bounds(run_matmul, {Bug::OffByOne});
}

TEST_CASE("a transposition by tiles has no race but for the planted ones") {
  check_clean(run_transpose);
  check_race_or_uninitialized(run_transpose, {Bug::BarrierRemoved});
  check_race(run_transpose, {Bug::ScopeNarrowed, Bug::WrongStorageClass});
  check_out_of_bounds(run_transpose, {Bug::OffByOne});
}

TEST_CASE("a stencil in two dispatches has no race but for the planted ones") {
  check_clean(run_blur);
  check_race(run_blur, {Bug::InPlace, Bug::NoMemoryDependency, Bug::BarrierRemoved});
  check_out_of_bounds(run_blur, {Bug::GuardRemoved});
}
