#pragma once

/// \file
/// The header field Range of HTTP.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle::lab {

/// Bytes of something, from `begin` to before `end`; never none.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// What a value of Range ("bytes=0-99,-5") asks for of something that has so many bytes, in its order and cut where
/// that ends: no range at all if it has none of those (the answer is 416, then). Nothing if the field is to be ignored:
/// it is not in the form of RFC 9110, section 14.1, or asks for more than the whole in pieces.
std::optional<std::vector<ByteRange>> byte_ranges(std::string_view field, std::uint64_t size);

}  // namespace heddle::lab
