#pragma once

/// \file
/// Command lines that end in another program and its arguments.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace heddle::cli {

/// Puts "--" into a command line (without the name of this program) of the command, before the program that is to be
/// run: its options are not ours. Nothing if it is the line of another command.
inline void separate_program(const CLI::App& command, std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] != command.get_name()) return;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") return;
    if (argument.empty() || argument[0] != '-') {
      arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(i), "--");
      return;
    }
    const CLI::Option* option = command.get_option_no_throw(argument);
    if (option && option->get_items_expected_min() > 0) ++i;
  }
}

}  // namespace heddle::cli
