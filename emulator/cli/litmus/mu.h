#pragma once

/// \file
/// Pictures of C and Mu litmus tests.

#include <string>
#include <utility>
#include <vector>

#include "emulator/litmus/c/test.h"
#include "emulator/mu/execution.h"

namespace heddle::cli {

struct MuReport;

/// Names (suffixes of files) and texts in DOT: an execution for each outcome that was kept, and for each kind of
/// undefined behaviour.
std::vector<std::pair<std::string, std::string>> mu_pictures(const MuReport& report, const std::string& title);

}  // namespace heddle::cli
