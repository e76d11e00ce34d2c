#pragma once

/// \file
/// Runs that do not end, among the states of interleaved threads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/progress/graph.h"
#include "emulator/progress/models.h"

namespace heddle::progress {

/// What a thread does in a run that does not end.
enum class EndlessPart : std::uint8_t {
  Ended,
  /// Makes steps again and again.
  GoesOn,
  /// Waits for ever at a control barrier.
  Waits,
  /// Waits for ever for a thread that system-synchronizes with it.
  WaitsForThread,
  /// Could run, and is not run any more.
  LeftAside,
  /// Could begin, and is never run.
  NeverBegins,
};

/// A way through the states that does not end.
struct EndlessWay {
  Edges first;
  /// What then happens again and again; nothing if no thread can run.
  Edges again;
  /// By thread.
  std::vector<EndlessPart> parts;
};

/// So many states are looked at where nobody says otherwise.
inline constexpr std::size_t kMostStates = 1000000;

/// A way that does not end and that the models allow, if there is one; PROGRESS.md says how it is found.
std::optional<EndlessWay> endless_way(const Graph& graph, const ProgressGroups& groups, std::size_t threads);

}  // namespace heddle::progress
