// The tile, scan and tree of one workgroup: control barriers that are missing, too narrow, or of another class.
#include "tests/edits/corpus/corpus.h"

namespace heddle::corpus {
namespace {

constexpr U32 kSize = 16;
constexpr U32 kSum = kSize * (kSize - 1) / 2;

constexpr auto sum_without_first = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto sums = workgroup<U32[kSize]>(inv, "sums");
  const U32 me = inv.local_invocation_index();
  sums[me] = in[me];
  for (U32 half = kSize / 2; half > 0; half /= 2) {
    if (me < half) sums[me] += sums[me + half];
    inv.workgroup_barrier();
  }
  if (me == 0) out[0] = sums[0];
};

constexpr auto sum_without_barrier_in_loop = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto sums = workgroup<U32[kSize]>(inv, "sums");
  const U32 me = inv.local_invocation_index();
  sums[me] = in[me];
  inv.workgroup_barrier();
  for (U32 half = kSize / 2; half > 0; half /= 2) {
    if (me < half) {
      sums[me] += sums[me + half];
    }
  }
  if (me == 0) out[0] = sums[0];
};

constexpr auto scan_without_read_barrier = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[kSize]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  tile[me] = in[me];
  inv.workgroup_barrier();
  for (U32 step = 1; step < kSize; step *= 2) {
    U32 other = 0;
    if (me >= step) other = tile[me - step];
    tile[me] += other;
    inv.workgroup_barrier();
  }
  out[me] = tile[me];
};

constexpr auto scan_without_write_barrier = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[kSize]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  tile[me] = in[me];
  inv.workgroup_barrier();
  for (U32 step = 1; step < kSize; step *= 2) {
    const U32 other = me >= step ? tile[me - step] : 0;
    inv.workgroup_barrier();
    tile[me] += other;
  }
  out[me] = tile[me];
};

constexpr auto scan_of_two_buffers = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[2 * kSize]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  U32 from = 0;
  tile[me] = in[me];
  inv.workgroup_barrier();
  for (U32 step = 1; step < kSize; step *= 2) {
    const U32 to = kSize - from;
    U32 sum = tile[from + me];
    if (me >= step) sum += tile[from + me - step];
    tile[to + me] = sum;
    from = to;
  }
  out[me] = tile[from + me];
};

constexpr auto sweeps = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tree = workgroup<U32[kSize]>(inv, "tree");
  const U32 me = inv.local_invocation_index();
  tree[me] = in[me];
  for (U32 step = 1; step < kSize; step *= 2) {
    inv.workgroup_barrier();
    const U32 at = (me + 1) * 2 * step - 1;
    if (at < kSize) tree[at] += tree[at - step];
  }
  if (me == 0) tree[kSize - 1] = 0u;
  for (U32 step = kSize / 2; step > 0; step /= 2) {
    inv.workgroup_barrier();
    const U32 at = (me + 1) * 2 * step - 1;
    if (at < kSize) {
      const U32 left = tree[at - step];
      tree[at - step] = inv.load(tree[at]);
      tree[at] += left;
    }
  }
  out[me] = tree[me];
};

constexpr auto transpose = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[4][4]>(inv, "tile");
  const U32 x = inv.local_invocation_index() % 4;
  const U32 y = inv.local_invocation_index() / 4;
  const U32 base = inv.workgroup_id().x * 16;
  tile[y][x] = in[base + y * 4 + x];
  out[base + y * 4 + x] = inv.load(tile[x][y]);
};

constexpr auto transpose_in_subgroups = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[64]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  tile[me] = in[me];
  inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
  out[me] = tile[63 - me];
};

constexpr auto transpose_without_memory = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[kSize]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  tile[me] = in[me];
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kRelaxed);
  out[me] = tile[kSize - 1 - me];
};

constexpr auto transpose_of_buffers = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[kSize]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  tile[me] = in[me];
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier);
  out[me] = tile[kSize - 1 - me];
};

