#pragma once

/// \file
/// What Mu's memory model allows a C litmus test to do.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/litmus/c/test.h"
#include "emulator/litmus/question.h"
#include "emulator/mu/explore/explore.h"

namespace heddle::litmus::c {

/// An execution that is kept, with what makes it worth keeping.
struct Example {
  mu::Execution execution;
  std::vector<mu::explore::ThreadEnd> ends;
  /// The pair of operations whose behaviour is undefined.
  std::optional<mu::UndefinedPair> pair;
};

struct OutcomeRow {
  Outcome values;
  bool satisfies = false;  ///< the assertion; true without one
  std::uint64_t executions = 0;
  std::optional<Example> example;
};

struct Answer {
  /// Sorted by values.
  std::vector<OutcomeRow> outcomes;
  bool holds = true;  ///< of the quantified assertion; meaningless without one
  std::set<mu::Undefined> undefined;
  bool blocks = false;
  /// Consistent, complete executions that pass the filter.
  std::uint64_t executions = 0;
  /// Executions that were cut, that wait for ever, that end at a wrong address.
  std::uint64_t cut = 0;
  std::uint64_t blocked = 0;
  std::uint64_t faults = 0;
  bool complete = true;
  /// With Question::verdict_only: the search ended early, since nothing else could change the verdict.
  bool decided = false;
  bool limited = false;
  bool cancelled = false;
  /// One for each kind of undefined behaviour, if the question asks for examples.
  std::vector<Example> undefined_examples;

  bool racy() const { return undefined.count(mu::Undefined::Race) != 0; }
};

/// Explores a test. Throws ParseError where it creates a thread twice in one execution.
Answer answer(const Test& test, const Question& question);

/// The options of the explorer that a question asks for.
mu::explore::Options explorer_options(const Test& test, const Question& question);

/// The final values of an execution: several where the last store to a location is not the only one.
std::vector<Outcome> outcomes_of(const Test& test, const mu::Judgement& judgement,
                                 const std::vector<std::vector<Value>>& registers);

}  // namespace heddle::litmus::c
