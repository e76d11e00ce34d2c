// Kernels whose invocations share memory within a workgroup, by control barriers.
#include "tests/field/field.h"

namespace heddle::field {
namespace {

/// Two passes of a workgroup over a buffer.
constexpr auto passes = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto,
                           StorageBuffer<U32> auto out, How how) {
  const U32 group = inv.workgroup_id().x;
  const U32 me = inv.local_invocation_index();
  data.non_private()[4 * group + me] = group + 1;
  barrier(inv, how, 0);
  if (me == 3) out[group] = data.non_private()[4 * group];
};

/// All of a workgroup write, one of it sets a flag; one of another workgroup polls it, and all of it read.
constexpr auto published = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                              StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  const U32 me = inv.local_invocation_index();
  if (inv.workgroup_id().x % 2 == 0) {
    data.non_private()[4 * pair + me] = pair + 1;
    barrier(inv, how, 0);
    if (me == 0) inv.atomic_store(flags[pair], Scope::Device, kReleaseBuffers, 1u);
  } else {
    if (me == 0)
      while (inv.atomic_load(flags[pair], Scope::Device, kAcquireBuffers) == 0) {
      }
    barrier(inv, how, 1);
    if (me == 3) out[pair] = data.non_private()[4 * pair + 3];
  }
};

/// One of the workgroup tells all which round it is.
constexpr auto rounds = [](auto& inv, StorageBuffer<U32> auto, StorageBuffer<U32> auto, StorageBuffer<U32> auto out,
                           How how) {
  auto told = inv.template workgroup<U32[1]>("told");
  const U32 group = inv.workgroup_id().x;
  const U32 me = inv.local_invocation_index();
  U32 sum = 0;
  for (U32 round = 0; round < 3; ++round) {
    if (me == 0) told[0] = round;
    barrier(inv, how, 0);
    sum += told[0];
    barrier(inv, how, 1);
  }
  if (me == 3) out[group] = sum - 3 + group + 1;
};

/// Persistent workgroups: one invocation draws the next item, all work on it.
constexpr auto persistent = [](auto& inv, StorageBuffer<U32> auto, StorageBuffer<U32> auto flags,
                               StorageBuffer<U32> auto out, How how) {
  auto item = inv.template workgroup<U32[1]>("item");
  const U32 me = inv.local_invocation_index();
  for (U32 round = 0; round <= kPairs; ++round) {
    if (me == 0) item[0] = inv.atomic_i_add(flags[0], Scope::Device, kNone, 1u);
    barrier(inv, how, 0);
    const U32 mine = item[0];
    barrier(inv, how, 1);
    if (me == 3 && mine < kPairs) out[mine] = mine + 1;
  }
};

/// A reduction in a tree.
constexpr auto tree = [](auto& inv, StorageBuffer<U32> auto, StorageBuffer<U32> auto, StorageBuffer<U32> auto out,
                         How how) {
  auto tile = inv.template workgroup<U32[4]>("tile");
  const U32 group = inv.workgroup_id().x;
  const U32 me = inv.local_invocation_index();
  tile[me] = group + me;
  barrier(inv, how, 0);
  if (me % 2 == 0) tile[me] += tile[me + 1];
  barrier(inv, how, 1);
  if (me == 0) out[group] = tile[0] + tile[2] - 3 * group - 5;
};

/// A tile is written by rows and read by columns, twice.
constexpr auto transpose = [](auto& inv, StorageBuffer<U32> auto, StorageBuffer<U32> auto, StorageBuffer<U32> auto out,
                              How how) {
  auto tile = inv.template workgroup<U32[4]>("tile");
  const U32 group = inv.workgroup_id().x;
  const U32 me = inv.local_invocation_index();
  U32 sum = 0;
  for (U32 round = 0; round < 2; ++round) {
    tile[me] = group + me + round;
    barrier(inv, how, 0);
    sum += tile[me % 2 * 2 + me / 2];
    barrier(inv, how, 1);
  }
  if (me == 2) out[group] = sum - group - 2;
};

/// A scan in steps of one and two.
constexpr auto scan = [](auto& inv, StorageBuffer<U32> auto, StorageBuffer<U32> auto, StorageBuffer<U32> auto out,
                         How how) {
  auto tile = inv.template workgroup<U32[4]>("tile");
  const U32 me = inv.local_invocation_index();
  tile[me] = 1;
  barrier(inv, how, 0);
  for (U32 step = 1; step < 4; step *= 2) {
    const U32 other = me >= step ? tile[me - step] : 0;
    barrier(inv, how, 1);
    tile[me] += other;
    barrier(inv, how, 2);
  }
  if (me == 3) out[inv.workgroup_id().x] = tile[3] - 3 + inv.workgroup_id().x;
};

/// Bins that are set to zero, counted up by atomics, and read.
constexpr auto histogram = [](auto& inv, StorageBuffer<U32> auto, StorageBuffer<U32> auto, StorageBuffer<U32> auto out,
                              How how) {
  auto bins = inv.template workgroup<U32[2]>("bins");
  const U32 group = inv.workgroup_id().x;
  const U32 me = inv.local_invocation_index();
  if (me < 2) bins[me] = 0;
  barrier(inv, how, 0);
  inv.atomic_i_add(bins[me / 2], Scope::Workgroup, kNone, 1u);
  barrier(inv, how, 1);
  if (me == 0) out[group] = bins[1] + group - 1;
};

/// `barriers` of them in the kernel, of the given semantics.
template <typename Kernel>
void add_barriers(const std::string& name, const Kernel& kernel, U32 groups, U32 barriers, MemorySemantics semantics,
                  std::vector<Case>& out) {
  const auto add = [&](const std::string& what, How how, const char* mends) {
    how.take = kNone;
    if (how.scope == Scope::Device) how.scope = Scope::Workgroup;
    out.push_back({name + ": " + what, dispatched(kernel, groups, 4, how), *mends == 0, mends});
  };
  const bool buffers = semantics == kBufferBarrier;
  add("right", {.give = semantics}, "");
  for (U32 n = 0; n < barriers; ++n)
    add("no barrier " + std::to_string(n + 1), {.give = semantics, .barriers = ~(1u << n)}, "put a control barrier");
  add("barriers without memory", {.give = kNone}, "give the control barrier");
  add("barriers of another class", {.give = buffers ? kWorkgroupBarrier : kBufferBarrier},
      buffers ? "UniformMemory" : "WorkgroupMemory");
}

}  // namespace

std::vector<Case> in_workgroup() {
  std::vector<Case> out;
  add_barriers("passes", passes, kPairs, 1, kBufferBarrier, out);
  add_barriers("published", published, 2 * kPairs, 2, kBufferBarrier, out);
  add_barriers("rounds", rounds, kPairs, 2, kWorkgroupBarrier, out);
  add_barriers("persistent", persistent, 2, 2, kWorkgroupBarrier, out);
  add_barriers("tree", tree, kPairs, 2, kWorkgroupBarrier, out);
  add_barriers("transpose", transpose, kPairs, 2, kWorkgroupBarrier, out);
  add_barriers("scan", scan, kPairs, 3, kWorkgroupBarrier, out);
  add_barriers("histogram", histogram, kPairs, 2, kWorkgroupBarrier, out);
  const How narrow{.give = kWorkgroupBarrier, .take = kNone, .scope = Scope::Subgroup};
  out.push_back({"transpose: scope too narrow", dispatched(transpose, kPairs, 4, narrow), false, "to Workgroup"});
  return out;
}

}  // namespace heddle::field
