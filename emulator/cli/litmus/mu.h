#pragma once

/// \file
/// Reports and pictures of C and Mu litmus tests.

#include <string>
#include <utility>
#include <vector>

#include "emulator/cli/litmus/report.h"

namespace heddle::cli {

/// "P1's `atomic_load(x)` (line 7)"; "the initial value" for none.
std::string event_name(const litmus::c::Test& test, const mu::Execution& execution, mu::EventIndex event);

/// Names (suffixes of files) and texts in DOT: an execution for each outcome that was kept, and for each kind of
/// undefined behaviour.
std::vector<std::pair<std::string, std::string>> mu_pictures(const MuReport& report, const std::string& title);

}  // namespace heddle::cli
