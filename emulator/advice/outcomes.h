#pragma once

/// \file
/// Other outcomes that the atomics of a recorded execution might have had.

#include <functional>
#include <optional>
#include <vector>

#include "emulator/judge/judgement.h"

namespace heddle::advice {

/// An execution of the same operations in which one atomic load reads another write, atomic or plain, or the initial
/// value; or two atomic writes to one location that are neighbours in scoped modification order come the other way
/// round (and read-modify-writes read accordingly).
using Outcome = std::function<void(model::Execution&)>;

/// Nothing where there are more than `most`, where the writes to a location have no total order, or where a plain one
/// has some of its bytes only.
std::optional<std::vector<Outcome>> other_outcomes(const model::Execution& execution, std::size_t most);

}  // namespace heddle::advice
