#pragma once

/// \file
/// How the memory of an emulated device uses the freedom that the memory model gives it.

#include <heddle/spirv.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heddle {

/// What the caches of an emulated device do. Whatever the numbers, every execution is one that the
/// Vulkan memory model allows. Chances are out of 256.
struct MemoryPolicy {
  std::string_view name = "custom";
  /// What it does, or what it imitates, in a sentence or two.
  std::string_view description;

  /// Nothing ever waits and nothing is stale: sequentially consistent. Then the rest means nothing.
  bool sequential = false;

  /// A write waits in the cache of its (invocation, reference); else it goes on at once.
  std::uint32_t delay = 0;
  /// The scope to whose memory domain a write comes first that goes on by itself (Subgroup, Workgroup,
  /// QueueFamily or Device), and the chance that it stays there, and at each wider one after.
  Scope first_scope = Scope::Subgroup;
  std::uint32_t rest = 0;
  /// Memory operations of the device after which, on average, one waiting write goes on by itself; 0
  /// for never before its time is up.
  std::uint32_t eviction_interval = 0;
  /// The writes of an invocation leave its caches in the order in which they were issued: who waits, and who comes
  /// behind, goes first in, first out; updates, and writes that make themselves available, let all before them go.
  bool in_order = false;
  /// A read is served by a copy that was kept, although a newer value is in reach and the model would
  /// not mind.
  std::uint32_t stale = 0;
  /// Whether the oldest copy that the model allows is taken; else any.
  bool oldest = false;
  /// Copies are kept by a cache of the whole workgroup: its invocations see the same ones, and a
  /// visibility operation of any of them gives them up. Else every invocation has its own.
  bool shared_copies = false;

  /// In litmus tests a read that could wait for its value is answered late, after accesses that follow it and
  /// need neither its value nor its bytes (load buffering). Kernels get every value at once.
  std::uint32_t late_reads = 0;

  /// What the numbers above say is true of writes that the memory remembers: of the first 64 granules (of eight bytes)
  /// of a submission that are written, of the first 2 writes of each line of the source in each workgroup (4 of an
  /// atomic's), and of one in some 64 of the others; as long as an access to the granule comes soon, something of it
  /// waits, or others do not need its room. So under "adversarial" nothing of those moves before it must. All others
  /// are the same for everybody at once. If true every write is remembered, whatever memory and time that takes; at
  /// most 64 wait at a time, then the oldest goes on. (By name: "adversarial:all".)
  bool record_all = false;

  /// Progress: memory operations of the device after which a write has waited long enough.
  std::uint32_t longest_wait = 4096;
  /// Progress: stale reads of an invocation after which it gets the newest value, once. (Reads that can be nothing
  /// but the newest value do not count.)
  std::uint32_t most_stale = 16;

  friend bool operator==(const MemoryPolicy&, const MemoryPolicy&) = default;
};

/// All policies that have names: "sequential", "random", "adversarial", and those that imitate
/// hardware.
std::span<const MemoryPolicy> memory_policies();

/// The policy of that name; with ":all" behind it the one that remembers every write (MemoryPolicy::record_all). Throws
/// std::invalid_argument, which lists the names, where no policy has that one.
MemoryPolicy memory_policy(std::string_view name);

}  // namespace heddle
