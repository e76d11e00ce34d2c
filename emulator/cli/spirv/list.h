#pragma once

/// \file
/// What a module has, without running it: how to feed it.

#include <string>

#include "emulator/cli/terminal.h"

namespace heddle::cli {

/// The entry points, buffers, push constants and specialization constants of a file, as a line of JSON or as text.
/// `error` becomes true for a file that cannot be read; what is returned says why then.
std::string list_module(const std::string& file, bool json, bool& error);

}  // namespace heddle::cli
