// Kernels in which workgroups share what they write: locks, tables, and reductions.
#include "tests/field/field.h"

namespace heddle::field {
namespace {

/// A ticket lock around a counter.
constexpr auto ticket_lock = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  const U32 ticket = inv.atomic_i_add(flags[2 * pair], Scope::Device, kNone, 1u);
  while (inv.atomic_load(flags[2 * pair + 1], dynamic(how.scope), dynamic(how.take)) != ticket) {
  }
  const U32 before = data.non_private()[pair];
  data.non_private()[pair] = before + 1;
  if (ticket == 1) out[pair] = before + pair;
  inv.atomic_store(flags[2 * pair + 1], dynamic(how.scope), dynamic(how.give), ticket + 1);
};

/// A lock that is taken by a compare-exchange.
constexpr auto spin_lock = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                              StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  while (inv.atomic_compare_exchange(flags[pair], dynamic(how.scope), dynamic(how.take), kNone, 1u, 0u) != 0) {
  }
  const U32 before = data.non_private()[pair];
  data.non_private()[pair] = before + 1;
  if (before == 1) out[pair] = pair + 1;
  inv.atomic_store(flags[pair], dynamic(how.scope), dynamic(how.give), 0u);
};

/// Two insert a key: who claims its place writes the value, the other waits for it.
constexpr auto hash_table = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                               StorageBuffer<U32> auto out, How how) {
  const U32 pair = inv.workgroup_id().x / 2;
  const U32 key = 2 * pair;
  const U32 ready = 2 * pair + 1;
  if (inv.atomic_compare_exchange(flags[key], Scope::Device, kNone, kNone, pair + 7, 0u) == 0) {
    data.non_private()[pair] = pair + 1;
    inv.atomic_store(flags[ready], dynamic(how.scope), dynamic(how.give), 1u);
  } else {
    while (inv.atomic_load(flags[ready], dynamic(how.scope), dynamic(how.take)) == 0) {
    }
    out[pair] = data.non_private()[pair];
  }
};

/// Each writes its part, and who comes last adds them up.
constexpr auto last_adds = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                              StorageBuffer<U32> auto out, How how) {
  const U32 me = inv.workgroup_id().x;
  const U32 pair = me / 2;
  data.non_private()[me] = me % 2 == 0 ? pair * 2 : pair + 1;
  fence(inv, how.scope, how.give);
  if (inv.atomic_i_add(flags[pair], Scope::Device, kNone, 1u) == 0) return;
  fence(inv, how.scope, how.take);
  out[pair] = data.non_private()[2 * pair] + data.non_private()[2 * pair + 1] - 2 * pair;
};

/// A barrier of workgroups: each arrives, and waits until all have.
constexpr auto grid_barrier = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto flags,
                                 StorageBuffer<U32> auto out, How how) {
  const U32 me = inv.workgroup_id().x;
  const U32 pair = me / 2;
  data.non_private()[me] = pair + 1;
  inv.atomic_i_add(flags[pair], dynamic(how.scope), dynamic(how.give), 1u);
  while (inv.atomic_load(flags[pair], dynamic(how.scope), dynamic(how.take)) < 2) {
  }
  if (me % 2 == 0) out[pair] = data.non_private()[me + 1];
};

}  // namespace

std::vector<Case> shared_data() {
  std::vector<Case> out;
  add_pairs("ticket lock", ticket_lock, out);
  add_pairs("spin lock", spin_lock, out);
  add_pairs("hash table", hash_table, out);
  add_pairs("last adds", last_adds, out);
  add_pairs("grid barrier", grid_barrier, out);
  return out;
}

}  // namespace heddle::field
