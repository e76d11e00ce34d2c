#pragma once

/// \file
/// What the memory model allows a dispatch to do.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/explore/explore.h"
#include "emulator/spirv/faults.h"
#include "emulator/spirv/program.h"

namespace heddle::spirv {

/// How a dispatch is explored.
struct Inquiry {
  /// Iterations of a loop, each time it is entered.
  std::uint64_t bound = 2;
  bool chains = true;
  /// Stop after so many executions; 0 is no limit.
  std::uint64_t limit = 0;
  /// Stop after so many graphs, and derive the values that reads can be promised in ten times as many steps; 0: as many
  /// as the limit needs.
  std::uint64_t graph_limit = 0;
  /// Stop when it is known whether the condition holds, and whether there is a race or undefined behaviour.
  bool verdict_only = false;
  /// Whether each row has an example.
  bool keep_examples = false;
  /// Look at some for all executions that differ only in which of interchangeable invocations did what. The answer is
  /// the same without, unless a limit is hit.
  bool symmetry = true;
  /// Called for each execution that is looked at. May be empty.
  std::function<void()> on_execution;
  /// Once it is true the answer is not wanted any more. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

/// One set of final values. Where there are 2^64 executions or more, the greatest number stands for them.
struct Row {
  std::vector<std::uint64_t> values;  ///< of the observables; tokens as they are
  std::uint64_t executions = 0;
  std::uint64_t racy_executions = 0;
  /// One that ends so, if examples are kept.
  std::optional<model::Execution> example;
};

/// Two operations that race, by the index of their agents, and where they stand.
struct RaceSeen {
  model::Execution execution;
  model::OperationIndex first = 0;
  model::OperationIndex second = 0;
};

struct Answer {
  /// Whether nothing is known: each execution that was begun was cut, or given up.
  bool is_empty() const { return !complete && executions == 0 && blocked == 0 && !racy && faults.empty(); }

  /// Sorted by values; empty if only the verdict is wanted.
  std::vector<Row> rows;
  bool holds = true;
  bool racy = false;
  /// Consistent executions in which all invocations end and that pass the filter; the greatest number for 2^64 or more.
  std::uint64_t executions = 0;
  bool complete = true;
  bool cancelled = false;
  /// Whether some condition had too many final values to be decided: `complete` is false then.
  bool undecided = false;
  /// Undefined behaviour that is met.
  Faults faults;
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  std::uint64_t graphs = 0;
  std::optional<RaceSeen> race;
};

/// Explores a dispatch. Throws Error if an execution is too long.
Answer answer(const Analysis& analysis, const Question& question, const Inquiry& inquiry);

}  // namespace heddle::spirv
