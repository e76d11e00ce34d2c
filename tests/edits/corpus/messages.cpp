// Messages between workgroups: look-backs, the last workgroup, barriers of all workgroups.
#include "tests/edits/corpus/corpus.h"

namespace heddle::corpus {
namespace {

constexpr MemorySemantics kReleaseUnavailable = MemorySemantics::Release | MemorySemantics::UniformMemory;
constexpr MemorySemantics kAcquireInvisible = MemorySemantics::Acquire | MemorySemantics::UniformMemory;
constexpr MemorySemantics kWorkgroupFence = MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory |
                                            MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;

/// Each workgroup hands its sum on to the next one.
template <Scope scope, MemorySemantics give, MemorySemantics take>
constexpr auto chain =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      const U32 group = inv.workgroup_id().x;
      U32 before = 0;
      if (group > 0) {
        while (inv.atomic_load(flags[group - 1], scope, take) == 0) {
        }
        before = data.non_private()[group - 1];
      }
      data.non_private()[group] = before + group;
      inv.atomic_store(flags[group], scope, give, 1u);
      out[group] = before + group;
    };

constexpr auto private_chain = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                  StorageBuffer<U32> auto out) {
  const U32 group = inv.workgroup_id().x;
  U32 before = 0;
  if (group > 0) {
    while (inv.atomic_load(flags[group - 1], Scope::Device, kAcquireBuffers) == 0) {
    }
    before = data[group - 1];
  }
  data.non_private()[group] = before + group;
  inv.atomic_store(flags[group], Scope::Device, kReleaseBuffers, 1u);
  out[group] = before + group;
};

constexpr auto one_fence = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                              StorageBuffer<U32> auto out) {
  if (inv.workgroup_id().x == 0) {
    data.non_private()[5] = 42u;
    inv.memory_barrier(Scope::Device, kReleaseBuffers);
    inv.atomic_store(flags[0], Scope::Device, kRelaxed, 1u);
  } else {
    while (inv.atomic_load(flags[0], Scope::Device, kRelaxed) == 0) {
    }
    out[0] = data.non_private()[5];
  }
};

constexpr auto fences_of_workgroup_memory = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                               StorageBuffer<U32> auto out) {
  if (inv.workgroup_id().x == 0) {
    data.non_private()[5] = 42u;
    inv.memory_barrier(Scope::Device, kWorkgroupFence);
    inv.atomic_store(flags[0], Scope::Device, kRelaxed, 1u);
  } else {
    while (inv.atomic_load(flags[0], Scope::Device, kRelaxed) == 0) {
    }
    inv.memory_barrier(Scope::Device, kWorkgroupFence);
    out[0] = data.non_private()[5];
  }
};

/// A workgroup writes, one of it tells another workgroup, all of which read.
constexpr auto unfinished = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                               StorageBuffer<U32> auto out) {
  const U32 me = inv.local_invocation_index();
  if (inv.workgroup_id().x == 0) {
    data.non_private()[me] = me + 1;
    if (me == 0) inv.atomic_store(flags[0], Scope::Device, kReleaseBuffers, 1u);
  } else {
    if (me == 0) {
      while (inv.atomic_load(flags[0], Scope::Device, kAcquireBuffers) == 0) {
      }
    }
    inv.workgroup_barrier(kBufferBarrier);
    out[me] = data.non_private()[7 - me];
  }
};

constexpr auto unheard = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                            StorageBuffer<U32> auto out) {
  const U32 me = inv.local_invocation_index();
  if (inv.workgroup_id().x == 0) {
    data.non_private()[me] = me + 1;
    inv.workgroup_barrier(kBufferBarrier);
    if (me == 0) inv.atomic_store(flags[0], Scope::Device, kReleaseBuffers, 1u);
  } else {
    if (me == 0) {
      while (inv.atomic_load(flags[0], Scope::Device, kAcquireBuffers) == 0) {
      }
    }
    inv.workgroup_barrier();
    out[me] = data.non_private()[7 - me];
  }
};

/// The last workgroup adds up what all wrote.
constexpr auto last_without_fences = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                        StorageBuffer<U32> auto out) {
  auto last = workgroup<U32>(inv, "last");
  const U32 me = inv.local_invocation_index();
  const U32 group = inv.workgroup_id().x;
  if (me == 0) {
    data.non_private()[group] = group + 1;
    last = inv.atomic_i_increment(flags[0], Scope::Device, kRelaxed) == inv.num_workgroups().x - 1 ? 1u : 0u;
  }
  inv.workgroup_barrier(kWorkgroupBarrier | kBufferBarrier);
  if (inv.load(last) != 0 && me == 0) {
    U32 sum = 0;
    for (U32 i = 0; i < inv.num_workgroups().x; ++i) sum += data.non_private()[i];
    out[0] = sum;
  }
};

constexpr auto last_without_first_barrier = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                               StorageBuffer<U32> auto out) {
  auto last = workgroup<U32>(inv, "last");
  const U32 me = inv.local_invocation_index();
  const U32 at = inv.global_invocation_id().x;
  data.non_private()[at] = 1u;
  if (me == 0)
    last = inv.atomic_i_increment(flags[0], Scope::Device, kBufferBarrier) == inv.num_workgroups().x - 1 ? 1u : 0u;
  inv.workgroup_barrier(kWorkgroupBarrier | kBufferBarrier);
  if (inv.load(last) != 0 && me == 0) {
    U32 sum = 0;
    for (U32 i = 0; i < 16; ++i) sum += data.non_private()[i];
    out[0] = sum;
  }
};

