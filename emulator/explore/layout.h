#pragma once

/// \file
/// The bytes of a program, cut where accesses begin and end.

#include <heddle/operation.h>

#include <map>
#include <vector>

#include "emulator/model/execution.h"

namespace heddle::explore {

/// Pieces are the units in which reads take their values: sets of bytes that no access seen so far
/// splits. Accesses that all agree on their bounds are one piece each.
class Layout {
 public:
  /// Whether the access brought a cut that was not known.
  bool add(const Locations& access);
  /// The pieces of an access, in ascending order. It must have been added.
  std::vector<Locations> pieces(const Locations& access) const;

 private:
  struct Pieces {
    // Ascending and disjoint.
    std::vector<Locations> list;
  };
  std::map<AllocationId, Pieces> allocations_;
};

/// The bytes `part` of a value of the bytes `whole`.
model::Value part_of_value(model::Value value, const Locations& whole, const Locations& part);
/// The value of `part`, moved to where it stands in a value of `whole`.
model::Value place_in_value(model::Value value, const Locations& part, const Locations& whole);

/// Whether `whole` has all bytes of `part`.
bool covers(const Locations& whole, const Locations& part);

}  // namespace heddle::explore
