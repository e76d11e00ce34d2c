#pragma once

/// \file
/// What is known of whether a dispatch ends, in the words of its module.

#include "emulator/cli/schedule.h"
#include "emulator/spirv/termination.h"

namespace heddle::cli {

ToldTermination told(const spirv::Analysis& analysis, const spirv::Termination& termination);

}  // namespace heddle::cli
