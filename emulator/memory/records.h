#pragma once

/// \file
/// Which granules are worth a record, and when a record is forgotten.

#include <heddle/memory_policy.h>

#include "emulator/memory/at_once.h"
#include "emulator/memory/release_sequences.h"
#include "emulator/memory/shared_copies.h"
#include "emulator/memory/write_order.h"

namespace heddle::memory {

/// Makes the records of a machine's granules, and gives them up.
///
/// Records cost ten times as much as none do, and show something new only at the first accesses: small programs have a
/// record for each granule, and in large ones each line of each workgroup makes a few. What a granule still has on its
/// way keeps its record.
class Records {
 public:
  static constexpr std::uint32_t kNone = GranuleTable::kNone;

  /// All of these outlive the records.
  Records(const MemoryPolicy& policy, AtOnce& at_once, GranuleTable& granules, WriteOrder& order, SharedCopies& copies,
          ReleaseSequences& releases, Residents& residents, Draws& draws, MemoryReport& report)
      : policy_(policy),
        at_once_(at_once),
        granules_(granules),
        order_(order),
        copies_(copies),
        releases_(releases),
        residents_(residents),
        draws_(draws),
        report_(report) {}

  /// Drops all records.
  void restart();
  /// The next few granules that are written are worth a record again.
  void begin_anew();

  /// The record of the granule that is written, made if it is worth one; kNone if it has none then.
  std::uint32_t find_or_make(const Operation& write);
  /// Whether the next write of the site to a granule without a record makes one.
  bool may_make(emulation::Site site) const {
    return at_once_.until_record() == 0 || !at_once_.sites().is_used_up(site);
  }
  /// Whether every write makes one.
  bool always_makes() const { return first_left_ != 0 || policy_.record_all; }
  /// After so many accesses to the granule: one that has shown what it can is forgotten.
  void use_up(Granule& granule, std::uint32_t record, std::uint32_t accesses = 1) {
    if (granule.accesses_left == 0) return;
    if (granule.accesses_left > accesses) {
      granule.accesses_left -= accesses;
    } else {
      forget_if_used_up(record);
    }
  }
  /// Everything of the granule gets to the storage, in its order, and it is remembered no more.
  void forget(std::uint32_t record);
  /// The granule, of which everything is in the storage, is remembered no more.
  void give_up(std::uint32_t record);
  /// The allocation is gone: none of its granules is remembered, and what they had is nowhere.
  void remove(AllocationId allocation);

 private:
  /// So many granules are always worth a record: small programs get all the weakness there is. Later
  /// ones do not, even when the first are gone: every workgroup would begin with them again.
  static constexpr std::uint32_t kFewRecords = 64;
  /// Beyond so many records an older one is forgotten for each that is made. More than there are writes
  /// that wait, so that one can be.
  static constexpr std::uint32_t kMostRecords = 96;
  static_assert(kMostRecords > WaitingList::kMost);

  bool worth_a_record(const Operation& write);
  /// `entry`: where the record's number belongs, if there is room for it.
  std::uint32_t make_record(const Locations& locations, std::uint32_t* entry);
  [[gnu::noinline]] void make_room();
  [[gnu::noinline]] void forget_if_used_up(std::uint32_t record);
  void drop(std::uint32_t record);

  const MemoryPolicy& policy_;
  AtOnce& at_once_;
  GranuleTable& granules_;
  WriteOrder& order_;
  SharedCopies& copies_;
  ReleaseSequences& releases_;
  Residents& residents_;
  Draws& draws_;
  MemoryReport& report_;
  /// So many of the next writes to granules without a record make one; until then `until_record` is 0.
  std::uint32_t first_left_ = kFewRecords;
};

}  // namespace heddle::memory
