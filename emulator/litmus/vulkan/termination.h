#pragma once

/// \file
/// Whether all threads of a test end under a model of forward progress.

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/litmus/question.h"
#include "emulator/litmus/vulkan/state_graph.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/progress/endless.h"

namespace heddle::litmus {

/// A run that does not end.
struct EndlessRun {
  std::vector<InterleavedStep> first;
  /// What then happens again and again; nothing if no thread can run.
  std::vector<InterleavedStep> again;
  /// By thread.
  std::vector<progress::EndlessPart> parts;
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

/// Answers question.progress, which is there. emulator/progress/PROGRESS.md says what that means. Looks at
/// `most_states` at most. Throws ParseError for a test whose threads cannot be interleaved (fragment shader interlock,
/// shader inputs).
Termination termination(const Test& test, const Question& question, std::size_t most_states = progress::kMostStates);

}  // namespace heddle::litmus
