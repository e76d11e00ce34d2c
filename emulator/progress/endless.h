#pragma once

/// \file
/// Runs that do not end, among the states of interleaved threads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
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

/// A way in the words of a front end: `Step` is what it calls a step.
template <typename Step>
struct EndlessRun {
  std::vector<Step> first;
  /// What then happens again and again; nothing if no thread can run.
  std::vector<Step> again;
  /// By thread.
  std::vector<EndlessPart> parts;
};

/// `step(edge)` is what a front end says of an edge, or of what another one said of it.
template <typename Way, typename TellStep>
auto told(const Way& way, const TellStep& step) {
  EndlessRun<std::decay_t<decltype(step(way.first.front()))>> out;
  for (const auto& one : way.first) out.first.push_back(step(one));
  for (const auto& one : way.again) out.again.push_back(step(one));
  out.parts = way.parts;
  return out;
}

/// Whether every run that the models allow ends, as far as it was found out.
template <typename Step>
struct TerminationOf {
  /// Nothing if that was not found out.
  std::optional<bool> terminates;
  /// A run that does not end, if there is one.
  std::optional<EndlessRun<Step>> schedule;
  bool cancelled = false;
  std::uint64_t states = 0;
};

/// So many states are looked at where nobody says otherwise.
inline constexpr std::size_t kMostStates = 1000000;

/// A way that does not end and that the models allow, if there is one; PROGRESS.md says how it is found.
std::optional<EndlessWay> endless_way(const Graph& graph, const ProgressGroups& groups, std::size_t threads);

}  // namespace heddle::progress
