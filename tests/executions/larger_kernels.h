#pragma once

/// \file
/// Kernels of which all executions are many more than of the known ones. Each takes two buffers of zeros, "x" and
/// "out", and each of its workgroups has one invocation.

#include <heddle/explore_kernel.h>

#include <cstdint>

#include "tests/executions/known_kernels.h"

namespace heddle::larger {

using known::kRelaxed;

/// Two elements that one workgroup writes and the others read, and a number that is odd while they are written. What a
/// reader saw is in `out`: 1 for the old pair, 12 for the new one.
inline constexpr auto sequence_lock = [](auto& inv, auto x, auto out) {
  constexpr std::uint32_t kSequence = 0;
  const std::uint32_t me = inv.workgroup_id().x;
  if (me == 0) {
    inv.atomic_store(x[kSequence], Scope::Device, kRelaxed, 1u);
    inv.memory_barrier(Scope::Device, kReleaseBuffers);
    inv.atomic_store(x[1], Scope::Device, kRelaxed, 1u);
    inv.atomic_store(x[2], Scope::Device, kRelaxed, 1u);
    inv.atomic_store(x[kSequence], Scope::Device, kReleaseBuffers, 2u);
    return;
  }
  const std::uint32_t before = inv.atomic_load(x[kSequence], Scope::Device, kAcquireBuffers);
  const std::uint32_t first = inv.atomic_load(x[1], Scope::Device, kRelaxed);
  const std::uint32_t second = inv.atomic_load(x[2], Scope::Device, kRelaxed);
  inv.memory_barrier(Scope::Device, kAcquireBuffers);
  const std::uint32_t after = inv.atomic_load(x[kSequence], Scope::Device, kRelaxed);
  if (before == after && before % 2 == 0) out[me] = 1 + 10 * first + second;
};

/// One workgroup publishes a new version, waits until nobody reads, and then overwrites the old one. The others read
/// whatever is published.
inline constexpr auto read_copy_update = [](auto& inv, auto x, auto out) {
  constexpr std::uint32_t kPointer = 0;
  constexpr std::uint32_t kReaders = 1;
  constexpr std::uint32_t kVersions = 2;
  const std::uint32_t me = inv.workgroup_id().x;
  if (me == 0) {
    x.non_private()[kVersions + 1] = 5u;
    inv.atomic_store(x[kPointer], Scope::Device, kReleaseBuffers, 1u);
    while (inv.atomic_i_add(x[kReaders], Scope::Device, kBufferBarrier, 0u) != 0) continue;
    x.non_private()[kVersions] = 9u;
    return;
  }
  inv.atomic_i_add(x[kReaders], Scope::Device, kBufferBarrier, 1u);
  const std::uint32_t version = inv.atomic_load(x[kPointer], Scope::Device, kAcquireBuffers);
  out[me] = 1 + x.non_private()[kVersions + version];
  inv.atomic_i_sub(x[kReaders], Scope::Device, kBufferBarrier, 1u);
};

/// As that, where the reader says which version it reads, and looks once more whether it is still published.
inline constexpr auto hazard_pointer = [](auto& inv, auto x, auto out) {
  constexpr std::uint32_t kPointer = 0;
  constexpr std::uint32_t kHazards = 4;
  constexpr std::uint32_t kVersions = 2;
  const std::uint32_t me = inv.workgroup_id().x;
  const std::uint32_t readers = inv.num_workgroups().x - 1;
  if (me == 0) {
    x.non_private()[kVersions + 1] = 5u;
    inv.atomic_store(x[kPointer], Scope::Device, kReleaseBuffers, 1u);
    for (std::uint32_t i = 1; i <= readers; ++i)
      while (inv.atomic_i_add(x[kHazards + i], Scope::Device, kBufferBarrier, 0u) == 1) continue;
    x.non_private()[kVersions] = 9u;
    return;
  }
  std::uint32_t version = inv.atomic_load(x[kPointer], Scope::Device, kAcquireBuffers);
  for (;;) {
    inv.atomic_exchange(x[kHazards + me], Scope::Device, kBufferBarrier, version + 1);
    const std::uint32_t still = inv.atomic_load(x[kPointer], Scope::Device, kAcquireBuffers);
    if (still == version) break;
    version = still;
  }
  out[me] = 1 + x.non_private()[kVersions + version];
  inv.atomic_store(x[kHazards + me], Scope::Device, kReleaseBuffers, 0u);
};

/// A queue of two places: half of the workgroups put something in, the others take something out.
inline constexpr auto queue = [](auto& inv, auto x, auto out) {
  constexpr std::uint32_t kTail = 0;
  constexpr std::uint32_t kHead = 1;
  constexpr std::uint32_t kTurns = 2;
  constexpr std::uint32_t kPlaces = 2;
  constexpr std::uint32_t kValues = kTurns + kPlaces;
  const std::uint32_t me = inv.workgroup_id().x;
  const bool puts = me < inv.num_workgroups().x / 2;
  const std::uint32_t ticket = inv.atomic_i_add(x[puts ? kTail : kHead], Scope::Device, kRelaxed, 1u);
  const std::uint32_t place = ticket % kPlaces;
  const std::uint32_t turn = ticket / kPlaces * 2 + (puts ? 0u : 1u);
  while (inv.atomic_load(x[kTurns + place], Scope::Device, kAcquireBuffers) != turn) continue;
  if (puts)
    x.non_private()[kValues + place] = me + 1;
  else
    out[me] = x.non_private()[kValues + place];
  inv.atomic_store(x[kTurns + place], Scope::Device, kReleaseBuffers, turn + 1);
};

/// What all workgroups have written, added up behind a barrier of theirs.
inline constexpr auto add_up = [](auto& inv, auto x, auto out, std::uint32_t first) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < inv.num_workgroups().x; ++i) sum += x.non_private()[first + i];
  out[inv.workgroup_id().x] = sum;
};

