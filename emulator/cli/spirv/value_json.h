#pragma once

/// \file
/// Values of a module's memory as JSON.

#include <nlohmann/json.hpp>

#include "emulator/spirv/types.h"

namespace heddle::cli {

/// A number, or a text for what JSON has no number for: "undefined", infinities and what is none.
nlohmann::ordered_json value_json(const spirv::ScalarType& type, std::uint64_t bits);

}  // namespace heddle::cli
