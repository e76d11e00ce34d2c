#pragma once

/// \file
/// Small kernels of which all executions are asked for, by the tests and by the benchmarks. Each takes two buffers of
/// zeros, "x" and "out".

#include <heddle/explore_kernel.h>

#include <cstdint>
#include <vector>

namespace heddle::known {

inline constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;
/// So many elements each buffer has.
inline constexpr std::uint32_t kElements = 32;

template <typename Kernel>
KernelExecutions explored(const Kernel& kernel, std::uint32_t groups, std::uint32_t local,
                          const KernelBounds& bounds = {}) {
  return explore_kernel(
      [&](KernelExploration& exploration) {
        auto x = exploration.device().buffer(std::vector<std::uint32_t>(kElements), "x");
        auto out = exploration.device().buffer(std::vector<std::uint32_t>(kElements), "out");
        return exploration.dispatch(kernel, groups, local, x, out);
      },
      bounds);
}

/// A message from one workgroup to another, which waits for it.
inline constexpr auto message = [](auto& inv, auto x, auto out) {
  if (inv.workgroup_id().x == 0) {
    x.non_private()[0] = 7u;
    inv.atomic_store(x[1], Scope::Device, kReleaseBuffers, 1u);
  } else {
    while (inv.atomic_load(x[1], Scope::Device, kAcquireBuffers) == 0) continue;
    out[0] = x.non_private()[0];
  }
};

/// Each workgroup counts once, under a lock that is handed on in the order of tickets.
inline constexpr auto ticket_lock = [](auto& inv, auto x, auto out) {
  const std::uint32_t ticket = inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u);
  while (inv.atomic_load(x[1], Scope::Device, kAcquireBuffers) != ticket) continue;
  out.non_private()[0] = out.non_private()[0] + 1;
  inv.atomic_store(x[1], Scope::Device, kReleaseBuffers, ticket + 1);
};

/// Each workgroup counts once, under a lock that is taken by an exchange.
inline constexpr auto exchange_lock = [](auto& inv, auto x, auto out) {
  while (inv.atomic_exchange(x[0], Scope::Device, kAcquireBuffers, 1u) != 0) continue;
  out.non_private()[0] = out.non_private()[0] + 1;
  inv.atomic_store(x[0], Scope::Device, kReleaseBuffers, 0u);
};

/// Each workgroup counts once, under a lock that is taken by a compare-exchange.
inline constexpr auto compare_lock = [](auto& inv, auto x, auto out) {
  while (inv.atomic_compare_exchange(x[0], Scope::Device, kAcquireBuffers, kRelaxed, 1u, 0u) != 0) continue;
  out.non_private()[0] = out.non_private()[0] + 1;
  inv.atomic_store(x[0], Scope::Device, kReleaseBuffers, 0u);
};

/// Decoupled look-back: each workgroup publishes its own sum, adds up those before it until one is the sum of all up to
/// there, and publishes that. The status is in the two lowest bits.
inline constexpr auto look_back = [](auto& inv, auto x, auto out) {
  constexpr std::uint32_t kOwn = 1;
  constexpr std::uint32_t kAll = 2;
  const std::uint32_t group = inv.workgroup_id().x;
  auto before = inv.template workgroup<std::uint32_t>("before");
  if (inv.local_invocation_index() == 0) {
    const std::uint32_t own = group + 1;
    std::uint32_t sum = 0;
    if (group != 0) {
      inv.atomic_store(x[group], Scope::Device, kRelaxed, own << 2 | kOwn);
      for (std::uint32_t at = group; at-- > 0;) {
        std::uint32_t seen = 0;
        while ((seen = inv.atomic_load(x[at], Scope::Device, kRelaxed)) == 0) continue;
        sum += seen >> 2;
        if ((seen & 3u) == kAll) break;
      }
    }
    inv.atomic_store(x[group], Scope::Device, kRelaxed, (sum + own) << 2 | kAll);
    before = sum;
  }
  if (inv.workgroup_size().x > 1) inv.workgroup_barrier();
  const std::uint32_t sum = before;
  out[inv.global_invocation_id().x] = sum;
};

/// The sum of as many elements as there are invocations, by a tree whose levels barriers separate.
inline constexpr auto tree = [](auto& inv, auto, auto out) {
  auto sums = inv.template workgroup<std::uint32_t[8]>("sums");
  const std::uint32_t me = inv.local_invocation_index();
  sums[me] = me + 1;
  for (std::uint32_t width = inv.workgroup_size().x / 2; width > 0; width /= 2) {
    inv.workgroup_barrier();
    if (me < width) sums[me] += sums[me + width];
  }
  if (me == 0) out[0] = sums[0];
};

/// Each workgroup adds up by atomics; the last one that comes adds up the sums.
inline constexpr auto last_block = [](auto& inv, auto x, auto out) {
  auto sum = inv.template workgroup<std::uint32_t>("sum");
  inv.atomic_i_add(sum, Scope::Workgroup, kRelaxed, 1u);
  inv.workgroup_barrier();
  if (inv.local_invocation_index() != 0) return;
  out.non_private()[inv.workgroup_id().x] = inv.atomic_load(sum, Scope::Workgroup, kRelaxed);
  const std::uint32_t done = inv.atomic_i_add(x[0], Scope::Device, kBufferBarrier, 1u);
  if (done == 1) out[2] = out.non_private()[0] + out.non_private()[1];
};

/// The deque of Chase and Lev: the owner pushes a task and takes one from the same end, thieves take from the other.
/// What each workgroup got is in `out`, 0 if it found nothing.
inline constexpr auto deque = [](auto& inv, auto x, auto out) {
  constexpr std::uint32_t kTop = 0;
  constexpr std::uint32_t kBottom = 1;
  constexpr std::uint32_t kTasks = 2;
  const std::uint32_t me = inv.workgroup_id().x;
  if (me == 0) {
    x.non_private()[kTasks] = 5u;
    inv.atomic_store(x[kBottom], Scope::Device, kReleaseBuffers, 1u);
    // Takes it back.
    inv.atomic_exchange(x[kBottom], Scope::Device, kBufferBarrier, 0u);
    const std::uint32_t top = inv.atomic_load(x[kTop], Scope::Device, kAcquireBuffers);
    if (top == 0 && inv.atomic_compare_exchange(x[kTop], Scope::Device, kBufferBarrier, kAcquireBuffers, 1u, 0u) == 0)
      out[0] = x.non_private()[kTasks];
    inv.atomic_store(x[kBottom], Scope::Device, kReleaseBuffers, 1u);
    return;
  }
  const std::uint32_t top = inv.atomic_load(x[kTop], Scope::Device, kAcquireBuffers);
  if (inv.atomic_load(x[kBottom], Scope::Device, kAcquireBuffers) <= top) return;
  const std::uint32_t task = x.non_private()[kTasks];
  if (inv.atomic_compare_exchange(x[kTop], Scope::Device, kBufferBarrier, kRelaxed, top + 1, top) == top)
    out[me] = task;
};

}  // namespace heddle::known
