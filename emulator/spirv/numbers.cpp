#include "emulator/spirv/numbers.h"

#include <heddle/float16.h>

#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>

namespace heddle::spirv {
namespace {

/// Rounds to odd, so that rounding once more to a half rounds as if it were once.
float odd_float(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool beyond = (value > 0) == (static_cast<double>(nearest) > value);
  if ((bits & 1U) == 0) bits += beyond ? 0xffffffffU : 1U;
  return std::bit_cast<float>(bits);
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> literal_bits(std::string_view text, unsigned bits, bool is_float) {
  const bool negative = text.starts_with('-');
  if (!is_float) {
    const auto magnitude = whole_number(negative ? text.substr(1) : text);
    if (!magnitude) return std::nullopt;
    const std::uint64_t value = negative ? 0 - *magnitude : *magnitude;
    const unsigned unused = bits < 64 ? 64 - bits : 0;
    if ((*magnitude << unused) >> unused != *magnitude) return std::nullopt;
    return value;
  }
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size()) return std::nullopt;
  if (bits == 32) return std::bit_cast<std::uint32_t>(std::strtof(copy.c_str(), nullptr));
  return float_bits(value, bits);
}

std::uint64_t float_bits(double value, unsigned bits) {
  if (bits == 64) return std::bit_cast<std::uint64_t>(value);
  if (bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return float16(odd_float(value)).bits();
}

double float_value(std::uint64_t bits, unsigned width) {
  if (width == 64) return std::bit_cast<double>(bits);
  if (width == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return static_cast<float>(float16::from_bits(static_cast<std::uint16_t>(bits)));
}

}  // namespace heddle::spirv
