#pragma once

/// \file
/// Location-ordered while the program runs.

#include <array>
#include <vector>

#include "emulator/race/domain_order.h"
#include "emulator/race/happens_before.h"

namespace heddle::race {

/// A set of events for each level.
using ByLevel = std::array<EventSet, kScopes.size()>;

class LocationOrder {
 public:
  LocationOrder(const HappensBefore& events, bool chains) : events_(events), chains_(chains), domains_(events) {}

  /// Takes the next event.
  void add(EventIndex e);
  void clear();

  /// Whether `x`, which came earlier, is location-ordered before `y` at all of `bytes`, which both
  /// access.
  //= vk:memory-model-location-ordered
  bool ordered(EventIndex x, EventIndex y, const Locations& bytes) const;

 private:
  bool ordered_at(EventIndex x, EventIndex y, const Locations& piece) const;
  bool through_common_domain(EventIndex x, EventIndex y, const Locations& piece) const;
  bool through_tessellation_outputs(EventIndex x, EventIndex y) const;
  ByLevel availability(EventIndex write, const Locations& piece) const;
  ByLevel visibility(EventIndex read, const Locations& piece) const;
  bool element_includes(EventIndex op, EventIndex access, const Locations& piece) const;
  Level available_level(EventIndex op, EventIndex write, const Locations& piece) const;
  Level visible_level(EventIndex op, EventIndex read, const Locations& piece) const;

  const HappensBefore& events_;
  bool chains_;
  /// Whether some agent is no shader invocation: only then is there a domain beyond a device's.
  bool beyond_device_ = false;
  EventSet availability_;
  EventSet visibility_;
  std::vector<EventIndex> domain_operations_;
  DomainOrder domains_;
};

}  // namespace heddle::race
