#pragma once

/// \file
/// Why something cannot be: in words, by the clause that forbids it, and as a cycle.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/judge/judgement.h"

namespace heddle::lab {

using model::OperationIndex;

class Played;

/// One step of a cycle, as a player sees it: an operation, and how it is related to the next one.
struct CycleLink {
  /// The number of its operation in the game, if it was executed there.
  std::optional<OperationIndex> operation;
  std::optional<std::uint32_t> thread;
  std::uint32_t line = 0;
  std::string instruction;
  std::string_view relation;
};

struct Reason {
  /// A sentence or more.
  std::string text;
  /// The anchor of the specification's clause that forbids it; empty where it is the game that does.
  std::string_view clause;
  /// Empty, or the cycle that there would be.
  std::vector<CycleLink> cycle;
};

/// What the memory model has against an execution. `told_as` numbers its operations as the player does; nothing for one
/// that the game has not executed.
Reason reason_of(const Played& played, const model::Execution& execution, const judge::Violation& violation,
                 const std::function<std::optional<OperationIndex>(OperationIndex)>& told_as);

}  // namespace heddle::lab
