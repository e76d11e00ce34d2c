#pragma once

/// \file
/// Why no execution ends in some state: the axiom that forbids the one that would.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// A candidate that would end so, and what forbids it first.
struct ForbiddenExample {
  model::Execution execution;
  judge::Violation violation;
};

struct ForbiddenSearch {
  /// The closest of all candidates that were looked at: it breaks the fewest axioms, with the fewest operations on
  /// cycles.
  std::optional<ForbiddenExample> example;
  /// Whether all candidates were looked at, or one was found than which none is closer. If so and there is no example,
  /// the threads never compute such values.
  bool all = false;
};

/// Looks for a candidate that ends in a state that is `wanted`, which no consistent execution does. Looks at some
/// thousands of them: an explanation must not take longer than the answer. The test has to outlive the example.
ForbiddenSearch find_forbidden(const Test& test, const Question& question,
                               const std::function<bool(const Outcome&)>& wanted);

/// What is in the way of an outcome that no execution has.
enum class Obstacle : std::uint8_t {
  /// Its closest candidate breaks axioms.
  Axioms,
  /// No axiom forbids its closest candidate, in which a value has no source but itself.
  ThinAir,
  /// No choice of who reads from whom leads there: the threads never compute these values.
  NoValue,
  /// There are too many candidates to look at, or no axiom alone forbids the closest one: a thread would leave a
  /// control
  /// barrier, say, that others never come to.
  Unknown,
};

/// An outcome that no execution has.
struct ForbiddenOutcome {
  Outcome values;
  Obstacle obstacle = Obstacle::Axioms;
  /// The closest candidate that ends so, if one does.
  std::optional<model::Execution> closest;
  /// The axioms that it breaks, each with a cycle.
  std::vector<judge::Violation> violations;
};

struct ForbiddenOutcomes {
  /// In this order: outcomes that the assertion asks about, then the others; each in the order of their values.
  std::vector<ForbiddenOutcome> outcomes;
  /// Whether there are no others that candidates have.
  bool complete = true;
};

/// The outcomes that `answer` does not have and that candidates do, if every read may take its value from any write of
/// its location, or the initial value; and the one that the assertion asks about, if it names all values. What the
/// filter discards is not among them. Looks at some thousands of candidates, and keeps `most` outcomes. `answer` is the
/// answer to this question, and is complete: of an incomplete one nothing is known to be forbidden. The test has to
/// outlive them.
ForbiddenOutcomes find_forbidden_outcomes(const Test& test, const Question& question, const Answer& answer,
                                          std::size_t most = 64);

/// Whether the assertion asks about this outcome: whether its condition holds, or with `forall` does not hold.
bool is_asked(const Test& test, const Outcome& outcome);

}  // namespace heddle::litmus
