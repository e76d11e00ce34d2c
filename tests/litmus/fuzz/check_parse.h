#pragma once

/// \file
/// What must be true of a parse, whatever the bytes.

#include <string>
#include <string_view>

namespace heddle::litmus {

/// Parses as a Vulkan litmus test. Returns what is wrong with the result, "" if nothing is.
std::string check_vulkan(std::string_view source);

/// Parses as a `.test` file.
std::string check_khronos(std::string_view source);

/// Parses as a test of herd's C dialect, or of its extension for Mu.
std::string check_c(std::string_view source);

}  // namespace heddle::litmus
