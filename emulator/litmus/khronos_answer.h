#pragma once

/// \file
/// Which claims of a `.test` file hold.

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/answer.h"
#include "emulator/litmus/khronos_test.h"

namespace heddle::litmus {

struct ClaimAnswer {
  bool holds = false;
  /// False if a limit was reached before the claim was decided.
  bool decided = true;
  /// An execution that satisfies the claim's condition, if one was met.
  std::optional<model::Execution> witness;
};

struct KhronosAnswer {
  std::vector<ClaimAnswer> claims;  ///< in the order of the test
  /// Of the consistent executions in which every read sees what the test demands, with chains
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
KhronosAnswer answer(const KhronosTest& test, const Question& question);

/// Whether an execution satisfies a claim's condition.
bool satisfies(const judge::Judgement& judgement, const KhronosClaim& claim);

}  // namespace heddle::litmus
