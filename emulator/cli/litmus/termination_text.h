#pragma once

/// \file
/// What `heddle litmus --progress` says of a test, for people.

#include <string>

#include "emulator/cli/terminal.h"
#include "emulator/litmus/progress.h"
#include "emulator/litmus/vulkan/termination.h"

namespace heddle::cli {

/// Whether all threads end under the models, and a run that does not.
std::string termination_text(const litmus::Test& test, const litmus::Termination& termination,
                             const litmus::ProgressModels& models, const Painter& paint);

}  // namespace heddle::cli
