#pragma once

/// \file
/// Which claims of a `.test` file hold.

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/khronos/test.h"
#include "emulator/litmus/question.h"

namespace heddle::litmus::khronos {

struct ClaimAnswer {
  bool holds = false;
  /// False if a limit was reached before the claim was decided.
  bool decided = true;
  /// An execution that satisfies the claim's condition, if one was met.
  std::optional<model::Execution> witness;
};

struct Answer {
  std::vector<ClaimAnswer> claims;  ///< in the order of the test
  /// How many consistent executions there are in which every read sees what the test demands, with chains
  /// unless the question forbids them.
  std::uint64_t executions = 0;
  std::uint64_t racy_executions = 0;
  bool racy = false;
  bool complete = true;
  bool cancelled = false;
  std::optional<RaceExample> race;
};

/// Decides every claim in the flavour of the suite. `question.bound` and `thin_air` mean nothing
/// here: the tests have neither loops nor computed values.
Answer answer(const Test& test, const Question& question);

/// Whether an execution satisfies a claim's condition.
bool satisfies(const judge::Judgement& judgement, const Claim& claim);

}  // namespace heddle::litmus::khronos
