#pragma once

/// \file
/// `heddle litmus --spelling`: tests in the other spelling.

#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"
#include "emulator/cli/litmus/edited.h"

namespace heddle::cli {

/// Prints each file's test in that spelling, "tags" or "calls"; a file that has it already is printed as it is. Files
/// that are no tests of the Vulkan dialect are bad input.
/// `texts` are those of files that were edited.
ExitCode print_spelled(const std::vector<std::string>& files, const std::string& spelling, const Texts& texts);

}  // namespace heddle::cli
