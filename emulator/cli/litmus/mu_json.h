#pragma once

/// \file
/// What the line of a C or Mu test says.

#include <nlohmann/json.hpp>

namespace heddle::cli {

struct MuReport;

// Keeps the order of the documentation.
using Json = nlohmann::ordered_json;

/// The explorer's answer and what runs came to, as far as they were asked for.
void add_mu(const MuReport& report, Json& out);

}  // namespace heddle::cli
