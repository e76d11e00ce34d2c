#pragma once

/// \file
/// What would have to be different for two racing operations to be ordered.

#include <string>
#include <vector>

#include "emulator/judge/judgement.h"

namespace heddle::advice {

/// Changes of the source that order `x` and `y`, which race: cheapest first, each as a sentence. Every
/// one of them was made to the execution and the two did not race any more; and no part of it is enough.
/// An instruction is known by `where` and its kind, and a change is made to all its operations.
std::vector<std::string> smallest_changes(const model::Execution& execution,
                                          model::OperationIndex x, model::OperationIndex y,
                                          const judge::Options& options = {});

}  // namespace heddle::advice
