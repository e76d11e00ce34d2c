// Sorts, scans, products and solvers of one workgroup.
#include "tests/edits/corpus/corpus.h"

#include <algorithm>

namespace heddle::corpus {
namespace {

constexpr U32 kSize = 16;
constexpr U32 kTwoSubgroups = 64;

/// Two passes of a radix sort, by one bit each: count, scan by one, scatter.
constexpr auto radix = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto keys = workgroup<U32[kSize]>(inv, "keys");
  auto sorted = workgroup<U32[kSize]>(inv, "sorted");
  auto ones = workgroup<U32[kSize]>(inv, "ones");
  const U32 me = inv.local_invocation_index();
  keys[me] = 3 - in[me] % 4;
  inv.workgroup_barrier();
  for (U32 bit = 0; bit < 2; ++bit) {
    const U32 key = keys[me];
    ones[me] = key >> bit & 1;
    inv.workgroup_barrier();
    U32 before = 0;
    U32 all = 0;
    for (U32 i = 0; i < kSize; ++i) {
      const U32 one = ones[i];
      if (i < me) before += one;
      all += one;
    }
    const U32 place = (key >> bit & 1) == 0 ? me - before : kSize - all + before;
    sorted[place] = key;
    keys[me] = sorted[me];
  }
  out[me] = keys[me];
};

/// What is odd is kept, at its place among what is: subgroups count by a ballot.
constexpr auto compacted = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto counts = workgroup<U32[2]>(inv, "counts");
  const U32 me = inv.local_invocation_index();
  const U32 value = in[me];
  const auto kept = inv.group_non_uniform_ballot(value % 2 == 1);
  const U32 place = inv.group_non_uniform_ballot_bit_count(GroupOperation::ExclusiveScan, kept);
  if (inv.group_non_uniform_elect()) {
    counts[inv.subgroup_id()] = inv.group_non_uniform_ballot_bit_count(GroupOperation::Reduce, kept);
  }
  U32 base = 0;
  for (U32 i = 0; i < inv.subgroup_id(); ++i) base += counts[i];
  if (value % 2 == 1) inv.atomic_i_increment(out[base + place], Scope::Workgroup, kRelaxed);
};

/// The sums of subgroups, which the first of them adds up for all.
constexpr auto summed_by_subgroups = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto partial = workgroup<U32[2]>(inv, "partial");
  const U32 me = inv.local_invocation_index();
  const U32 sum = inv.group_non_uniform_i_add(GroupOperation::Reduce, U32(in[me]));
  if (inv.subgroup_local_invocation_id() == 0) partial[inv.subgroup_id()] = sum;
  inv.workgroup_barrier();
  if (me == 0) {
    U32 total = 0;
    for (U32 i = 0; i < 2; ++i) total += partial[i];
    partial[0] = total;
  }
  out[me] = partial[0];
};

/// Tiles of two matrices, of which the next ones are fetched while these are used.
constexpr auto double_buffered = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tiles = workgroup<U32[2][kSize]>(inv, "tiles");
  const U32 me = inv.local_invocation_index();
  U32 sum = 0;
  tiles[0][me] = in[me];
  for (U32 n = 0; n < 4; ++n) {
    if (n + 1 < 4) tiles[(n + 1) % 2][me] = in[me] + n + 1;
    for (U32 k = 0; k < kSize; ++k) sum += tiles[n % 2][k];
    inv.workgroup_barrier();
  }
  out[me] = sum;
};

constexpr auto squared = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto a = workgroup<U32[4][4]>(inv, "a");
  auto b = workgroup<U32[4][4]>(inv, "b");
  const U32 x = inv.local_invocation_id().x % 4;
  const U32 y = inv.local_invocation_id().x / 4;
  U32 sum = 0;
  for (U32 tile = 0; tile < 2; ++tile) {
    a[y][x] = in[y * 4 + x] + tile;
    b[y][x] = in[x * 4 + y];
    for (U32 k = 0; k < 4; ++k) sum += a[y][k] * b[k][x];
    inv.workgroup_barrier();
  }
  out[y * 4 + x] = sum;
};

