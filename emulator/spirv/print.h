#pragma once

/// \file
/// What debugPrintfEXT prints.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/spirv/types.h"

namespace heddle::spirv {

/// The format with its values in their places: `%d`, `%5.2f`, `%v3x` (a vector of three) and their like, as
/// GLSL_EXT_debug_printf has them. What cannot be printed so stands as it is written.
std::string printed(std::string_view format, const std::vector<std::uint64_t>& values,
                    const std::vector<ScalarType>& types);

}  // namespace heddle::spirv
