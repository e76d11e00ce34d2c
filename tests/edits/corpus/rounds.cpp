// What a workgroup uses again in the next round, counts, or is told by one of it.
#include "tests/edits/corpus/corpus.h"

namespace heddle::corpus {
namespace {

constexpr U32 kSize = 16;

constexpr auto product = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto a = workgroup<U32[kSize]>(inv, "a");
  auto b = workgroup<U32[kSize]>(inv, "b");
  const U32 me = inv.local_invocation_index();
  U32 sum = 0;
  for (U32 tile = 0; tile < 3; ++tile) {
    a[me] = in[me] + tile;
    b[me] = in[me] * tile;
    inv.workgroup_barrier();
    for (U32 k = 0; k < kSize; ++k) sum += a[k] * b[k];
  }
  out[me] = sum;
};

constexpr auto two_tiles = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[kSize]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  for (U32 n = 0; n < 2; ++n) {
    tile[me] = in[me] + n;
    inv.workgroup_barrier();
    out[me] = out[me] + tile[kSize - 1 - me];
  }
};

constexpr auto told_by_one = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto base = workgroup<U32>(inv, "base", kZeroed);
  const U32 me = inv.local_invocation_index();
  if (me == 0) {
    base = in[1] + 6;
  }
  out[me] = base + me;
};

constexpr auto told_each_round = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto item = workgroup<U32>(inv, "item");
  const U32 me = inv.local_invocation_index();
  for (;;) {
    if (me == 0) item = inv.atomic_i_add(in[0], Scope::Device, kRelaxed, 1u);
    inv.workgroup_barrier();
    const U32 mine = item;
    if (mine >= 4) return;
    out[mine * kSize + me] = mine * kSize + me + 1;
  }
};

constexpr auto zeroed_late = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto bins = workgroup<U32[4]>(inv, "bins");
  const U32 me = inv.local_invocation_index();
  if (me < 4) bins[me] = 0u;
  inv.atomic_i_increment(bins[in[me] % 4], Scope::Workgroup, kRelaxed);
  inv.workgroup_barrier();
  if (me < 4) inv.atomic_i_add(out[me], Scope::Device, kRelaxed, inv.load(bins[me]));
};

constexpr auto flushed_early = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto bins = workgroup<U32[4]>(inv, "bins");
  const U32 me = inv.local_invocation_index();
  if (me < 4) bins[me] = 0u;
  inv.workgroup_barrier();
  inv.atomic_i_increment(bins[in[me] % 4], Scope::Workgroup, kRelaxed);
  if (me < 4) inv.atomic_i_add(out[me], Scope::Device, kRelaxed, inv.load(bins[me]));
};

constexpr auto counted_plainly = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto bins = workgroup<U32[4]>(inv, "bins", kZeroed);
  const U32 me = inv.local_invocation_index();
  bins[in[me] % 4] += 1u;
  inv.workgroup_barrier();
  if (me < 4) out[me] = bins[me];
};

constexpr auto compacted = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto count = workgroup<U32>(inv, "count", kZeroed);
  auto kept = workgroup<U32[kSize]>(inv, "kept");
  const U32 me = inv.local_invocation_index();
  const U32 value = in[me];
  if (value % 2 == 1) kept[inv.atomic_i_increment(count, Scope::Workgroup, kRelaxed)] = value;
  inv.workgroup_barrier();
  if (me < inv.load(count)) inv.atomic_i_add(out[0], Scope::Device, kRelaxed, inv.load(kept[me]));
  if (me == 0) count = 0u;
  inv.workgroup_barrier();
  if (value % 2 == 0) inv.atomic_i_increment(count, Scope::Workgroup, kRelaxed);
};

constexpr auto ranked = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto first = workgroup<U32[2]>(inv, "first", kZeroed);
  auto sorted = workgroup<U32[kSize]>(inv, "sorted");
  const U32 me = inv.local_invocation_index();
  const U32 key = in[me] % 2;
  const U32 rank = inv.atomic_i_increment(first[key], Scope::Workgroup, kRelaxed);
  inv.workgroup_barrier();
  sorted[key == 0 ? rank : first[0] + rank] = key;
  out[me] = sorted[me];
};

