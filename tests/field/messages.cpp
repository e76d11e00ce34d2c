// Kernels in which a workgroup hands something on to another one.
#include "tests/field/field.h"

namespace heddle::field {
namespace {

/// One writes and sets a flag, the other polls the flag and reads.
constexpr auto message = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                            StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  if (inv.workgroup_id().x % 2 == 0) {
    data.non_private()[pair] = pair + 1;
    inv.atomic_store(flags[pair], dynamic(how.scope), dynamic(how.give), 1u);
  } else {
    while (inv.atomic_load(flags[pair], dynamic(how.scope), dynamic(how.take)) == 0) {
    }
    out[pair] = data.non_private()[pair];
  }
};

/// A message by fences beside Relaxed atomics.
constexpr auto fenced_message = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                   StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  if (inv.workgroup_id().x % 2 == 0) {
    data.non_private()[pair] = pair + 1;
    fence(inv, how.scope, how.give);
    inv.atomic_store(flags[pair], Scope::Device, kNone, 1u);
  } else {
    while (inv.atomic_load(flags[pair], Scope::Device, kNone) == 0) {
    }
    fence(inv, how.scope, how.take);
    out[pair] = data.non_private()[pair];
  }
};

/// Objects are handed on by exchanges.
constexpr auto exchange = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                             StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  if (inv.workgroup_id().x % 2 == 0) {
    data.non_private()[pair] = pair + 1;
    inv.atomic_exchange(flags[pair], dynamic(how.scope), dynamic(how.give), pair + 1);
  } else {
    U32 number = 0;
    while ((number = inv.atomic_exchange(flags[pair], dynamic(how.scope), dynamic(how.take), 0u)) == 0) {
    }
    out[pair] = data.non_private()[number - 1];
  }
};

/// Sums go from each workgroup to the next one.
constexpr auto look_back = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                              StorageBuffer<U32> auto out, How how) {
  const U32 me = inv.workgroup_id().x;
  U32 sum = 0;
  if (me > 0) {
    while (inv.atomic_load(flags[me - 1], dynamic(how.scope), dynamic(how.take)) == 0) {
    }
    sum = data.non_private()[me - 1];
  }
  data.non_private()[me] = sum + 1;
  inv.atomic_store(flags[me], dynamic(how.scope), dynamic(how.give), 1u);
  if (me % 2 == 1) out[me / 2] = sum + 1 - (me / 2 + 1);
};

/// The owner of a deque pushes a task, a thief steals it.
constexpr auto deque = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                          StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  const U32 head = 2 * pair;
  const U32 tail = 2 * pair + 1;
  if (inv.workgroup_id().x % 2 == 0) {
    data.non_private()[pair] = pair + 1;
    fence(inv, how.scope, how.give);
    inv.atomic_store(flags[tail], Scope::Device, kNone, 1u);
    return;
  }
  while (inv.atomic_load(flags[tail], Scope::Device, kNone) <= inv.atomic_load(flags[head], Scope::Device, kNone)) {
  }
  fence(inv, how.scope, how.take);
  const U32 task = data.non_private()[pair];
  if (inv.atomic_compare_exchange(flags[head], Scope::Device, kNone, kNone, 1u, 0u) == 0) out[pair] = task;
};

/// A ring with room for one: the producer waits until the consumer has read.
constexpr auto ring = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                         StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  const U32 written = 2 * pair;
  const U32 read = 2 * pair + 1;
  U32 sum = 0;
  for (U32 item = 0; item < 2; ++item) {
    if (inv.workgroup_id().x % 2 == 0) {
      while (inv.atomic_load(flags[read], dynamic(how.scope), dynamic(how.take)) != item) {
      }
      data.non_private()[pair] = pair + item;
      inv.atomic_store(flags[written], dynamic(how.scope), dynamic(how.give), item + 1);
    } else {
      while (inv.atomic_load(flags[written], dynamic(how.scope), dynamic(how.take)) <= item) {
      }
      sum += data.non_private()[pair];
      inv.atomic_store(flags[read], dynamic(how.scope), dynamic(how.give), item + 1);
    }
  }
  if (inv.workgroup_id().x % 2 == 1) out[pair] = sum - pair;
};

/// The second of three workgroups tells the third that the first has written.
constexpr auto relay = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                          StorageBuffer<U32> auto out, How how) {
  const U32 trio = inv.workgroup_id().x / 3;
  const U32 first = 2 * trio;
  const U32 second = 2 * trio + 1;
  switch (inv.workgroup_id().x % 3) {
    case 0:
      data.non_private()[trio] = trio + 1;
      inv.atomic_store(flags[first], Scope::Device, kReleaseBuffers, 1u);
      break;
    case 1:
      while (inv.atomic_load(flags[first], Scope::Device, dynamic(how.take)) == 0) {
      }
      inv.atomic_store(flags[second], Scope::Device, dynamic(how.give), 1u);
      break;
    default:
      while (inv.atomic_load(flags[second], Scope::Device, kAcquireBuffers) == 0) {
      }
      out[trio] = data.non_private()[trio];
  }
};

}  // namespace

std::vector<Case> messages() {
  std::vector<Case> out;
  add_pairs("message", message, out);
  add_pairs("message by fences", fenced_message, out);
  add_pairs("exchange", exchange, out);
  add_pairs("look-back", look_back, out);
  add_pairs("deque", deque, out);
  add_pairs("ring", ring, out);
  const auto add_relay = [&](const char* what, How how, const char* mends) {
    out.push_back({std::string("relay: ") + what, dispatched(relay, 3 * kPairs, 1, how), *mends == 0, mends});
  };
  add_relay("right", {}, "");
  add_relay("no release", {.give = kNone}, "Release");
  add_relay("no acquire", {.take = kNone}, "Acquire");
  return out;
}

}  // namespace heddle::field
