#pragma once

/// \file
/// What `heddle litmus --progress` adds to the line of a file.

#include <nlohmann/json.hpp>

#include "emulator/litmus/vulkan/termination.h"

namespace heddle::cli {

void add_termination(const litmus::Test& test, const litmus::Termination& termination, nlohmann::ordered_json& out);

}  // namespace heddle::cli
