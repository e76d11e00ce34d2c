#pragma once

/// \file
/// Edits that may mend a race of a litmus test: each is only tried.

#include <vector>

#include "emulator/litmus/question.h"
#include "emulator/litmus/vulkan/test_edits.h"

namespace heddle::litmus {

struct TestCandidate {
  std::vector<Edit> edits;
  /// They make the two atomic for each other, and leave open which comes first.
  bool unordered = false;
  /// They change nothing but what the first missing link names.
  bool named = false;
};

/// Likeliest first: what adds the first missing link, what orders the two in this execution, a control barrier between
/// two threads of a workgroup.
std::vector<TestCandidate> candidates_for(const Test& test, const Question& question, const RaceExample& race);

}  // namespace heddle::litmus
