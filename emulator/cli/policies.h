#pragma once

/// \file
/// Memory policies on the command line.

#include <string>
#include <vector>

namespace heddle::cli {

/// "sequential", "random", ...: the names of the policies that there are.
std::vector<std::string> policy_names();

/// The policies with what they do, a line each.
std::string policy_descriptions();

}  // namespace heddle::cli