/// A scan by one subgroup, whose steps were in lockstep once.
constexpr auto scanned_in_lockstep = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto sums = workgroup<U32[32]>(inv, "sums");
  const U32 lane = inv.local_invocation_index();
  sums[lane] = in[lane];
  if (lane >= 1) sums[lane] += sums[lane - 1];
  if (lane >= 2) sums[lane] += sums[lane - 2];
  if (lane >= 4) sums[lane] += sums[lane - 4];
  if (lane >= 8) sums[lane] += sums[lane - 8];
  if (lane >= 16) sums[lane] += sums[lane - 16];
  out[lane] = sums[lane];
};

/// An exchange within a subgroup, through Workgroup memory.
constexpr auto exchanged_in_subgroup = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto cells = workgroup<U32[kTwoSubgroups]>(inv, "cells");
  const U32 me = inv.local_invocation_index();
  const U32 partner = me ^ 1;
  cells[me] = in[me];
  out[me] = cells[partner];
};

/// That through a buffer.
constexpr auto exchanged_in_buffer = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto,
                                        StorageBuffer<U32> auto out) {
  auto cells = data.non_private();
  const U32 me = inv.local_invocation_index();
  cells[me] = me;
  out[me] = cells[me ^ 1];
};

/// Each segment is summed by who heads it.
constexpr auto segments = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto values = workgroup<U32[kSize]>(inv, "values");
  auto heads = workgroup<U32[kSize]>(inv, "heads");
  const U32 me = inv.local_invocation_index();
  values[me] = in[me];
  inv.workgroup_barrier();
  heads[me] = me % 4 == 0 ? 1u : 0u;
  if (heads[me] == 1) {
    U32 sum = values[me];
    for (U32 i = me + 1; i < kSize && heads[i] == 0; ++i) sum += values[i];
    out[me / 4] = sum;
  }
};

/// Odd-even steps of a sort in a buffer.
constexpr auto sorted_in_buffer = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto,
                                     StorageBuffer<U32> auto out) {
  auto keys = data.non_private();
  const U32 me = inv.local_invocation_index();
  keys[me] = 7 - me;
  inv.workgroup_barrier(kBufferBarrier);
  for (U32 step = 0; step < 8; ++step) {
    const U32 left = 2 * me + step % 2;
    if (left + 1 < 8) {
      const U32 a = keys[left];
      const U32 b = keys[left + 1];
      if (a > b) {
        keys[left] = b;
        keys[left + 1] = a;
      }
    }
  }
  inv.workgroup_barrier(kBufferBarrier);
  out[me] = keys[me];
};

/// Jacobi steps until nothing changes, of which a flag tells all.
template <bool before_reset, bool before_test>
constexpr auto relaxed_until_still = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto cells = workgroup<U32[kSize]>(inv, "cells");
  auto changed = workgroup<U32>(inv, "changed");
  const U32 me = inv.local_invocation_index();
  cells[me] = in[me];
  U32 steps = 0;
  for (;;) {
    if (me == 0) changed = 0u;
    inv.workgroup_barrier();
    const U32 left = me == 0 ? 15u : U32(cells[me - 1]);
    const U32 mine = cells[me];
    inv.workgroup_barrier();
    if (left > mine) {
      cells[me] = left;
      inv.atomic_store(changed, Scope::Workgroup, kRelaxed, 1u);
    }
    if constexpr (before_test) inv.workgroup_barrier();
    if (inv.load(changed) == 0 || ++steps == 20) break;
    if constexpr (before_reset) inv.workgroup_barrier();
  }
  out[me] = cells[me];
};

/// Points go to the nearer of two centres, which are moved.
constexpr auto clustered = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto centres = workgroup<U32[2]>(inv, "centres");
  auto sums = workgroup<U32[2]>(inv, "sums", kZeroed);
  auto counts = workgroup<U32[2]>(inv, "counts", kZeroed);
  const U32 me = inv.local_invocation_index();
  if (me < 2) centres[me] = me * 15;
  inv.workgroup_barrier();
  const U32 point = in[me];
  for (U32 round = 0; round < 2; ++round) {
    const U32 low = centres[0];
    const U32 high = centres[1];
    const U32 mine = 2 * point <= low + high ? 0u : 1u;
    inv.atomic_i_add(sums[mine], Scope::Workgroup, kRelaxed, point);
    inv.atomic_i_increment(counts[mine], Scope::Workgroup, kRelaxed);
    inv.workgroup_barrier();
    if (me < 2) {
      centres[me] = sums[me] / std::max<U32>(counts[me], 1u);
      sums[me] = 0u;
      counts[me] = 0u;
    }
  }
  if (me < 2) out[me] = centres[me];
};

