#pragma once

/// \file
/// What an exploration found, told to `heddle mutate`.

#include <heddle/operation.h>

#include <set>
#include <string>

namespace heddle {
struct KernelExecutions;
}

namespace heddle::executions {

/// The places of instructions that an exploration came to: "FILE:LINE".
using PlacesOfInstructions = std::set<std::string>;

std::string place_of(const Operation& operation);

/// Whether HEDDLE_EXECUTIONS names a file.
bool are_executions_told();

/// Adds to the file of HEDDLE_EXECUTIONS all that a test can see of what was found, a line for each part, and the
/// places. Two programs of which the same is told have the same executions, as far as the
/// program looks at them.
void tell_executions(const KernelExecutions& found, const PlacesOfInstructions& places);

}  // namespace heddle::executions
