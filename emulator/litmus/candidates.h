#pragma once

/// \file
/// Executions that a program might have if no axiom forbade any: the raw material of explanations
/// and of claims about inconsistent executions.

#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/model/execution.h"

namespace heddle::litmus {

/// A candidate: every agent did what it does for what it read, every read read from some write to
/// its location (or the initial value), and modification order is any order.
struct Candidate {
  const model::Execution& execution;
  /// Step::results of each agent's end.
  const std::vector<std::vector<explore::Value>>& results;
};

struct CandidateLimits {
  /// Runs of one agent that are tried, and candidates that are handed over.
  std::uint64_t runs = 20000;
  std::uint64_t candidates = 200000;
};

/// Which combinations of the agents' results are of interest; all of them if empty.
using ResultFilter = std::function<bool(const std::vector<std::vector<explore::Value>>&)>;

/// Calls `on_candidate` for every candidate of a program whose agents all finish, until it returns
/// false. All accesses to a location must have the same bytes. Returns false if a limit or the
/// callback ended it before all were enumerated.
bool enumerate_candidates(const explore::Program& program, const CandidateLimits& limits, const ResultFilter& wanted,
                          const std::function<bool(const Candidate&)>& on_candidate);

}  // namespace heddle::litmus
