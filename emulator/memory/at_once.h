#pragma once

/// \file
/// What accesses at once (emulation::InPlace) go by, for the parts of the machine that decide it.

#include <heddle/detail/in_place.h>

namespace heddle::memory {

/// Which bytes invocations may access without asking: those of which nothing is remembered. Its accessors are for the
/// parts of the machine; others know it as an InPlace.
class AtOnce : public emulation::InPlace {
 public:
  /// So many writes to granules without a record, of sites that are used up, leave it at that.
  std::uint32_t& until_record() { return until_record_; }
  std::uint32_t until_record() const { return until_record_; }
  /// Which sites have had as many records as they are worth.
  emulation::SiteCounts& sites() { return sites_; }
  const emulation::SiteCounts& sites() const { return sites_; }
  /// One more granule is remembered, the one with these bytes; or no longer.
  void add_record(AllocationId allocation, std::uint64_t offset_bytes) { ++remembered(allocation, offset_bytes); }
  void drop_record(AllocationId allocation, std::uint64_t offset_bytes) { --remembered(allocation, offset_bytes); }

  /// Whether atomics may meet releases anywhere that are not remembered.
  bool any_released() const { return released_ != 0; }
  /// Atomics may meet such releases in the allocation, and in those that share its bit.
  void add_released(AllocationId allocation) { released_ |= bit_of(allocation); }
  void drop_released(AllocationId allocation) { released_ &= ~bit_of(allocation); }
  void drop_all_released() { released_ = 0; }
  /// How many bits there are: allocations with numbers so far apart share one.
  static constexpr std::size_t kReleasedBits = 64;
};

}  // namespace heddle::memory
