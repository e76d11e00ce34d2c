#pragma once

/// \file
/// What atomics hand on: release sequences, and what is left of them where a granule is not remembered.

#include "emulator/memory/at_once.h"
#include "emulator/memory/granule_access.h"
#include "emulator/memory/granule_table.h"
#include "emulator/memory/visibility.h"

namespace heddle::memory {

/// Gives updates what the writes before them carry, and readers what the writes that they read carry.
///
/// Of an allocation in which something was released that is not remembered an atomic read meets everything: more order
/// than there was. Which allocations these are is kept here alone.
class ReleaseSequences {
 public:
  /// All of these outlive the sequences.
  ReleaseSequences(AtOnce& at_once, GranuleTable& granules, Synchronization& synchronization)
      : at_once_(at_once), granules_(granules), synchronization_(synchronization) {}

  // For granules with a record:
  /// An update goes on with the sequences of the writes before it.
  void inherit(Written& made, const Granule& granule, const GranuleAccess& updating) const;
  /// An atomic read, which looked where `found` says, meets what those writes carry.
  void meet(const Granule& granule, const GranuleAccess& reading, MemorySemantics semantics, const Found& found);

  // For granules without a record:
  /// The write releases, or carries releases: they are forgotten.
  void carry(const Operation& write);
  /// Whether an atomic read meets releases there that are forgotten.
  bool is_met(const Operation& atomic) const { return granules_.released(atomic.locations.allocation); }
  /// The agent meets what is forgotten there, if there is anything.
  void meet_forgotten(Agent& agent, const Operation& atomic, MemorySemantics semantics) {
    if (is_met(atomic)) synchronization_.meet_forgotten(agent, semantics);
  }

  /// Something was released in the allocation that is forgotten.
  void note_forgotten(AllocationId allocation);
  /// The number stands for a new allocation, in which nothing was released.
  void begin(AllocationId allocation);
  /// All agents that are to come know what was released anywhere: nothing counts as forgotten.
  void restart();

 private:
  AtOnce& at_once_;
  GranuleTable& granules_;
  Synchronization& synchronization_;
};

}  // namespace heddle::memory