constexpr auto frontier = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto queue = workgroup<U32[2]>(inv, "queue");
  auto sizes = workgroup<U32[2]>(inv, "sizes", kZeroed);
  const U32 me = inv.local_invocation_index();
  if (me == 0) {
    queue[0] = 0u;
    sizes[0] = 1u;
  }
  inv.workgroup_barrier();
  for (U32 level = 0; level < 3; ++level) {
    const U32 now = level % 2;
    if (me < inv.load(sizes[now])) {
      const U32 node = queue[now];
      out[node] = in[1] * level + 1;
      queue[1 - now] = node + 1;
      inv.atomic_i_increment(sizes[1 - now], Scope::Workgroup, kRelaxed);
    }
    inv.workgroup_barrier();
    if (me == 15) sizes[now] = 0u;
  }
};

constexpr auto ring = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto slots = workgroup<U32[2]>(inv, "slots");
  const U32 me = inv.local_invocation_index();
  U32 sum = 0;
  for (U32 n = 0; n < 4; ++n) {
    if (me == 0) slots[n % 2] = in[n] + 1;
    if (n % 2 == 0) inv.workgroup_barrier();
    if (me == 8) sum += slots[n % 2];
  }
  if (me == 8) out[0] = sum;
};

constexpr auto in_place = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto cells = workgroup<U32[kSize]>(inv, "cells");
  const U32 me = inv.local_invocation_index();
  cells[me] = in[me];
  inv.workgroup_barrier();
  for (U32 step = 0; step < 2; ++step) {
    const U32 left = cells[(me + kSize - 1) % kSize];
    const U32 right = cells[(me + 1) % kSize];
    cells[me] = left + right;
    inv.workgroup_barrier();
  }
  out[me] = cells[me];
};

constexpr auto last_of_all = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto most = workgroup<U32>(inv, "most", kZeroed);
  const U32 me = inv.local_invocation_index();
  inv.atomic_u_max(most, Scope::Workgroup, kRelaxed, U32(in[me]));
  if (me == 3) out[0] = inv.load(most);
};

}  // namespace

std::vector<Program> rounds() {
  const auto products = [](U32) {
    U32 sum = 0;
    for (U32 tile = 0; tile < 3; ++tile)
      for (U32 k = 0; k < kSize; ++k) sum += (k + tile) * (k * tile);
    return sum;
  };
  const auto four = [](U32) { return 4u; };
  const auto neighbours = [](U32 i) {
    std::vector<U32> cells = counted(kSize);
    for (U32 step = 0; step < 2; ++step) {
      const std::vector<U32> old = cells;
      for (U32 k = 0; k < kSize; ++k) cells[k] = old[(k + kSize - 1) % kSize] + old[(k + 1) % kSize];
    }
    return cells[i];
  };
  return {
      {"a product whose tiles are overwritten early", in_groups(product, 1, kSize, kSize, products)},
      {"a tile that is used twice",
       in_groups(two_tiles, 1, kSize, kSize, [](U32 i) { return 2 * (kSize - 1 - i) + 1; })},
      {"one tells all", in_groups(told_by_one, 1, kSize, kSize, [](U32 i) { return i + 7; })},
      {"one tells all in each round", in_groups(told_each_round, 2, kSize, 4 * kSize, [](U32 i) { return i + 1; })},
      {"bins that are set to zero without a barrier", in_groups(zeroed_late, 1, kSize, 4, four)},
      {"bins that are flushed without a barrier", in_groups(flushed_early, 1, kSize, 4, four)},
      {"bins that are counted plainly", in_groups(counted_plainly, 1, kSize, 4, four)},
      {"a counter that is used again without a barrier", in_groups(compacted, 1, kSize, 1, [](U32) { return 64u; })},
      {"sorted keys without a barrier",
       in_groups(ranked, 1, kSize, kSize, [](U32 i) { return i < kSize / 2 ? 0u : 1u; })},
      {"the sizes of two frontiers without a barrier", in_groups(frontier, 1, kSize, 3, [](U32 i) { return i + 1; })},
      {"a ring of two without a barrier each second round", in_groups(ring, 1, kSize, 1, [](U32) { return 10u; })},
      {"cells that are written in place", in_groups(in_place, 1, kSize, kSize, neighbours)},
      {"a maximum that is read without a barrier", in_groups(last_of_all, 1, kSize, 1, [](U32) { return 15u; })},
  };
}

}  // namespace heddle::corpus
