#pragma once

/// \file
/// Why two operations are not ordered.

#include <string>
#include <vector>

#include "emulator/advice/neighbourhood.h"
#include "emulator/judge/judgement.h"

namespace heddle::advice {

/// The first missing link between the two operations of the part, in a sentence that names the
/// operations that were there and what they lack. `dispatches` has the dispatch of each agent of
/// the execution. Empty where the judge sees no race in the part.
std::string missing_link(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches,
                         const judge::Options& options = {});

}  // namespace heddle::advice
