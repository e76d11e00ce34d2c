#pragma once

/// \file
/// A kernel whose barriers are for Workgroup memory alone, with a tag that says so and without.

#include <heddle/heddle.h>

// Each round an invocation hands a number to its neighbour through Workgroup memory, and writes it
// into a log of its own in a buffer. The barrier is the one that everybody writes, which orders
// both kinds of memory. No other invocation looks at the log: of what the barrier does to that
// nothing is needed. Whether it says so (`restricted`) is the only difference; the tags of the
// accesses mean nothing as long as it has none.
template <bool restricted>
constexpr auto hand_round = [](auto& inv, std::uint32_t rounds,
                               heddle::StorageBuffer<std::uint32_t> auto log,
                               heddle::StorageBuffer<std::uint32_t> auto out) {
  using namespace heddle;
  constexpr MemorySemantics kAll = kWorkgroupBarrier | kBufferBarrier;
  constexpr Tags kWorkgroupMemory = tag("sync-as:3");
  constexpr Tags kBuffers = tag("sync-as:1");
  const auto barrier = [&] {
    if constexpr (restricted) {
      inv.control_barrier(Scope::Workgroup, Scope::Device, kAll | kWorkgroupMemory);
    } else {
      inv.control_barrier(Scope::Workgroup, Scope::Device, kAll);
    }
  };
  auto tile = workgroup<std::uint32_t[16]>(inv, "tile");
  const std::uint32_t i = inv.local_invocation_index();
  const std::uint32_t me = inv.global_invocation_id().x;
  std::uint32_t number = me;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    inv.store(tile[i], number, kWorkgroupMemory);
    barrier();
    number = number * 31 + inv.load(tile[(i + 1) % 16], kWorkgroupMemory);
    inv.store(log[me * rounds + round], number, MemoryOperands::NonPrivatePointer | kBuffers);
    barrier();
    number += inv.load(log[me * rounds + round / 2], MemoryOperands::NonPrivatePointer | kBuffers);
  }
  out[me] = number;
};

/// Caches that hold back every write until somebody wants it, and copies that a workgroup shares:
/// where what a fence does is what it costs.
inline heddle::MemoryPolicy lazy_caches() {
  heddle::MemoryPolicy policy;
  policy.name = "lazy caches";
  policy.description = "writes wait for a fence; a workgroup shares its copies";
  policy.delay = 256;
  policy.first_scope = heddle::Scope::Device;
  policy.shared_copies = true;
  policy.stale = 256;
  policy.record_all = true;
  return policy;
}
