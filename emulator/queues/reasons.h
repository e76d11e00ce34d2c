#pragma once

/// \file
/// Why two accesses race, in the words of the API, and what would order them.

#include <string>
#include <vector>

#include "emulator/queues/order.h"
#include "emulator/queues/races.h"

namespace heddle::queues {

struct Reason {
  /// The first missing link, in a sentence.
  std::string text;
  /// What to do, in a sentence.
  std::string advice;
  /// Whether the order has been seen to hold with that.
  bool tried = false;
};

/// `race.first` is earlier in submission order where both are on one queue.
Reason reason_of(const Order& order, const FoundRace& race);

}  // namespace heddle::queues
