#pragma once

/// \file
/// Availability and visibility: the operations that move writes, and what chains of them make available and visible.

#include "emulator/memory/granule_access.h"
#include "emulator/memory/outbox.h"
#include "emulator/memory/write_order.h"

namespace heddle::memory {

/// Performs availability operations, and says which versions have become available or visible to an access by chains
/// of them.
///
/// Where a rule would be costly to follow to the letter it takes more order than the memory model demands, never less:
/// where all agents share one clock slot, and between accesses of different classes.
class Chains {
 public:
  /// All of these outlive the chains.
  Chains(GranuleTable& granules, Outbox& outbox, WriteOrder& order, Synchronization& synchronization,
         MemoryReport& report)
      : granules_(granules), outbox_(outbox), order_(order), synchronization_(synchronization), report_(report) {}
  void restart() { one_slot_ = links_classes_ = any_on_device_ = false; }

  /// Whether all agents share one clock slot, as far as chains know; from now on they do.
  bool has_one_slot() const { return one_slot_; }
  [[gnu::noinline]] void use_one_slot();
  /// Takes notice of a write that releases, by which chains go from one class to another.
  void note_link() { links_classes_ = true; }

  /// An availability operation of the agent: what it knows of, and what fits the operation, is available to the
  /// instance of the operation's scope from now on, and moves there.
  [[gnu::noinline]] void make_available(Agent& agent, const Operation& operation);
  /// An availability operation of each agent of the cohort, one after the other.
  void make_available(const Cohort& cohort, Common& common, const Operation& barrier);
  /// A device-domain availability operation of the agent.
  void make_available_on_device(Agent& agent);

  /// Whether a version is available to a level and visible from it, so that a read meets no older one. `own`: the level
  /// of the read's own visibility operation; Agent if it has none.
  [[gnu::noinline]] bool is_visible(const Version& version, const GranuleAccess& reading, CacheLevel own) const;
  /// Whether a version is available and happened before a write, visible or not, so that the write comes after it.
  bool is_available(const Version& version, const GranuleAccess& writing) const;
  /// Whether the agent may have to see anything of others: to begin with it knows of no agent, and its own writes are
  /// below its floors. With tags it may have made available itself what it knows of no more.
  bool knows_others(const Agent& agent) const {
    return !agent.knowledge().empty() || any_on_device_ || agent.tagged != nullptr;
  }

 private:
  void lift(Agent& agent, const Event& event, const Operation& operation);
  /// The level above which the operation makes the version available; kNoLevel if it does not.
  CacheLevel lifts_above(const Agent& agent, const Version& version, const Operation& operation) const;

  GranuleTable& granules_;
  Outbox& outbox_;
  WriteOrder& order_;
  Synchronization& synchronization_;
  MemoryReport& report_;
  bool one_slot_ = false;
  /// Whether there was an availability operation by which chains go from one class to another.
  bool links_classes_ = false;
  /// Whether `on_device` may be true for some version.
  bool any_on_device_ = false;
};

}  // namespace heddle::memory
