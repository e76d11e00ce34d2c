#pragma once

/// \file
/// Words of a command line that nothing is called.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace heddle::cli {

/// What is wrong with the name of the command, or with that of the first option that its command has not, and what is
/// spelled like it; empty if nothing is. `arguments` is the command line without the name of this program.
std::string unknown_word(const CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace heddle::cli
