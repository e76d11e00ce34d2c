#pragma once

/// \file
/// From an outcome to the moves that lead there.

#include <optional>
#include <string>
#include <vector>

#include "emulator/lab/session.h"
#include "emulator/litmus/vulkan/answer.h"

namespace heddle::lab {

/// What a test may do, and which of it can be played.
struct Outcomes {
  litmus::Answer answer;
  /// Why no game ends in each of its outcomes; empty where one may.
  std::vector<std::string> kept_back;
};

/// Explores the test, `limit` executions at most, with an example for each outcome.
Outcomes explore_outcomes(const litmus::Test& test, const Rules& rules, std::uint64_t limit);

/// Searches for a game that ends in the outcome of that row. Follows the row's example: takes moves by the toss of a
/// coin, but of threads only those that read what they read there; then plays without it. `tries` games of either
/// kind at most. Nothing if none was found. The same arguments give the same game.
std::optional<std::vector<Move>> find_game(const litmus::Test& test, const Rules& rules, const litmus::OutcomeRow& row,
                                           std::size_t tries);

}  // namespace heddle::lab
