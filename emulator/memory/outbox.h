#pragma once

/// \file
/// The writes that wait in the caches of their agents, and which of them go when.

#include <heddle/memory_policy.h>

#include "emulator/memory/draws.h"
#include "emulator/memory/granule_access.h"
#include "emulator/memory/write_order.h"

namespace heddle::memory {

/// Keeps waiting writes, in the order in which they were issued, until each of them takes its place among the versions
/// of its granule.
///
/// A write waits in the cache of its agent and reference; no other agent meets it there. WaitingList::kMost of them
/// wait at most: for one more the oldest goes. An update never comes behind a write that is mutually ordered with it
/// and was issued later. Under a policy that keeps the order of an invocation, whatever an agent issued before a write
/// goes before it. The counts of waiting writes that granules have are kept here alone.
///
/// A position is a waiting write's number in that order; what goes leaves its position to the next one.
class Outbox {
 public:
  /// Whatever is passed by reference outlives the outbox.
  Outbox(const MemoryPolicy& policy, GranuleTable& granules, WriteOrder& order, Draws& draws,
         Synchronization& synchronization, MemoryReport& report)
      : policy_(policy),
        first_level_(cache_of(policy.first_scope)),
        granules_(granules),
        order_(order),
        draws_(draws),
        synchronization_(synchronization),
        report_(report) {}
  void restart() { waiting_.clear(); }

  bool empty() const { return waiting_.empty(); }
  std::uint32_t size() const { return waiting_.size(); }
  Waiting& operator[](std::size_t position) { return waiting_[position]; }
  const Waiting& operator[](std::size_t position) const { return waiting_[position]; }
  auto begin() { return waiting_.begin(); }
  auto end() { return waiting_.end(); }
  /// Whether a write of that agent waits.
  bool has(AgentId agent) const;
  /// Whether it waits in the cache that the access goes to.
  static bool is_own(const Waiting& waiting, const GranuleAccess& access) {
    return waiting.agent == access.agent.id && waiting.reference == access.operation.reference;
  }

  /// Room for a write to that granule, which waits from now on. The caller fills it.
  Waiting& wait(Granule& granule, std::uint32_t record);
  Waiting& wait_as_update(Granule& granule, std::uint32_t record, const GranuleAccess& updating, trace::Value old);
  /// Writes to an allocation that is gone wait no more.
  void remove(AllocationId allocation);

  /// How far a write comes that goes on by itself.
  CacheLevel climb();
  /// The write at this position goes: it becomes a version that has come to `level`. Returns the position of what
  /// followed it.
  [[gnu::noinline]] std::size_t place(std::size_t position, CacheLevel level, trace::MoveReason reason);
  /// The write goes, and before it what the policy wants to go first.
  std::size_t place_in_turn(std::size_t position, CacheLevel level, trace::MoveReason reason);
  /// In their turn all go for which `goes` is true, each as far as `level` says then, and at least as far as it is
  /// available by itself. Returns how many these were.
  template <typename Goes, typename Level>
  std::uint32_t place_those(Goes goes, Level level, trace::MoveReason reason) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < waiting_.size();) {
      const Waiting& w = waiting_[i];
      if (!goes(w)) {
        ++i;
        continue;
      }
      ++count;
      i = place_in_turn(i, std::max(level(), w.least_level()), reason);
    }
    return count;
  }
  /// Every write of the agent goes, to everybody.
  [[gnu::noinline]] void drain(AgentId agent);

  // Before an access to a granule of which something waits:
  /// What the agent must know of goes. Returns which bytes of the access the agent has waiting itself.
  ByteMask show_known(std::uint32_t record, const GranuleAccess& access);
  /// What the agent has waiting for these bytes goes, or is lost to the write that the agent makes now.
  [[gnu::noinline]] void overwrite(std::uint32_t record, const GranuleAccess& writing);
  /// Updates go that are mutually ordered with the write.
  [[gnu::noinline]] void let_updates_go_first(std::uint32_t record, const GranuleAccess& writing);
  /// Whether an update waits that is mutually ordered with the access, and read something else than `left`.
  bool has_update_of_other(std::uint32_t record, const GranuleAccess& updating, trace::Value left) const;
  /// Updates that wait have read from the version `between`, which left what they had read and released nothing.
  [[gnu::noinline]] void read_instead(Granule& granule, std::uint32_t record, const InScope& between, Stamp stamp);

  // An agent's reads of what it has waiting itself:
  /// Whether the agent reads from a waiting write of its own, which has all of the bytes. `own`: those that it has
  /// waiting in any. Writes that cannot be read so go.
  bool serves(std::uint32_t record, const GranuleAccess& reading, ByteMask own);
  /// The write that serves a read; null if none has all of its bytes.
  Waiting* own_write(std::uint32_t record, const GranuleAccess& reading);
  /// Writes what serves the read over the bytes of `value`.
  void read_own(std::uint32_t record, const GranuleAccess& reading, trace::Value& value);

  // All go, in an order that is drawn where the policy keeps none:
  void place_all();
  /// The next one, which becomes no version; valid until one more waits.
  Waiting& take_next();

 private:
  [[gnu::noinline]] void place_known(std::uint32_t record, const GranuleAccess& access);
  [[gnu::noinline]] void place_own(std::uint32_t record, const GranuleAccess& reading);
  [[gnu::noinline]] bool synchronizes_by_tags(std::uint32_t record, const GranuleAccess& reading) const;
  std::size_t let_updates_go_before(std::size_t position);
  std::size_t next_to_go();

  const MemoryPolicy& policy_;
  const CacheLevel first_level_;
  GranuleTable& granules_;
  WriteOrder& order_;
  Draws& draws_;
  Synchronization& synchronization_;
  MemoryReport& report_;
  WaitingList waiting_;
};

}  // namespace heddle::memory
