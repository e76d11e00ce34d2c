#pragma once

/// \file
/// What would have to be different for two racing operations to be ordered.

#include <string>
#include <vector>

#include "emulator/advice/neighbourhood.h"
#include "emulator/judge/judgement.h"

namespace heddle::advice {

/// Changes of the source that order the two operations of the part, which race: cheapest first,
/// each as a sentence. Every one of them was made to the execution and the two did not race any
/// more; and no part of it is enough. An instruction is known by its place and kind, and a change
/// is made to all its operations; an update that is to be atomic is tried as an atomic read and an
/// atomic write. `dispatches` has the dispatch of each agent of the execution; `have_atomics`: whether there are atomics
/// on what the two access.
std::vector<std::string> smallest_changes(const Neighbourhood& part,
                                          const std::vector<std::uint64_t>& dispatches,
                                          bool have_atomics = true,
                                          const judge::Options& options = {});

}  // namespace heddle::advice
