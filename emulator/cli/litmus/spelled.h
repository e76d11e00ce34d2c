#pragma once

/// \file
/// `heddle litmus --spelling`: tests in the other spelling.

#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

/// Prints each file's test in that spelling, "tags" or "calls"; a file that has it already is printed as it is. Files
/// that are no tests of the Vulkan dialect are bad input.
ExitCode print_spelled(const std::vector<std::string>& files, const std::string& spelling);

}  // namespace heddle::cli
