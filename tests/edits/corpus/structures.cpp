// Locks, barriers, rings and queues that workgroups share.
#include "tests/edits/corpus/corpus.h"

#include <algorithm>

namespace heddle::corpus {
namespace {

constexpr U32 kTwo = 64;
constexpr MemorySemantics kImages = MemorySemantics::AcquireRelease | MemorySemantics::ImageMemory |
                                    MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
constexpr MemorySemantics kUnseen = MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory;
constexpr MemorySemantics kReleaseWorkgroup =
    MemorySemantics::Release | MemorySemantics::WorkgroupMemory | MemorySemantics::MakeAvailable;

/// A node is filled in, and then published.
template <MemorySemantics publish, MemorySemantics look>
constexpr auto published =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      auto nodes = data.non_private();
      if (inv.workgroup_id().x == 0) {
        for (U32 version = 1; version < 3; ++version) {
          nodes[2 * version] = version + 10;
          nodes[2 * version + 1] = version + 20;
          inv.atomic_store(flags[0], Scope::Device, publish, 2 * version);
        }
      } else {
        U32 node = 0;
        while ((node = inv.atomic_load(flags[0], Scope::Device, look)) == 0) {
        }
        out[0] = nodes[node + 1] - nodes[node];
      }
    };

/// A lock that readers share: a writer comes where there are no readers.
template <MemorySemantics leave_reading, MemorySemantics leave_writing>
constexpr auto shared_lock =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      constexpr U32 kWriter = 0x80000000u;
      if (inv.workgroup_id().x == 0) {
        while (inv.atomic_compare_exchange(flags[0], Scope::Device, kAcquireBuffers, kRelaxed, kWriter, 0u) != 0) {
        }
        data.non_private()[0] = 5u;
        data.non_private()[1] = 5u;
        inv.atomic_i_sub(flags[0], Scope::Device, leave_writing, kWriter);
      } else {
        for (;;) {
          if (inv.atomic_i_increment(flags[0], Scope::Device, kAcquireBuffers) < kWriter) break;
          inv.atomic_i_decrement(flags[0], Scope::Device, kRelaxed);
        }
        const U32 one = data.non_private()[0];
        const U32 other = data.non_private()[1];
        inv.atomic_i_decrement(flags[0], Scope::Device, leave_reading);
        inv.atomic_u_max(out[0], Scope::Device, kRelaxed, one > other ? one - other : other - one);
      }
    };

/// A barrier of all workgroups, with a counter that goes back to zero and a sense that turns.
template <MemorySemantics arrive, MemorySemantics turn, MemorySemantics wait>
constexpr auto turning =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      const U32 group = inv.workgroup_id().x;
      const U32 groups = inv.num_workgroups().x;
      for (U32 round = 0; round < 2; ++round) {
        data.non_private()[round * 8 + group] = round * 8 + group + 1;
        if (inv.atomic_i_increment(flags[0], Scope::Device, arrive) == groups - 1) {
          inv.atomic_store(flags[0], Scope::Device, kRelaxed, 0u);
          inv.atomic_store(flags[1], Scope::Device, turn, round + 1);
        } else {
          while (inv.atomic_load(flags[1], Scope::Device, wait) <= round) {
          }
        }
        out[round * groups + group] = data.non_private()[round * 8 + (group + 1) % groups];
      }
    };

/// One permit.
constexpr auto permitted = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                              StorageBuffer<U32> auto out) {
  for (;;) {
    const U32 taken = inv.atomic_load(flags[0], Scope::Device, kRelaxed);
    if (taken == 1) continue;
    if (inv.atomic_compare_exchange(flags[0], Scope::Device, kAcquireBuffers, kRelaxed, 1u, 0u) == 0) break;
  }
  data.non_private()[0] += 1u;
  if (data.non_private()[0] == 3) out[0] = 3u;
  inv.atomic_i_decrement(flags[0], Scope::Device, kRelaxed);
};

constexpr auto narrow_ticket = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                  StorageBuffer<U32> auto out) {
  const U32 ticket = inv.atomic_i_increment(flags[0], Scope::Device, kRelaxed);
  while (inv.atomic_load(flags[1], Scope::Workgroup, kAcquireBuffers) != ticket) {
  }
  const U32 now = data.non_private()[0] + 1;
  data.non_private()[0] = now;
  inv.atomic_store(flags[1], Scope::Workgroup, kReleaseBuffers, ticket + 1);
  inv.atomic_u_max(out[0], Scope::Device, kRelaxed, now);
};

