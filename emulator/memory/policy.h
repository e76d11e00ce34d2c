#pragma once

/// \file
/// How a machine uses the freedom that the memory model gives it.

#include <heddle/choice.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "emulator/trace/listener.h"

namespace heddle::memory {

using trace::CacheLevel;

/// Chances are out of 256.
struct Policy {
  std::string_view name;
  /// What it does, or what it imitates, in a sentence or two for `--help`.
  std::string_view description;

  /// Nothing ever waits and nothing is stale: SequentialMemory. Then the rest means nothing.
  bool sequential = false;

  /// A write waits in its agent's cache; else it goes on at once.
  std::uint32_t delay = 0;
  /// Where a write comes that leaves its agent's cache by itself, and the chance that it stays there,
  /// and at each level after.
  CacheLevel first_level = CacheLevel::Subgroup;
  std::uint32_t rest = 0;
  /// Operations of the machine after which, on average, one waiting write leaves by itself; 0 for
  /// never before its time is up.
  std::uint32_t eviction_interval = 0;
  /// Waiting writes of an agent leave in the order in which they were issued.
  bool in_order = false;
  /// A read is served by a copy that was kept, although a newer value is in reach and the model would
  /// not mind.
  std::uint32_t stale = 0;
  /// Of the copies that the model allows the oldest is taken, else any.
  bool oldest = false;
  /// Copies are kept by a cache of the whole workgroup: its invocations see the same ones, and a
  /// visibility operation of any of them gives them up. Else every invocation has its own.
  bool shared_copies = false;

  /// Operations of the machine after which a write has waited long enough.
  std::uint32_t longest_wait = 4096;
  /// Stale reads of an agent in a row after which it gets the newest value.
  std::uint32_t most_stale = 16;

  friend bool operator==(const Policy&, const Policy&) = default;
};

/// All that have names, `sequential` first.
std::span<const Policy> policies();

/// The policy of that name.
std::optional<Policy> policy_named(std::string_view name);

class Memory;

/// Memory that does as the policy says. Policy and choice must outlive it.
std::unique_ptr<Memory> make_memory(const Policy& policy, Choice& choice);

}  // namespace heddle::memory
