#pragma once

/// \file
/// Whether the assertion of a litmus test holds and whether the test is racy, without a list of what it may do.

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

struct Verdict {
  /// Whether the quantified assertion holds; meaningless without one.
  bool holds = true;
  bool racy = false;
  /// Whether some execution accesses a location without happening-before its `free`.
  bool freed_early = false;
  /// Whether nothing that was left out could change the verdict. What an execution shows counts whatever a bound or a
  /// limit kept back.
  bool complete = true;
  bool cancelled = false;
  /// Divisions by zero that were met: lines of the test, ascending.
  std::vector<std::uint32_t> faults;
  std::uint64_t graphs = 0;
};

/// Finds what `answer` finds, but stops as soon as it is known, and leaves out executions that cannot change them.
/// question.keep_examples means nothing here; question.limit counts the executions that are looked at.
Verdict verdict(const Test& test, const Question& question);

}  // namespace heddle::litmus
