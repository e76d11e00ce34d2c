#pragma once

/// \file
/// Numbers as the texts of modules, headers and command lines write them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::spirv {

/// "17" or "0x11", without a sign, up to 2^64 - 1.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// The bits of a literal in a type of so many bits: an integer with or without a sign, decimal or hexadecimal, or a
/// floating-point number. Integers below 32 bits are extended to a word by the sign that is written. Nothing if the
/// text is no number, or one that is too large.
std::optional<std::uint64_t> literal_bits(std::string_view text, unsigned bits, bool is_float);

/// The bits of a number rounded to nearest even in a floating-point type of 16, 32 or 64 bits.
std::uint64_t float_bits(double value, unsigned bits);
/// The number that they stand for.
double float_value(std::uint64_t bits, unsigned width);

}  // namespace heddle::spirv
