#pragma once

/// \file
/// Whether all executions of what a program explores are the same with a weakened ordering.

#include <heddle/detail/edit_record.h>

#include <string>
#include <vector>

namespace heddle::cli {

/// Compares what emulator/executions/told_executions.h tells of two runs: whether all executions were found in both,
/// what they lead to is the same, and the program as it is comes to the instruction of each edit in its explorations.
bool are_equivalent(const std::string& as_it_is, const std::string& weakened, const std::vector<Edit>& edits);

}  // namespace heddle::cli