/// Cells with numbers that say whose turn it is.
template <MemorySemantics full, MemorySemantics empty>
constexpr auto cells =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      auto values = data.non_private();
      if (inv.workgroup_id().x == 0) {
        for (U32 n = 0; n < 4; ++n) {
          const U32 at = inv.atomic_i_increment(flags[10], Scope::Device, kRelaxed);
          const U32 cell = at % 2;
          while (inv.atomic_load(flags[cell], Scope::Device, kAcquireBuffers) != at / 2 * 2) {
          }
          values[cell] = n + 1;
          inv.atomic_store(flags[cell], Scope::Device, full, at / 2 * 2 + 1);
        }
      } else {
        for (U32 at = 0; at < 4; ++at) {
          const U32 cell = at % 2;
          while (inv.atomic_load(flags[cell], Scope::Device, kAcquireBuffers) != at / 2 * 2 + 1) {
          }
          const U32 value = values[cell];
          inv.atomic_store(flags[cell], Scope::Device, empty, at / 2 * 2 + 2);
          inv.atomic_i_add(out[0], Scope::Device, kRelaxed, value);
        }
      }
    };

/// A look-back with sums and prefixes beside their states.
template <MemorySemantics fence>
constexpr auto looked_back =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      auto sums = data.non_private();
      const U32 group = inv.workgroup_id().x;
      sums[group] = group + 1;
      inv.memory_barrier(Scope::Device, kReleaseBuffers);
      inv.atomic_store(flags[group], Scope::Device, kRelaxed, 1u);
      U32 before = 0;
      for (U32 at = group; at-- > 0;) {
        U32 state = 0;
        while ((state = inv.atomic_load(flags[at], Scope::Device, kRelaxed)) == 0) {
        }
        if constexpr (fence != kRelaxed) inv.memory_barrier(Scope::Device, fence);
        if (state == 2) {
          before += sums[16 + at];
          break;
        }
        before += sums[at];
      }
      sums[16 + group] = before + group + 1;
      inv.memory_barrier(Scope::Device, kReleaseBuffers);
      inv.atomic_store(flags[group], Scope::Device, kRelaxed, 2u);
      out[group] = before + group + 1;
    };

/// Partial tiles are put together by who owns the tile.
template <bool waits>
constexpr auto fixed_up =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      const U32 me = inv.local_invocation_index();
      const U32 group = inv.workgroup_id().x;
      if (group != 0) {
        data.non_private()[group * 8 + me] = group * 10 + me;
        if constexpr (waits) inv.workgroup_barrier(kBufferBarrier);
        if (me == 0) {
          inv.memory_barrier(Scope::Device, kReleaseBuffers);
          inv.atomic_store(flags[group], Scope::Device, kRelaxed, 1u);
        }
        return;
      }
      U32 sum = me;
      for (U32 other = 1; other < inv.num_workgroups().x; ++other) {
        if (me == 0) {
          while (inv.atomic_load(flags[other], Scope::Device, kRelaxed) == 0) {
          }
          inv.memory_barrier(Scope::Device, kAcquireBuffers);
        }
        if constexpr (!waits) inv.workgroup_barrier(kBufferBarrier);
        sum += data.non_private()[other * 8 + me];
      }
      out[me] = sum;
    };

/// Workgroups take items of a counter as long as there are any; the last one of them adds up.
constexpr auto persistent = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                               StorageBuffer<U32> auto out) {
  auto results = data.non_private();
  while (true) {
    const U32 item = inv.atomic_i_increment(flags[0], Scope::Device, kRelaxed);
    if (item >= 6) break;
    results[item] = item + 1;
  }
  if (inv.atomic_i_increment(flags[1], Scope::Device, kReleaseBuffers) != inv.num_workgroups().x - 1) return;
  for (U32 item = 0; item < 6; ++item) out[0] += results[item];
};

/// What is made by whoever needs it first.
constexpr auto made_once = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                              StorageBuffer<U32> auto out) {
  if (inv.atomic_load(flags[0], Scope::Device, kRelaxed) != 2) {
    if (inv.atomic_compare_exchange(flags[0], Scope::Device, kRelaxed, kRelaxed, 1u, 0u) == 0) {
      data.non_private()[0] = 7u;
      inv.atomic_store(flags[0], Scope::Device, kReleaseBuffers, 2u);
    } else {
      while (inv.atomic_load(flags[0], Scope::Device, kAcquireBuffers) != 2) {
      }
    }
  }
  out[inv.workgroup_id().x] = data.non_private()[0];
};