/// Counts, means and squares of halves are merged in a tree.
constexpr auto merged = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto count = workgroup<U32[kSize]>(inv, "count");
  auto total = workgroup<U32[kSize]>(inv, "total");
  auto square = workgroup<U32[kSize]>(inv, "square");
  const U32 me = inv.local_invocation_index();
  const U32 value = in[me];
  count[me] = 1u;
  total[me] = value;
  square[me] = value * value;
  for (U32 stride = kSize / 2; stride != 0; stride >>= 1) {
    if (me < stride) {
      count[me] += count[me + stride];
      total[me] += total[me + stride];
      square[me] += square[me + stride];
    }
  }
  if (me == 0) {
    out[0] = count[0];
    out[1] = total[0];
    out[2] = square[0];
  }
};

/// Rows that several share: each hands on what it has of the next one's row.
constexpr auto carried = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto carry = workgroup<U32[kSize]>(inv, "carry");
  auto rows = workgroup<U32[kSize]>(inv, "rows");
  const U32 me = inv.local_invocation_index();
  rows[me] = in[me] + 1;
  carry[me] = in[me];
  if (me == 0) {
    for (U32 i = 1; i < kSize; ++i) rows[i] += carry[i - 1];
  }
  inv.workgroup_barrier();
  out[me] = rows[me];
};

/// Bins of subgroups, which are merged into those of the device.
constexpr auto private_bins = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto bins = workgroup<U32[2][4]>(inv, "bins", kZeroed);
  const U32 me = inv.local_invocation_index();
  inv.atomic_i_increment(bins[inv.subgroup_id()][in[me] % 4], Scope::Workgroup, kRelaxed);
  for (U32 bin = me; bin < 4; bin += 64) {
    const U32 sum = bins[0][bin] + bins[1][bin];
    inv.atomic_i_add(out[bin], Scope::Device, kRelaxed, sum);
  }
};

/// What a function of the kernel loads, another one reads.
constexpr auto fetch = [](auto& inv, auto& tile, auto& in, U32 round) {
  const U32 me = inv.local_invocation_index();
  tile[me] = in[me] + round;
};
constexpr auto use = [](auto& inv, auto& tile) {
  U32 sum = 0;
  for (U32 i = 0; i < kSize; ++i) sum += tile[(inv.local_invocation_index() + i) % kSize];
  return sum;
};
constexpr auto by_functions = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[kSize]>(inv, "tile");
  U32 sum = 0;
  for (U32 round = 0; round < 2; ++round) {
    fetch(inv, tile, in, round);
    inv.workgroup_barrier();
    sum += use(inv, tile);
  }
  out[inv.local_invocation_index()] = sum;
};

/// Sets are joined in Workgroup memory.
constexpr auto joined = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto parent = workgroup<U32[8]>(inv, "parent");
  const U32 me = inv.local_invocation_index();
  parent[me] = in[me];
  inv.workgroup_barrier();
  if (me > 0) {
    U32 a = me;
    U32 b = me - 1;
    for (;;) {
      while (parent[a] != a) a = parent[a];
      while (parent[b] != b) b = parent[b];
      if (a == b) break;
      const U32 high = std::max(a, b);
      if (inv.atomic_compare_exchange(parent[high], Scope::Workgroup, kRelaxed, kRelaxed, std::min(a, b), high) == high)
        break;
    }
  }
  inv.workgroup_barrier();
  U32 root = me;
  while (parent[root] != root) root = parent[root];
  out[me] = root;
};

/// The largest value, and who has it first.
constexpr auto largest = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto most = workgroup<U32>(inv, "most", kZeroed);
  const U32 value = in[inv.local_invocation_index()] + 1;
  if (value > most) most = value;
  inv.workgroup_barrier();
  if (inv.local_invocation_index() == 0) out[0] = inv.load(most);
};

