#pragma once

/// \file
/// What options of `heddle spirv` mean that have a text of their own.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle::cli {

/// "4", "4,2" or "4,2,1". Throws InputError.
std::array<std::uint32_t, 3> size_from_text(const std::string& option, const std::string& text);

/// "NAME=REST". Throws InputError.
std::pair<std::string, std::string> split_option(const std::string& option, const std::string& text);

/// A number of 32 bits. Throws InputError.
std::uint32_t number_from_text(const std::string& option, const std::string& text);

/// "S.B" as set and binding. Throws InputError.
std::pair<std::uint32_t, std::uint32_t> binding_from_text(const std::string& option, const std::string& text);

/// The bytes that "zeros:N", "iota:N", "random:N" (32-bit words), "words:1,2,3" or the name of a file stand for. Throws
/// InputError.
std::vector<std::uint8_t> contents_from_text(const std::string& option, const std::string& text);

}  // namespace heddle::cli
