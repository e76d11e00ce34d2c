#pragma once

/// \file
/// From an outcome to the moves that lead there.

#include <optional>
#include <vector>

#include "emulator/lab/session.h"

namespace heddle::lab {

/// Searches for a game that ends in the outcome of that row. Follows the row's example: takes moves by the toss of a
/// coin, but of threads only those that read what they read there; then plays without it. `tries` games of either
/// kind at most. Nothing if none was found. The same arguments give the same game.
std::optional<std::vector<Move>> find_game(const Played& played, const Rules& rules, const OutcomeRow& row,
                                           std::size_t tries);

}  // namespace heddle::lab