constexpr auto last_without_second_barrier = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                                StorageBuffer<U32> auto out) {
  auto last = workgroup<U32>(inv, "last", kZeroed);
  const U32 me = inv.local_invocation_index();
  data.non_private()[inv.global_invocation_id().x] = 1u;
  inv.workgroup_barrier(kBufferBarrier);
  if (me == 0)
    last = inv.atomic_i_increment(flags[0], Scope::Device, kBufferBarrier) == inv.num_workgroups().x - 1 ? 1u : 0u;
  if (inv.load(last) != 0) {
    inv.workgroup_barrier(kBufferBarrier);
    if (me == 0) {
      U32 sum = 0;
      for (U32 i = 0; i < 16; ++i) sum += data.non_private()[i];
      out[0] = sum;
    }
  }
};

/// A barrier of all workgroups.
template <MemorySemantics arrive, MemorySemantics wait, bool all_come>
constexpr auto everywhere =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      const U32 me = inv.local_invocation_index();
      const U32 at = inv.global_invocation_id().x;
      data.non_private()[at] = at + 1;
      if constexpr (all_come) inv.workgroup_barrier(kBufferBarrier);
      if (me == 0) {
        inv.atomic_i_increment(flags[0], Scope::Device, arrive);
        while (inv.atomic_load(flags[0], Scope::Device, wait) < inv.num_workgroups().x) {
        }
      }
      inv.workgroup_barrier(kBufferBarrier);
      out[at] = data.non_private()[15 - at];
    };

/// The sums of workgroups by a tree: who comes second to a node takes it up.
constexpr auto tree = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                         StorageBuffer<U32> auto out) {
  U32 node = 3 + inv.workgroup_id().x;
  data.non_private()[node] = node;
  while (node > 0) {
    const U32 parent = (node - 1) / 2;
    if (inv.atomic_i_increment(flags[parent], Scope::Device, kReleaseBuffers) == 0) return;
    const U32 left = data.non_private()[2 * parent + 1];
    const U32 right = data.non_private()[2 * parent + 2];
    data.non_private()[parent] = left + right;
    node = parent;
  }
  out[0] = data.non_private()[0];
};

/// One workgroup hands on slots of a ring, and another one gives them back.
constexpr auto ring = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                         StorageBuffer<U32> auto out) {
  if (inv.workgroup_id().x == 0) {
    for (U32 n = 0; n < 4; ++n) {
      while (inv.atomic_load(flags[1], Scope::Device, kAcquireBuffers) + 2 <= n) {
      }
      data.non_private()[n % 2] = n + 1;
      inv.atomic_store(flags[0], Scope::Device, kReleaseBuffers, n + 1);
    }
  } else {
    for (U32 n = 0; n < 4; ++n) {
      while (inv.atomic_load(flags[0], Scope::Device, kAcquireBuffers) <= n) {
      }
      out[n] = data.non_private()[n % 2];
      inv.atomic_store(flags[1], Scope::Device, kRelaxed, n + 1);
    }
  }
};

}  // namespace

std::vector<Program> messages() {
  const auto sums = [](U32 i) { return i * (i + 1) / 2; };
  const auto answer = [](U32) { return 42u; };
  const auto reversed = [](U32 i) { return 8 - i; };
  const auto sixteen = [](U32) { return 16u; };
  const auto mirrored = [](U32 i) { return 16 - i; };
  const auto add_chain = [&](const std::string& name, const auto& kernel, const std::string& reason = "") {
    return Program{name, by_flags(kernel, 3, 1, 3, sums), reason};
  };
  return {
      add_chain("a chain of Relaxed flags", chain<Scope::Device, kRelaxed, kRelaxed>),
      add_chain("a chain that releases and does not acquire", chain<Scope::Device, kReleaseBuffers, kRelaxed>,
                "but it does not acquire"),
      add_chain("a chain that makes nothing available", chain<Scope::Device, kReleaseUnavailable, kAcquireBuffers>,
                "MakeAvailable is missing"),
      add_chain("a chain that makes nothing visible", chain<Scope::Device, kReleaseBuffers, kAcquireInvisible>,
                "MakeVisible is missing"),
      add_chain("a chain of the scope Workgroup", chain<Scope::Workgroup, kReleaseBuffers, kAcquireBuffers>),
      add_chain("a chain with a private read", private_chain, "is private"),
      {"a fence on one side only", by_flags(one_fence, 2, 1, 1, answer), "but it does not acquire"},
      {"fences of Workgroup memory for buffers", by_flags(fences_of_workgroup_memory, 2, 1, 1, answer),
       "UniformMemory, the storage class of this memory, is missing"},
      {"a flag that is set before all have written", by_flags(unfinished, 2, 8, 8, reversed),
       "no barrier of the workgroup orders the write"},
      {"a flag that all hear of by a barrier of Workgroup memory", by_flags(unheard, 2, 8, 8, reversed)},
      {"the last workgroup without fences", by_flags(last_without_fences, 3, 4, 1, [](U32) { return 6u; })},
      {"the last workgroup without its first barrier", by_flags(last_without_first_barrier, 2, 8, 1, sixteen),
       "no barrier of the workgroup orders the write"},
      {"the last workgroup without its second barrier", by_flags(last_without_second_barrier, 2, 8, 1, sixteen)},
      {"a barrier of all workgroups that does not acquire",
       by_flags(everywhere<kReleaseBuffers, kRelaxed, true>, 2, 8, 16, mirrored), "but it does not acquire"},
      {"a barrier of all workgroups to which not all of one come first",
       by_flags(everywhere<kBufferBarrier, kAcquireBuffers, false>, 2, 8, 16, mirrored)},
      {"a tree of workgroups that does not acquire", by_flags(tree, 4, 1, 1, [](U32) { return 18u; }),
       "but it does not acquire"},
      {"a ring whose slots are given back Relaxed", by_flags(ring, 2, 1, 4, [](U32 i) { return i + 1; })},
  };
}

}  // namespace heddle::corpus
