#pragma once

/// \file
/// Whether all threads of a test end under a model of forward progress.

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/litmus/question.h"
#include "emulator/litmus/vulkan/state_graph.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

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

/// A run that does not end.
struct EndlessRun {
  std::vector<InterleavedStep> first;
  /// What then happens again and again; nothing if no thread can run.
  std::vector<InterleavedStep> again;
  /// By thread.
  std::vector<EndlessPart> parts;
};

struct Termination {
  /// Whether every run that the model allows ends; nothing if that was not found out.
  std::optional<bool> terminates;
  /// One that does not, if there is one.
  std::optional<EndlessRun> schedule;
  bool cancelled = false;
  /// Divisions by zero that were met: lines of the test, ascending.
  std::vector<std::uint32_t> faults;
  std::uint64_t states = 0;
};

inline constexpr std::size_t kMostStates = 1000000;

/// Answers question.progress, which is there. PROGRESS.md says what that means. Looks at `most_states` at most. Throws
/// ParseError for a test whose threads cannot be interleaved (fragment shader interlock, shader inputs).
Termination termination(const Test& test, const Question& question, std::size_t most_states = kMostStates);

}  // namespace heddle::litmus
