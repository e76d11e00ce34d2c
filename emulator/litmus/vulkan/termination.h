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

struct Termination : progress::TerminationOf<InterleavedStep> {
  /// Divisions by zero that were met: lines of the test, ascending.
  std::vector<std::uint32_t> faults;
};

/// Answers question.progress, which is there. emulator/progress/PROGRESS.md says what that means. Looks at
/// `most_states` at most. Throws ParseError for a test whose threads cannot be interleaved (fragment shader interlock,
/// shader inputs).
Termination termination(const Test& test, const Question& question, std::size_t most_states = progress::kMostStates);

}  // namespace heddle::litmus