constexpr auto stencil = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[kSize + 2]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  const U32 at = inv.global_invocation_id().x;
  const U32 size = inv.num_workgroups().x * kSize;
  tile[me + 1] = in[at];
  if (me == 0) tile[0] = at == 0 ? 0u : U32(in[at - 1]);
  if (me == kSize - 1) tile[kSize + 1] = at + 1 == size ? 0u : U32(in[at + 1]);
  out[at] = tile[me] + tile[me + 1] + tile[me + 2];
};

constexpr auto bitonic = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto keys = workgroup<U32[kSize]>(inv, "keys");
  const U32 me = inv.local_invocation_index();
  keys[me] = kSize - 1 - in[me];
  inv.workgroup_barrier();
  for (U32 k = 2; k <= kSize; k *= 2) {
    for (U32 j = k / 2; j > 0; j /= 2) {
      const U32 other = me ^ j;
      if (other > me) {
        const U32 a = keys[me];
        const U32 b = keys[other];
        if (((me & k) == 0) == (a > b)) {
          keys[me] = b;
          keys[other] = a;
        }
      }
    }
  }
  out[me] = keys[me];
};

constexpr auto warp_tail = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto sums = workgroup<U32[64]>(inv, "sums");
  const U32 me = inv.local_invocation_index();
  sums[me] = in[me];
  inv.workgroup_barrier();
  if (me < 32) sums[me] += sums[me + 32];
  if (me < 32) {
    for (U32 half = 16; half > 0; half /= 2) {
      const U32 other = me < half ? sums[me + half] : 0;
      sums[me] += other;
    }
  }
  if (me == 0) out[0] = sums[0];
};

constexpr auto one_branch = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto tile = workgroup<U32[kSize]>(inv, "tile");
  const U32 me = inv.local_invocation_index();
  const U32 base = inv.workgroup_id().x * kSize;
  tile[me] = in[base + me];
  if (inv.workgroup_id().x % 2 == 0) {
    inv.workgroup_barrier();
  }
  out[base + me] = tile[kSize - 1 - me];
};

}  // namespace

std::vector<Program> tiles() {
  const auto total = [](U32) { return kSum; };
  const auto before = [](U32 i) { return i * (i + 1) / 2; };
  const auto reversed = [](U32 i) { return i / kSize * kSize + kSize - 1 - i % kSize; };
  return {
      {"a sum without the barrier before its loop", in_groups(sum_without_first, 1, kSize, 1, total)},
      {"a sum without the barrier in its loop", in_groups(sum_without_barrier_in_loop, 1, kSize, 1, total)},
      {"a scan without the barrier behind its reads", in_groups(scan_without_read_barrier, 1, kSize, kSize, before)},
      {"a scan without the barrier behind its writes", in_groups(scan_without_write_barrier, 1, kSize, kSize, before)},
      {"a scan of two buffers without its barrier", in_groups(scan_of_two_buffers, 1, kSize, kSize, before)},
      {"two sweeps of a tree without the barrier between them",
       in_groups(sweeps, 1, kSize, kSize, [](U32 i) { return i * (i - 1) / 2; })},
      {"a transposed tile without a barrier",
       in_groups(transpose, 2, 16, 32, [](U32 i) { return i / 16 * 16 + i % 4 * 4 + i % 16 / 4; })},
      {"a tile with a barrier of subgroups",
       in_groups(transpose_in_subgroups, 1, 64, 64, [](U32 i) { return 63 - i; })},
      {"a tile with a barrier without memory", in_groups(transpose_without_memory, 1, kSize, kSize, reversed)},
      {"a tile with a barrier of buffers", in_groups(transpose_of_buffers, 1, kSize, kSize, reversed)},
      {"a stencil without a barrier",
       in_groups(stencil, 2, kSize, 2 * kSize,
                 [](U32 i) { return (i == 0 ? 0 : i - 1) + i + (i == 2 * kSize - 1 ? 0 : i + 1); })},
      {"a bitonic sort without its barrier", in_groups(bitonic, 1, kSize, kSize, [](U32 i) { return i; })},
      {"the last steps of a sum by one subgroup without its barriers",
       in_groups(warp_tail, 1, 64, 1, [](U32) { return 2016u; })},
      {"a barrier in one branch", in_groups(one_branch, 2, kSize, 2 * kSize, reversed)},
  };
}

}  // namespace heddle::corpus
