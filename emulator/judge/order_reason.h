#pragma once

/// \file
/// Why two events are location-ordered, and what is missing if they are not.

#include "emulator/judge/facts.h"

namespace heddle::judge {

/// The first bullet of the definition by which `x` is location-ordered before `y`, which it is.
OrderReason reason_of_order(const Facts& facts, const Location& location, EventIndex x, EventIndex y);

/// The first thing that is missing for `x` to be location-ordered before `y`, which it is not.
MissingReason reason_of_missing(const Facts& facts, const Location& location, EventIndex x, EventIndex y);

/// How much of the way is done when this is the first thing missing.
int progress(const MissingReason& reason);

}  // namespace heddle::judge
