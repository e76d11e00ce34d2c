// Locks, tables, queues, and what several dispatches share.
#include "tests/edits/corpus/corpus.h"

#include <algorithm>

namespace heddle::corpus {
namespace {

template <Scope scope, MemorySemantics take, MemorySemantics give>
constexpr auto locked =
    [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags, StorageBuffer<U32> auto out) {
      while (inv.atomic_compare_exchange(flags[0], scope, take, kRelaxed, 1u, 0u) != 0) {
      }
      const U32 sum = data.non_private()[0] + 1;
      data.non_private()[0] = sum;
      inv.atomic_store(flags[0], scope, give, 0u);
      inv.atomic_u_max(out[0], Scope::Device, kRelaxed, sum);
    };

constexpr auto ticketed = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                             StorageBuffer<U32> auto out) {
  const U32 ticket = inv.atomic_i_increment(flags[0], Scope::Device, kRelaxed);
  while (inv.atomic_load(flags[1], Scope::Device, kRelaxed) != ticket) {
  }
  data.non_private()[0] += 1u;
  if (ticket == 2) out[0] = data.non_private()[0];
  inv.atomic_store(flags[1], Scope::Device, kReleaseBuffers, ticket + 1);
};

constexpr auto table = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                          StorageBuffer<U32> auto out) {
  const U32 key = inv.workgroup_id().x / 2 + 7;
  const U32 slot = key % 8;
  if (inv.atomic_compare_exchange(flags[slot], Scope::Device, kRelaxed, kRelaxed, 1u, 0u) == 0) {
    data.non_private()[slot] = key;
    inv.atomic_store(flags[slot], Scope::Device, kRelaxed, 2u);
  } else {
    while (inv.atomic_load(flags[slot], Scope::Device, kRelaxed) != 2) {
    }
    out[inv.workgroup_id().x / 2] = data.non_private()[slot];
  }
};

constexpr auto looked_up = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  const U32 key = in[inv.global_invocation_id().x] / 2 + 1;
  U32 slot = key % 2;
  for (;;) {
    if (out[slot] == key) return;
    const U32 old = inv.atomic_compare_exchange(out[slot], Scope::Device, kRelaxed, kRelaxed, key, 0u);
    if (old == 0 || old == key) return;
    slot = (slot + 1) % 8;
  }
};

constexpr auto queued = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                           StorageBuffer<U32> auto out) {
  const U32 group = inv.workgroup_id().x;
  if (group % 2 == 0) {
    const U32 at = inv.atomic_i_increment(flags[0], Scope::Device, kRelaxed);
    data.non_private()[at] = 9u;
    inv.atomic_store(flags[2 + at], Scope::Device, kRelaxed, 1u);
  } else {
    const U32 at = inv.atomic_i_increment(flags[1], Scope::Device, kRelaxed);
    while (inv.atomic_load(flags[2 + at], Scope::Device, kAcquireBuffers) == 0) {
    }
    out[at] = data.non_private()[at];
  }
};

constexpr auto pushed = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                           StorageBuffer<U32> auto out) {
  const U32 node = inv.workgroup_id().x + 1;
  U32 head = inv.atomic_load(flags[0], Scope::Device, kRelaxed);
  for (;;) {
    data.non_private()[node] = head;
    const U32 seen = inv.atomic_compare_exchange(flags[0], Scope::Device, kRelaxed, kRelaxed, node, head);
    if (seen == head) break;
    head = seen;
  }
  if (inv.atomic_i_increment(flags[1], Scope::Device, kRelaxed) + 1 < inv.num_workgroups().x) return;
  U32 length = 0;
  for (U32 at = inv.atomic_load(flags[0], Scope::Device, kRelaxed); at != 0; at = data.non_private()[at]) ++length;
  out[0] = length;
};

constexpr auto popped = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                           StorageBuffer<U32> auto out) {
  if (inv.workgroup_id().x == 0) {
    data.non_private()[1] = 11u;
    data.non_private()[2] = 12u;
    inv.atomic_exchange(flags[0], Scope::Device, kRelaxed, 2u);
  } else {
    U32 top = 0;
    while ((top = inv.atomic_exchange(flags[0], Scope::Device, kRelaxed, 0u)) == 0) {
    }
    out[0] = data.non_private()[top];
  }
};

constexpr auto visited = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  const U32 neighbour = in[inv.global_invocation_id().x] % 4;
  if (out[neighbour] == 0) {
    out[neighbour] = 1u;
  }
};

constexpr auto counted_plainly = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  out[in[inv.global_invocation_id().x] % 4] += 1u;
};

constexpr auto scopes_of_atomics = [](auto& inv, StorageBuffer<U32> auto in, StorageBuffer<U32> auto out) {
  inv.atomic_i_increment(out[in[inv.global_invocation_id().x] % 4], Scope::Workgroup, kRelaxed);
};