constexpr auto flagged = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto mask = workgroup<U32>(inv, "mask", kZeroed);
  const U32 me = inv.local_invocation_index();
  mask |= 1u << in[me];
  inv.workgroup_barrier();
  if (me == 0) out[0] = inv.load(mask);
};

constexpr auto counted_apart = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto bins = workgroup<U32[4]>(inv, "bins", kZeroed);
  const U32 me = inv.local_invocation_index();
  const U32 bin = in[me] % 4;
  const U32 old = bins[bin];
  bins[bin] = old + 1;
  inv.workgroup_barrier();
  if (me < 4) out[me] = bins[me];
};

}  // namespace

std::vector<Program> algorithms() {
  const auto same = [](U32 i) { return i; };
  const auto quarters = [](U32 i) { return i / 4; };
  const auto partners = [](U32 i) { return i ^ 1; };
  const auto before = [](U32 i) { return i * (i + 1) / 2; };
  const auto fifteen = [](U32) { return 15u; };
  const auto of_tiles = [](U32) { return 4 * 120 + (1 + 2 + 3) * kSize; };
  const auto of_squares = [](U32 at) {
    U32 sum = 0;
    for (U32 tile = 0; tile < 2; ++tile)
      for (U32 k = 0; k < 4; ++k) sum += (at / 4 * 4 + k + tile) * (at % 4 * 4 + k);
    return sum;
  };
  const auto of_segment = [](U32 i) { return 16 * i + 6; };
  const auto of_merged = [](U32 i) { return i == 0 ? 16u : i == 1 ? 120u : 1240u; };
  return {
      {"a radix sort without the barrier behind its scatter", in_groups(radix, 1, kSize, kSize, quarters)},
      {"what is kept by a ballot, without a barrier",
       in_groups(compacted, 1, kTwoSubgroups, 32, [](U32) { return 1u; })},
      {"sums of subgroups without the second barrier",
       in_groups(summed_by_subgroups, 1, kTwoSubgroups, 64, [](U32) { return 2016u; })},
      {"tiles of two buffers without the first barrier", in_groups(double_buffered, 1, kSize, kSize, of_tiles)},
      {"a square of tiles without the barrier behind its loads", in_groups(squared, 1, kSize, kSize, of_squares)},
      {"a scan in lockstep", in_groups(scanned_in_lockstep, 1, 32, 32, before)},
      {"partners in a subgroup without a barrier", in_groups(exchanged_in_subgroup, 1, kTwoSubgroups, 64, partners)},
      {"partners in a subgroup without a barrier, in a buffer", by_flags(exchanged_in_buffer, 1, 32, 32, partners)},
      {"segments whose heads are read at once", in_groups(segments, 1, kSize, 4, of_segment)},
      {"odd and even steps in a buffer without a barrier", by_flags(sorted_in_buffer, 1, 8, 8, same)},
      {"a flag that is set to zero while others read it",
       in_groups(relaxed_until_still<false, true>, 1, kSize, kSize, fifteen)},
      {"a flag that is read before all have set it",
       in_groups(relaxed_until_still<true, false>, 1, kSize, kSize, fifteen)},
      {"centres that are read while they move",
       in_groups(clustered, 1, kSize, 2, [](U32 i) { return i == 0 ? 3u : 11u; })},
      {"a tree of three arrays without a barrier", in_groups(merged, 1, kSize, 3, of_merged)},
      {"carries that are added too early",
       in_groups(carried, 1, kSize, kSize, [](U32 i) { return i + 1 + (i == 0 ? 0 : i - 1); })},
      {"bins of subgroups that are merged too early",
       in_groups(private_bins, 1, kTwoSubgroups, 4, [](U32) { return 16u; })},
      {"a tile of two functions without a barrier", in_groups(by_functions, 1, kSize, kSize, [](U32) { return 256u; })},
      {"sets that are looked up plainly while they are joined", in_groups(joined, 1, 8, 8, [](U32) { return 0u; })},
      {"a maximum that is compared plainly", in_groups(largest, 1, kSize, 1, [](U32) { return 16u; })},
      {"a mask that is set plainly", in_groups(flagged, 1, kSize, 1, [](U32) { return 0xffffu; })},
      {"bins that are read and written in two lines", in_groups(counted_apart, 1, kSize, 4, [](U32) { return 4u; })},
  };
}

}  // namespace heddle::corpus
