#pragma once

/// \file
/// What the line of a C or Mu test says.

#include <nlohmann/json.hpp>

#include "emulator/litmus/c/test.h"

namespace heddle::cli {

struct MuReport;

// Keeps the order of the documentation.
using Json = nlohmann::ordered_json;

/// A number, or the name of the location that an address is of.
Json value_json(const litmus::c::Test& test, mu::Value value);

/// The explorer's answer and what runs came to, as far as they were asked for.
void add_mu(const MuReport& report, Json& out);

}  // namespace heddle::cli