constexpr auto stolen = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                           StorageBuffer<U32> auto out) {
  if (inv.workgroup_id().x == 0) {
    for (U32 n = 0; n < 2; ++n) {
      data.non_private()[n] = n + 1;
      inv.atomic_store(flags[1], Scope::Device, kRelaxed, n + 1);
    }
  } else {
    for (;;) {
      const U32 top = inv.atomic_load(flags[0], Scope::Device, kRelaxed);
      if (inv.atomic_load(flags[1], Scope::Device, kRelaxed) <= top) continue;
      inv.memory_barrier(Scope::Device, kAcquireBuffers);
      const U32 task = data.non_private()[top];
      if (inv.atomic_compare_exchange(flags[0], Scope::Device, kRelaxed, kRelaxed, top + 1, top) != top) continue;
      out[top] = task;
      return;
    }
  }
};

constexpr auto flags_of_an_image = [](auto& inv, StorageBuffer<U32> auto data,
                                      StorageImage<U32, ImageDim::Dim1D> auto flags, StorageBuffer<U32> auto out) {
  auto texel = flags.texel(0);
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 42u;
    inv.memory_barrier(Scope::Device, kReleaseBuffers);
    inv.atomic_store(texel, Scope::Device, kRelaxed, 1u);
  } else {
    while (inv.atomic_load(texel, Scope::Device, kRelaxed) == 0) {
    }
    inv.memory_barrier(Scope::Device, kAcquireBuffers);
    out[0] = data.non_private()[0];
  }
};

constexpr auto produce = [](auto& inv, StorageBuffer<U32> auto x) {
  x[inv.global_invocation_id().x] = inv.global_invocation_id().x;
};
constexpr auto consume = [](auto& inv, StorageBuffer<const U32> auto x, StorageBuffer<U32> auto y) {
  y[inv.global_invocation_id().x] = x[7 - inv.global_invocation_id().x];
};

}  // namespace

std::vector<Program> shared() {
  const auto three = [](U32) { return 3u; };
  const auto four = [](U32) { return 4u; };
  const auto with_image = [](Device& device) {
    auto data = device.buffer<U32>({0u}, "data");
    auto flags = device.image<U32, ImageDim::Dim1D>({1}, "flags");
    flags.write(std::vector<U32>(1, 0));
    auto out = device.buffer<U32>({0u}, "out");
    device.dispatch(flags_of_an_image, {2}, {1}, data, flags, out);
    return out.read()[0] == 42;
  };
  const auto finds_all = [](Device& device) {
    auto in = device.buffer(counted(8), "in");
    auto slots = device.buffer(std::vector<U32>(8, 0u), "slots");
    device.dispatch(looked_up, {2}, {4}, in, slots);
    const std::vector<U32> found = slots.read();
    return std::count(found.begin(), found.end(), 0u) == 4;
  };
  const auto in_two = [](bool reads_first) {
    return [reads_first](Device& device) {
      auto x = device.buffer(std::vector<U32>(8, 5u), "x");
      auto y = device.buffer(std::vector<U32>(8, 0u), "y");
      device.submit([&](Commands& commands) {
        if (reads_first) commands.dispatch(consume, {2}, {4}, read_only(x), y);
        commands.dispatch(produce, {2}, {4}, x);
        if (!reads_first) commands.dispatch(consume, {2}, {4}, read_only(x), y);
      });
      return y.read()[0] == (reads_first ? 5 : 7);
    };
  };
  return {
      {"a lock that is left Relaxed", by_flags(locked<Scope::Device, kAcquireBuffers, kRelaxed>, 3, 1, 1, three),
       "but that does not release"},
      {"a lock that is taken Relaxed", by_flags(locked<Scope::Device, kRelaxed, kReleaseBuffers>, 3, 1, 1, three),
       "but it does not acquire"},
      {"a lock of the scope Workgroup",
       by_flags(locked<Scope::Workgroup, kAcquireBuffers, kReleaseBuffers>, 3, 1, 1, three)},
      {"a ticket lock that does not acquire", by_flags(ticketed, 3, 1, 1, three)},
      {"a table whose slots are Relaxed", by_flags(table, 4, 1, 2, [](U32 i) { return i + 7; })},
      {"a plain look into a table", finds_all},
      {"a queue whose slots are filled Relaxed", by_flags(queued, 4, 1, 2, [](U32) { return 9u; })},
      {"a list whose nodes are pushed Relaxed", by_flags(pushed, 3, 1, 1, three)},
      {"a stack that is handed over Relaxed", by_flags(popped, 2, 1, 1, [](U32) { return 12u; })},
      {"nodes that are visited plainly", in_groups(visited, 2, 4, 4, [](U32) { return 1u; })},
      {"a histogram that is counted plainly", in_groups(counted_plainly, 2, 8, 4, four)},
      {"a histogram of atomics of the scope Workgroup", in_groups(scopes_of_atomics, 2, 8, 4, four)},
      {"a deque with a fence of the thief only", by_flags(stolen, 3, 1, 2, [](U32 i) { return i + 1; })},
      {"flags of an image for data of a buffer", with_image, "ImageMemory, the storage class of what"},
      {"a dispatch that reads what the one before wrote", in_two(false)},
      {"a dispatch that writes what the one before read", in_two(true)},
  };
}

}  // namespace heddle::corpus
