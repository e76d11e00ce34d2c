#pragma once

/// \file
/// Whether all invocations of a dispatch end under a model of forward progress.

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "emulator/progress/endless.h"
#include "emulator/spirv/state_graph.h"

namespace heddle::spirv {

/// A run that does not end.
struct EndlessRun {
  std::vector<InterleavedStep> first;
  /// What then happens again and again; nothing if no invocation can run.
  std::vector<InterleavedStep> again;
  /// By invocation.
  std::vector<progress::EndlessPart> parts;
};

struct Termination {
  /// Whether every run that the models allow ends; nothing if that was not found out.
  std::optional<bool> terminates;
  /// One that does not, if there is one.
  std::optional<EndlessRun> schedule;
  bool cancelled = false;
  /// Commands at which undefined behaviour is met.
  std::set<std::uint32_t> faults;
  std::uint64_t states = 0;
};

/// emulator/progress/PROGRESS.md says what the answer means. Looks at `most_states` at most; stops early once
/// `cancelled`, which may be null, is true. Throws Error for a dispatch whose invocations cannot be interleaved.
Termination termination(const Analysis& analysis, const Question& question, const progress::ProgressModels& models,
                        const std::atomic<bool>* cancelled = nullptr, std::size_t most_states = progress::kMostStates);

}  // namespace heddle::spirv
