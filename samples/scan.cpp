// Prefix sums of a long array in one pass over it: "decoupled look-back" (Merrill and Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Each workgroup sums up a tile
// and passes on what it knows to the workgroups that come after it, while all of them run.
#include "sample.h"

#include <heddle/phases.h>

#include <fmt/format.h>

#include <numeric>
#include <random>

using namespace heddle;

constexpr std::uint32_t kGroup = 256;
constexpr std::uint32_t kPerInvocation = 8;
constexpr std::uint32_t kTile = kGroup * kPerInvocation;

// What a workgroup has published about its tile.
constexpr std::uint32_t kNothing = 0;
constexpr std::uint32_t kSumOfTile = 1;    // tile_sum has the sum of the tile,
constexpr std::uint32_t kSumUpToTile = 2;  // sum_up_to that of it and all tiles before.

// A message to other workgroups has four parts, and takes all of them:
// - the data is written through a NonPrivate reference: private accesses belong to one invocation,
//   and no synchronization orders them for others;
// - the flag is an atomic at a scope that has both workgroups in it: Device. At Workgroup scope the
//   two atomics would not synchronize;
// - the writer's store is a Release of UniformMemory (the class that buffers are in) with
//   MakeAvailable: what was written before it leaves for the Device domain ahead of the flag;
// - the reader's load is an Acquire of UniformMemory with MakeVisible: what it reads after the flag
//   comes from there, not from an older copy of its own.
constexpr auto publish = [](auto& inv, auto flags, auto sums, std::uint32_t tile, std::uint32_t sum,
                            std::uint32_t flag) {
  sums.non_private()[tile] = sum;
  inv.atomic_store(flags[tile], Scope::Device, kReleaseBuffers, flag);
};

// The sum of all tiles before `tile`: goes back over tiles that have only their own sum, to the
// nearest one that has the sum of everything up to it.
constexpr auto look_back = [](auto& inv, auto flags, auto tile_sum, auto sum_up_to,
                              std::uint32_t tile) {
  std::uint32_t sum = 0;
  while (tile > 0) {
    const std::uint32_t flag = inv.atomic_load(flags[tile - 1], Scope::Device, kAcquireBuffers);
    if (flag == kNothing) continue;
    --tile;
    if (flag == kSumUpToTile) return sum + sum_up_to.non_private()[tile];
    sum += tile_sum.non_private()[tile];
  }
  return sum;
};

// The sum of `mine` over the invocations of the workgroup up to this one (Hillis and Steele). Each
// step reads one half of `sums` and writes the other, so one barrier a step is enough.
constexpr auto scan_workgroup = [](auto& inv, std::uint32_t mine) {
  auto sums = workgroup<std::uint32_t[2][kGroup]>(inv, "sums");
  const std::uint32_t me = inv.local_invocation_index();
  std::uint32_t half = 0;
  for (std::uint32_t distance = 1; distance < kGroup; distance *= 2) {
    sums[half][me] = mine;
    inv.workgroup_barrier();
    if (me >= distance) mine += sums[half][me - distance];
    half = 1 - half;
  }
  return mine;
};

constexpr auto scan =
    [](auto& inv, StorageBuffer<const std::uint32_t> auto in, StorageBuffer<std::uint32_t> auto out,
       StorageBuffer<std::uint32_t> auto next_tile, StorageBuffer<std::uint32_t> auto flags,
       StorageBuffer<std::uint32_t> auto tile_sum, StorageBuffer<std::uint32_t> auto sum_up_to) {
      auto tile_of_group = workgroup<std::uint32_t>(inv, "tile_of_group");
      auto sum_before = workgroup<std::uint32_t>(inv, "sum_before");
      const std::uint32_t me = inv.local_invocation_index();

      // Tiles are given out in the order in which workgroups begin, whatever their numbers: what
      // waits for a tile waits for a workgroup that has begun, and so makes progress.
      if (me == 0) {
        tile_of_group =
            inv.atomic_i_increment(next_tile[0], Scope::Device, MemorySemantics::Relaxed);
      }
      inv.workgroup_barrier();
      const std::uint32_t tile = tile_of_group;

      const std::uint64_t begin = std::uint64_t{tile} * kTile + me * kPerInvocation;
      const std::uint64_t end = std::min<std::uint64_t>(begin + kPerInvocation, in.size());
      std::uint32_t sum = 0;
      for (std::uint64_t i = begin; i < end; ++i) sum += in[i];
      const std::uint32_t sum_with_me = scan_workgroup(inv, sum);

      // The last invocation knows the sum of the tile. It alone talks to the other workgroups.
      if (me == kGroup - 1) {
        if (tile > 0) publish(inv, flags, tile_sum, tile, sum_with_me, kSumOfTile);
        const std::uint32_t before = look_back(inv, flags, tile_sum, sum_up_to, tile);
        publish(inv, flags, sum_up_to, tile, before + sum_with_me, kSumUpToTile);
        sum_before = before;
      }
      inv.workgroup_barrier();

      std::uint32_t running = sum_before + sum_with_me - sum;
      for (std::uint64_t i = begin; i < end; ++i) out[i] = running += in[i];
    };

