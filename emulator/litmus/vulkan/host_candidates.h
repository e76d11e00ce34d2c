#pragma once

/// \file
/// Edits of calls and commands that may mend a race of a host test: each is only tried.

#include <vector>

#include "emulator/litmus/question.h"
#include "emulator/litmus/vulkan/test_edits.h"

namespace heddle::litmus {

/// What the first missing link of the race names is added, in each way that there is; then barriers.
std::vector<std::vector<Edit>> host_candidates(const Test& test, const Question& question, const RaceExample& race);

}  // namespace heddle::litmus
