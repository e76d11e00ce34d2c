#pragma once

/// \file
/// What availability, visibility and domain operations of the API order while the program runs.

#include <map>
#include <vector>

#include "emulator/race/happens_before.h"

namespace heddle::race {

class DomainOrder {
 public:
  explicit DomainOrder(const HappensBefore& events) : events_(events) {}

  /// Whether the write `x` is location-ordered before `y` through the device or the host domain. `operations` are
  /// all of the API so far.
  //= vk:memory-model-location-ordered
  bool ordered(EventIndex x, EventIndex y, const std::vector<EventIndex>& operations) const;
  /// Whether both are accesses of the host, whose language has `x` before `y`.
  bool ordered_by_host_language(EventIndex x, EventIndex y) const;
  /// Whether the memory of these bytes needs flushes and invalidations.
  bool is_coherent(const Locations& bytes) const;
  /// Whether an operation of availability or visibility is of this access, among others.
  bool is_of(EventIndex operation, EventIndex access) const;

 private:
  using Families = std::map<std::uint32_t, EventSet>;

  EventSet behind(const EventSet& from, OperationKind kind, const std::vector<EventIndex>& operations) const;
  bool any_before(const EventSet& from, EventIndex e) const;
  bool is_seen(EventIndex x, EventIndex y, const EventSet& made, const EventSet& there,
               const std::vector<EventIndex>& operations) const;
  bool changes_family(EventIndex x, EventIndex y) const;
  EventSet acquires_of_family(EventIndex x, EventIndex y, const EventSet& made,
                              const std::vector<EventIndex>& operations) const;
  const model::OwnershipTransfer* transfer(EventIndex e) const;
  bool is_or_before(EventIndex a, EventIndex b) const { return a == b || events_.happens_before(a, b); }
  std::uint32_t family(EventIndex e) const { return events_.place(events_[e].agent).queue_family; }

  const HappensBefore& events_;
};

}  // namespace heddle::race