// The sums once more, in the second form of kernel (heddle/phases.h). A region cannot wait for
// another workgroup, so there is no look-back: one dispatch adds up tiles, a second one what is
// before each tile, and a third one scans. Natively each region is a loop: much less for each
// barrier, and the numbers read twice.
constexpr auto add_up_tiles = in_phases([](auto& group, StorageBuffer<const std::uint32_t> auto in,
                                           StorageBuffer<std::uint32_t> auto sums) {
  auto total = workgroup<std::uint32_t>(group, "total", kZeroed);
  group.each([&](auto& inv) {
    const std::uint64_t begin = std::uint64_t{kPerInvocation} * inv.global_invocation_id().x;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kPerInvocation, in.size());
    std::uint32_t sum = 0;
    for (std::uint64_t i = begin; i < end; ++i) sum += in[i];
    inv.atomic_i_add(total, Scope::Workgroup, MemorySemantics::Relaxed, sum);
  });
  group.once([&](auto& inv) { sums[inv.workgroup_id().x] = total; });
});

// Each workgroup scans a tile, from what is before it on.
constexpr auto scan_tiles = in_phases([](auto& group, StorageBuffer<const std::uint32_t> auto in,
                                         StorageBuffer<const std::uint32_t> auto before,
                                         StorageBuffer<std::uint32_t> auto out) {
  auto sums = workgroup<std::uint32_t[2][kGroup]>(group, "sums");
  auto mine = per_invocation<std::uint32_t>(group, "mine");
  group.each([&](auto& inv) {
    const std::uint64_t begin = std::uint64_t{kPerInvocation} * inv.global_invocation_id().x;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kPerInvocation, in.size());
    std::uint32_t sum = 0;
    for (std::uint64_t i = begin; i < end; ++i) sum += in[i];
    mine[inv] = sum;
    sums[0][inv.local_invocation_index()] = sum;
  });
  std::uint32_t from = 0;
  for (std::uint32_t distance = 1; distance < kGroup; distance *= 2, from = 1 - from) {
    group.each([&](auto& inv) {
      const std::uint32_t me = inv.local_invocation_index();
      std::uint32_t sum = sums[from][me];
      if (me >= distance) sum += sums[from][me - distance];
      sums[1 - from][me] = sum;
    });
  }
  group.each([&](auto& inv) {
    const std::uint64_t begin = std::uint64_t{kPerInvocation} * inv.global_invocation_id().x;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kPerInvocation, in.size());
    std::uint32_t running =
        before[inv.workgroup_id().x] + sums[from][inv.local_invocation_index()] - mine[inv];
    for (std::uint64_t i = begin; i < end; ++i) out[i] = running += in[i];
  });
});

// What is before each tile: few enough for one invocation.
constexpr auto sum_before_tiles = [](auto& inv, StorageBuffer<const std::uint32_t> auto sums,
                                     StorageBuffer<std::uint32_t> auto before) {
  (void)inv;
  std::uint32_t sum = 0;
  for (std::uint64_t tile = 0; tile < sums.size(); ++tile) {
    before[tile] = sum;
    sum += sums[tile];
  }
};

int main(int argc, char** argv) {
  sample::Sample sample("scan",
                        "Prefix sums in a single pass, with decoupled look-back, and in phases.");
  std::uint32_t count = 0;
  sample.size_option("--count", count, {1 << 24, 100000}, "how many numbers");

  return sample.run(argc, argv, [&](Device& device) {
    std::mt19937 random(static_cast<std::uint32_t>(sample.seed()));
    std::vector<std::uint32_t> numbers(count);
    for (std::uint32_t& number : numbers) number = random();
    const std::uint32_t tiles = sample::groups_for(count, kTile);
    sample.input(
        fmt::format("{}, {}; sums wrap around",
                    sample::counted(count, "random 32-bit number", "random 32-bit numbers"),
                    sample::counted(tiles, "tile", "tiles")));

    const std::vector<std::uint32_t> zeros(tiles, kNothing);
    auto in = device.buffer(numbers, "in");
    auto out = device.buffer<std::uint32_t>(count, "out");
    auto next_tile = device.buffer({std::uint32_t{0}}, "next_tile");
    auto flags = device.buffer(zeros, "flags");
    // Never read before they are written: emulated mode would tell.
    auto tile_sum = device.buffer<std::uint32_t>(tiles, "tile_sum");
    auto sum_up_to = device.buffer<std::uint32_t>(tiles, "sum_up_to");
    sample.ran("decoupled look-back", device.dispatch(scan, {tiles}, {kGroup}, read_only(in), out,
                                                      next_tile, flags, tile_sum, sum_up_to));

    std::vector<std::uint32_t> expected(count);
    std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
    sample.check(out.read() == expected, "every sum against std::partial_sum");

    auto sums = device.buffer<std::uint32_t>(tiles, "sums of tiles");
    auto before = device.buffer<std::uint32_t>(tiles, "sums before tiles");
    auto out_in_phases = device.buffer<std::uint32_t>(count, "out in phases");
    device.dispatch(add_up_tiles, {tiles}, {kGroup}, read_only(in), sums);
    device.dispatch(sum_before_tiles, {1}, {1}, read_only(sums), before);
    sample.ran("tiles in phases", device.dispatch(scan_tiles, {tiles}, {kGroup}, read_only(in),
                                                  read_only(before), out_in_phases));
    sample.check(out_in_phases.read() == expected, "every sum in phases against std::partial_sum");
  });
}
