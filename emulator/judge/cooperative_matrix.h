#pragma once

/// \file
/// Cooperative matrix accesses: it is not known which invocation performs them.

#include <vector>

#include "emulator/judge/judgement.h"

namespace heddle::judge {

/// The races of an execution, whichever invocation of each cooperative matrix access performs it;
/// ascending, each pair of operations once.
//= vk:memory-model-cooperative-matrix
std::vector<Race> races_of_every_choice(const model::Execution& execution, const Options& options = {});

}  // namespace heddle::judge
