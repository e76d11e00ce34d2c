#pragma once

/// \file
/// What is known of modification orders before they are chosen.

#include <optional>
#include <vector>

#include "emulator/mu/judgement.h"

namespace heddle::mu::explore {

/// Stores of one location, and which of them precede which in every modification order that agrees with what loads see.
struct ForcedOrder {
  std::vector<EventIndex> stores;
  /// Between positions in `stores`.
  Relation before;
};

/// Whether a part of an execution can grow into a consistent one, as far as can be seen.
bool may_grow(const Judgement& part);

/// The order that is forced on the stores of a location with an atomic access; nothing if no order agrees.
std::optional<ForcedOrder> forced_order(const Judgement& part, LocationIndex location);

/// All orders of the stores that agree.
std::vector<std::vector<EventIndex>> modification_orders(const Execution& execution, const ForcedOrder& forced);

}  // namespace heddle::mu::explore
