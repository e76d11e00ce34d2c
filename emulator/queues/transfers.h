#pragma once

/// \file
/// The bytes that copies and clears are about.

#include <heddle/dependency.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace heddle::queues {

inline std::byte* bytes_of(const AnyBuffer& buffer, std::uint64_t offset) {
  return buffer.owner()->bytes + offset;
}

/// Fills `to` with `data`, again and again.
inline void repeat(std::span<const std::byte> data, std::span<std::byte> to) {
  for (std::size_t at = 0; at < to.size(); at += data.size())
    std::memcpy(&to[at], data.data(), std::min(data.size(), to.size() - at));
}

}  // namespace heddle::queues
