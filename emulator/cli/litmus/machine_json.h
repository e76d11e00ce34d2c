#pragma once

/// \file
/// What `heddle litmus --machine` adds to the line of a file.

#include <nlohmann/json.hpp>

#include "emulator/cli/litmus/machine.h"

namespace heddle::cli {

// Keeps the order of the documentation.
using Json = nlohmann::ordered_json;

void add_machine(const litmus::Test& test, const MachineReport& report, Json& out);

}  // namespace heddle::cli
