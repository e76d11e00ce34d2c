#include "emulator/lab/server/byte_ranges.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "runtime/text/readable.h"

namespace heddle::lab {
namespace {

// The most ranges of one request: a client that wants more pieces of a file gets the whole file.
constexpr std::size_t kMostRanges = 16;

// Digits; what has too many of them stands for the largest number. Nothing for what are no digits.
std::optional<std::uint64_t> number(std::string_view digits) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
  }
  return value;
}

// "5-9", "5-" or "-5". An empty range asks for bytes that are not there.
std::optional<ByteRange> range_of(std::string_view text, std::uint64_t size) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view last_digits = text.substr(dash + 1);
  if (dash == 0) {
    const auto suffix = number(last_digits);
    if (!suffix) return std::nullopt;
    return ByteRange{size - std::min(*suffix, size), size};
  }
  const auto first = number(text.substr(0, dash));
  const auto last = last_digits.empty() ? std::numeric_limits<std::uint64_t>::max() : number(last_digits);
  if (!first || !last || *last < *first) return std::nullopt;
  return ByteRange{std::min(*first, size), *last >= size ? size : *last + 1};
}

}  // namespace

std::optional<std::vector<ByteRange>> byte_ranges(std::string_view field, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  const auto is_same = [](char a, char b) {
    return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
  };
  if (field.size() < kUnit.size() || !std::equal(kUnit.begin(), kUnit.end(), field.begin(), is_same))
    return std::nullopt;
  field.remove_prefix(kUnit.size());
  std::vector<ByteRange> ranges;
  std::uint64_t bytes = 0;
  bool any = false;
  while (true) {
    const std::size_t comma = std::min(field.find(','), field.size());
    // A list may have empty places.
    if (const std::string_view part = text::trimmed(field.substr(0, comma)); !part.empty()) {
      const std::optional<ByteRange> range = range_of(part, size);
      if (!range) return std::nullopt;
      any = true;
      if (range->begin < range->end) {
        ranges.push_back(*range);
        bytes += range->end - range->begin;
      }
      if (ranges.size() > kMostRanges || (ranges.size() > 1 && bytes > size)) return std::nullopt;
    }
    if (comma == field.size()) break;
    field.remove_prefix(comma + 1);
  }
  if (!any) return std::nullopt;
  return ranges;
}

}  // namespace heddle::lab
