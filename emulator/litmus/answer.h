#pragma once

/// \file
/// What the memory model allows a litmus test to do.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/explore/explore.h"
#include "emulator/litmus/test.h"
#include "emulator/model/execution.h"

namespace heddle::litmus {

struct Question {
  /// Iterations of each loop.
  std::uint64_t bound = 2;
  bool chains = true;
  bool thin_air = false;
  /// Stop after so many executions; 0 is no limit.
  std::uint64_t limit = 0;
  /// Keep an execution for each outcome and for a race.
  bool keep_examples = false;
  /// Becomes true when nobody wants the answer any more; it is then incomplete.
  const std::atomic<bool>* cancelled = nullptr;
};

/// A data race, or an access and a `free`, and the execution that has it.
struct RaceExample {
  model::Execution execution;
  model::OperationIndex first = 0;
  model::OperationIndex second = 0;
};

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
  /// Of the quantified assertion; meaningless without one.
  bool holds = true;
  bool racy = false;
  /// Consistent, terminated executions that pass the filter.
  std::uint64_t executions = 0;
  std::uint64_t racy_executions = 0;
  /// Consistent executions in which a thread waits or spins for ever.
  std::uint64_t blocked = 0;
  /// Those that a bound cut off.
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

/// The options of the model that a question asks for.
explore::Options explorer_options(const Question& question);

}  // namespace heddle::litmus
