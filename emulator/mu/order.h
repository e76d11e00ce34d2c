#pragma once

/// \file
/// Names of memory orders, and what is said of one that is not allowed.

#include <heddle/memory_order.h>

#include <optional>
#include <string>
#include <string_view>

namespace heddle::mu {

/// As the specification spells it: "ACQ_REL".
const char* spell(MemoryOrder order);

/// The order of that name: "ACQ_REL" or "memory_order_acq_rel".
std::optional<MemoryOrder> memory_order(std::string_view name);

/// Why the operation must not have the order, with the row of the table: "a load must not have the order RELEASE;
/// allowed: NOT_ATOMIC, RELAXED, ...". With `atomic` NOT_ATOMIC is not among what is allowed.
std::string refusal(Ordered operation, MemoryOrder order, bool atomic);

}  // namespace heddle::mu
