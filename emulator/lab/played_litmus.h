#pragma once

/// \file
/// A litmus test of the Vulkan dialect as something that is played.

#include <memory>

#include "emulator/lab/played.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::lab {

std::unique_ptr<Played> played(litmus::Test test);

}  // namespace heddle::lab
