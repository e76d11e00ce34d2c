#pragma once

/// \file
/// What is remembered of accesses where tags count: of each four bytes some accesses one by one.

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "emulator/race/kernel_location_order.h"
#include "emulator/race/shadow.h"

namespace heddle::race {

/// An access to bytes of one granule, and what its agent knew if it has operations of its own.
struct TaggedAccess {
  KernelAccess access;
  SiteId site = kNoSite;
  ViewPointer view;
  /// Where it releases, what its write knew.
  ViewPointer view_of_write;
};

/// The accesses to a granule in the order in which they were told.
struct TaggedGranule {
  std::vector<TaggedAccess> accesses;
  /// Whether some were forgotten that may have been links of chains.
  bool lossy = false;
};

/// The granules of each allocation.
class TaggedAccesses {
 public:
  TaggedGranule& granule(AllocationId allocation, std::uint64_t granule) {
    std::vector<TaggedGranule>& granules = of_[allocation];
    if (granule >= granules.size()) granules.resize(std::max<std::size_t>(granule + 1, granules.size() * 2));
    return granules[granule];
  }
  /// The number of a reference to the allocation; references beyond the first 255 share one, which can only hide races.
  std::uint8_t reference_number(AllocationId allocation, ReferenceId reference) {
    std::vector<ReferenceId>& known = references_[allocation];
    const auto at = std::find(known.begin(), known.end(), reference);
    const auto number = static_cast<std::size_t>(at - known.begin());
    if (at == known.end() && number < 255) known.push_back(reference);
    return static_cast<std::uint8_t>(std::min<std::size_t>(number, 255));
  }
  void forget(AllocationId allocation) { of_.erase(allocation); }
  void clear() {
    of_.clear();
    references_.clear();
  }

 private:
  std::unordered_map<AllocationId, std::vector<TaggedGranule>> of_;
  std::unordered_map<AllocationId, std::vector<ReferenceId>> references_;
};

}  // namespace heddle::race