/// Neighbours of a front go to the next one: each node once.
constexpr auto searched = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                             StorageBuffer<U32> auto out) {
  const U32 neighbour = inv.global_invocation_id().x % 4;
  if (data[neighbour] == 0) {
    data[neighbour] = 1u;
    inv.atomic_i_increment(out[neighbour], Scope::Device, kRelaxed);
    inv.atomic_i_increment(flags[0], Scope::Device, kRelaxed);
  }
};

constexpr auto inserted = [](auto& inv, StorageBuffer<U32> auto, StorageBuffer<U32> auto slots) {
  const U32 key = inv.workgroup_id().x + 1;
  U32 slot = 0;
  while (slots[slot] != 0) slot = slot + 1;
  slots[slot] = key;
};

constexpr auto largest = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto,
                            StorageBuffer<U32> auto out) {
  const U32 value = inv.workgroup_id().x + 1 + data[0];
  out[0] = std::max(U32(out[0]), value);
};

/// Versions say whether what was read is of one piece.
constexpr auto versioned = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                              StorageBuffer<U32> auto out) {
  if (inv.workgroup_id().x == 0) {
    inv.atomic_store(flags[0], Scope::Device, kRelaxed, 1u);
    inv.memory_barrier(Scope::Device, kReleaseBuffers);
    data.non_private()[0] = 5u;
    data.non_private()[1] = 5u;
    inv.atomic_store(flags[0], Scope::Device, kReleaseBuffers, 2u);
  } else {
    const U32 before = inv.atomic_load(flags[0], Scope::Device, kAcquireBuffers);
    const U32 one = data.non_private()[0];
    const U32 other = data.non_private()[1];
    inv.memory_barrier(Scope::Device, kAcquireBuffers);
    const U32 behind = inv.atomic_load(flags[0], Scope::Device, kRelaxed);
    out[0] = before == behind && before % 2 == 0 && one != other ? 1u : 0u;
  }
};

/// Fences on both sides that lack the class of what they order.
template <MemorySemantics semantics>
constexpr auto fenced =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      if (inv.workgroup_id().x == 0) {
        for (U32 i = 0; i < 2; ++i) data.non_private()[i] = i + 21;
        inv.memory_barrier(Scope::Device, semantics);
        inv.atomic_i_increment(flags[3], Scope::Device, kRelaxed);
      } else {
        while (inv.atomic_load(flags[3], Scope::Device, kRelaxed) == 0) continue;
        inv.memory_barrier(Scope::Device, semantics);
        for (U32 i = 0; i < 2; ++i) out[i] = data.non_private()[i];
      }
    };

/// A lock in Workgroup memory, for who is elected of each subgroup.
template <MemorySemantics take, MemorySemantics give>
constexpr auto locked_within = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto lock = workgroup<U32>(inv, "lock", kZeroed);
  auto sum = workgroup<U32>(inv, "sum", kZeroed);
  const U32 me = inv.local_invocation_index();
  if (me % 32 == 0) {
    while (inv.atomic_exchange(lock, Scope::Workgroup, take, 1u) != 0) {
    }
    sum += in[me] + 1;
    inv.atomic_store(lock, Scope::Workgroup, give, 0u);
  }
  inv.workgroup_barrier();
  if (me == 0) out[0] = inv.load(sum);
};

/// A message within a workgroup, through its memory.
constexpr auto told_within = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto flag = workgroup<U32>(inv, "flag", kZeroed);
  auto value = workgroup<U32>(inv, "value");
  const U32 me = inv.local_invocation_index();
  if (me == 0) {
    value = in[1] + 4;
    inv.atomic_store(flag, Scope::Workgroup, kRelaxed, 1u);
  } else if (me == 32) {
    while (inv.atomic_load(flag, Scope::Workgroup, kRelaxed) == 0) {
    }
    out[0] = inv.load(value);
  }
};

/// A counter that all of a workgroup wait for, in place of a barrier.
constexpr auto counted_barrier = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  auto arrived = workgroup<U32>(inv, "arrived", kZeroed);
  auto cells = workgroup<U32[kTwo]>(inv, "cells");
  const U32 me = inv.local_invocation_index();
  cells[me] = in[me];
  inv.atomic_i_increment(arrived, Scope::Workgroup, kRelaxed);
  while (inv.atomic_load(arrived, Scope::Workgroup, kRelaxed) < kTwo) {
  }
  out[me] = cells[kTwo - 1 - me];
};

}  // namespace

