#pragma once

/// \file
/// Whether all invocations of a dispatch end under a model of forward progress.

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/progress/endless.h"
#include "emulator/spirv/state_graph.h"

namespace heddle::spirv {

struct Termination : progress::TerminationOf<InterleavedStep> {
  /// Undefined behaviour that is met.
  Faults faults;
};

/// emulator/progress/PROGRESS.md says what the answer means. Looks at `most_states` at most; stops early once
/// `cancelled`, which may be null, is true. Throws Error for a dispatch whose invocations cannot be interleaved.
Termination termination(const Analysis& analysis, const Question& question, const progress::ProgressModels& models,
                        const std::atomic<bool>* cancelled = nullptr, std::size_t most_states = progress::kMostStates);

}  // namespace heddle::spirv
