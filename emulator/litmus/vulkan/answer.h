#pragma once

/// \file
/// What the memory model allows a litmus test to do.

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/litmus/question.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/model/execution.h"

namespace heddle::litmus {

/// One set of final values, and what leads to it.
struct OutcomeRow {
  Outcome values;
  bool satisfies = false;  ///< the assertion; true without one
  std::uint64_t executions = 0;
  std::uint64_t racy_executions = 0;
  std::optional<model::Execution> example;
};

struct Answer {
  /// Sorted by values.
  std::vector<OutcomeRow> outcomes;
  /// Whether the quantified assertion holds; meaningless without one.
  bool holds = true;
  bool racy = false;
  /// Consistent, terminated executions that pass the filter.
  std::uint64_t executions = 0;
  std::uint64_t racy_executions = 0;
  /// Consistent executions in which a thread waits or spins for ever.
  std::uint64_t blocked = 0;
  /// Executions that a bound cut off.
  std::uint64_t cut = 0;
  /// False if there may be more of those two: once a race and a cut have been found, nothing depends on
  /// them.
  bool counted_others = true;
  std::uint64_t graphs = 0;
  bool complete = true;
  /// Whether Question::limit may have kept something back.
  bool limited = false;
  bool cancelled = false;
  /// Divisions by zero: lines of the test, ascending.
  std::vector<std::uint32_t> faults;
  std::optional<RaceExample> race;
  /// Whether some execution accesses a location without happening-before its `free`, and one that does.
  bool freed_early = false;
  std::optional<RaceExample> early_free;
};

/// Explores a test. It must outlive the executions in the answer.
Answer answer(const Test& test, const Question& question);

/// Whether some thread of the test has a `free`.
bool frees_memory(const Test& test);

}  // namespace heddle::litmus