std::vector<Program> structures() {
  const auto none = [](U32) { return 0u; };
  const auto all_inserted = [](Device& device) {
    auto in = device.buffer<U32>({0u}, "in");
    auto slots = device.buffer(std::vector<U32>(8, 0u), "slots");
    device.dispatch(inserted, {4}, {1}, in, slots);
    const std::vector<U32> found = slots.read();
    return std::count(found.begin(), found.end(), 0u) == 4;
  };
  const auto ten = [](U32) { return 10u; };
  const auto three = [](U32) { return 3u; };
  const auto sums = [](U32 i) { return (i + 1) * (i + 2) / 2; };
  const auto turned = [](U32 i) { return i / 2 * 8 + (i + 1) % 2 + 1; };
  const auto tiles = [](U32 i) { return 3 * i + 30; };
  const auto fenced_values = [](U32 i) { return i + 21; };
  return {
      {"a node that is published Relaxed", by_flags(published<kRelaxed, kAcquireBuffers>, 2, 1, 1, ten)},
      {"a node that is looked at Relaxed", by_flags(published<kReleaseBuffers, kRelaxed>, 2, 1, 1, ten)},
      {"a shared lock that readers leave Relaxed", by_flags(shared_lock<kRelaxed, kReleaseBuffers>, 3, 1, 1, none)},
      {"a shared lock that the writer leaves Relaxed", by_flags(shared_lock<kReleaseBuffers, kRelaxed>, 3, 1, 1, none)},
      {"a turning barrier that is turned Relaxed",
       by_flags(turning<kBufferBarrier, kRelaxed, kAcquireBuffers>, 2, 1, 4, turned)},
      {"a turning barrier to which all come Relaxed",
       by_flags(turning<kRelaxed, kReleaseBuffers, kAcquireBuffers>, 2, 1, 4, turned)},
      {"a permit that is given back Relaxed", by_flags(permitted, 3, 1, 1, three)},
      {"a ticket lock of the scope Workgroup", by_flags(narrow_ticket, 3, 1, 1, three)},
      {"cells that are filled Relaxed", by_flags(cells<kRelaxed, kReleaseBuffers>, 2, 1, 1, ten)},
      {"cells that are emptied Relaxed", by_flags(cells<kReleaseBuffers, kRelaxed>, 2, 1, 1, ten)},
      {"a look-back without a fence", by_flags(looked_back<kRelaxed>, 3, 1, 3, sums)},
      {"a look-back with a fence of images", by_flags(looked_back<kImages>, 3, 1, 3, sums)},
      {"partial tiles whose owner does not wait", by_flags(fixed_up<true>, 3, 8, 8, tiles)},
      {"partial tiles that are announced early", by_flags(fixed_up<false>, 3, 8, 8, tiles)},
      {"items whose last one does not acquire", by_flags(persistent, 3, 1, 1, [](U32) { return 21u; })},
      {"what is made once and looked at Relaxed", by_flags(made_once, 3, 1, 3, [](U32) { return 7u; })},
      {"nodes that go to the next front twice", by_flags(searched, 2, 4, 4, [](U32) { return 1u; })},
      {"keys that are inserted plainly", all_inserted},
      {"a maximum of all that is written plainly", by_flags(largest, 3, 1, 1, three)},
      {"versions of plain data", by_flags(versioned, 2, 1, 1, none)},
      {"fences that make nothing available or visible", by_flags(fenced<kUnseen>, 2, 1, 2, fenced_values)},
      {"fences of images", by_flags(fenced<kImages>, 2, 1, 2, fenced_values)},
      {"a lock in Workgroup memory that is left Relaxed",
       in_groups(locked_within<kWorkgroupBarrier, kRelaxed>, 1, 64, 1, [](U32) { return 34u; })},
      {"a lock in Workgroup memory that is taken Relaxed",
       in_groups(locked_within<kRelaxed, kReleaseWorkgroup>, 1, 64, 1, [](U32) { return 34u; })},
      {"a message in Workgroup memory that is Relaxed", in_groups(told_within, 1, 64, 1, [](U32) { return 5u; })},
      {"a counter in place of a barrier",
       in_groups(counted_barrier, 1, kTwo, kTwo, [](U32 i) { return kTwo - 1 - i; })},
  };
}

}  // namespace heddle::corpus
