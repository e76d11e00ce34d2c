#pragma once

/// \file
/// Why no execution ends in some state: the axiom that forbids the one that would.

#include <functional>
#include <optional>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// A candidate that would end so, and what forbids it.
struct ForbiddenExample {
  model::Execution execution;
  judge::Violation violation;
};

struct ForbiddenSearch {
  /// A candidate with the shortest cycle of all that were looked at.
  std::optional<ForbiddenExample> example;
  /// Whether all candidates were looked at, or a cycle was found of which none is shorter. If so and there is no
  /// example, the threads never compute such values.
  bool all = false;
};

/// Looks for a candidate that ends in a state that is `wanted`, which no consistent execution does. Looks at some
/// thousands of them: an explanation must not take longer than the answer. The test has to outlive the example.
ForbiddenSearch find_forbidden(const Test& test, const Question& question,
                               const std::function<bool(const Outcome&)>& wanted);

}  // namespace heddle::litmus