/// A barrier of four workgroups: pairs meet, and the last ones of the pairs.
inline constexpr auto tree_barrier = [](auto& inv, auto x, auto out) {
  constexpr std::uint32_t kRoot = 2;
  constexpr std::uint32_t kOpen = 3;
  constexpr std::uint32_t kValues = 4;
  const std::uint32_t me = inv.workgroup_id().x;
  x.non_private()[kValues + me] = 1u;
  if (inv.atomic_i_add(x[me / 2], Scope::Device, kBufferBarrier, 1u) == 1 &&
      inv.atomic_i_add(x[kRoot], Scope::Device, kBufferBarrier, 1u) == 1)
    inv.atomic_store(x[kOpen], Scope::Device, kReleaseBuffers, 1u);
  while (inv.atomic_load(x[kOpen], Scope::Device, kAcquireBuffers) == 0) continue;
  add_up(inv, x, out, kValues);
};

/// A barrier of four workgroups in two rounds, in each of which everyone tells one and waits for another one.
inline constexpr auto dissemination_barrier = [](auto& inv, auto x, auto out) {
  constexpr std::uint32_t kWorkgroups = 4;
  constexpr std::uint32_t kValues = 2 * kWorkgroups;
  const std::uint32_t me = inv.workgroup_id().x;
  x.non_private()[kValues + me] = 1u;
  for (std::uint32_t round = 0; round < 2; ++round) {
    const std::uint32_t next = (me + (1u << round)) % kWorkgroups;
    inv.atomic_store(x[round * kWorkgroups + next], Scope::Device, kReleaseBuffers, 1u);
    while (inv.atomic_load(x[round * kWorkgroups + me], Scope::Device, kAcquireBuffers) == 0) continue;
  }
  add_up(inv, x, out, kValues);
};

/// The sum of all up to each invocation, of one workgroup, in rounds that barriers separate.
inline constexpr auto scan = [](auto& inv, auto, auto out) {
  auto sums = inv.template workgroup<std::uint32_t[32]>("sums");
  const std::uint32_t me = inv.local_invocation_index();
  const std::uint32_t size = inv.workgroup_size().x;
  sums[me] = me + 1;
  for (std::uint32_t distance = 1; distance < size; distance *= 2) {
    inv.workgroup_barrier();
    const std::uint32_t left = me >= distance ? sums[me - distance] : 0u;
    inv.workgroup_barrier();
    if (me >= distance) sums[me] += left;
  }
  out[me] = sums[me];
};

}  // namespace heddle::larger
