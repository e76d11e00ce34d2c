#pragma once

/// \file
/// Numbers for what memory holds, while others may write it.

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::runtime {

/// Adds a word to a number for the words before it: equal ones have equal numbers; different ones by chance only, of
/// which there are 2^64.
inline void add_word(std::uint64_t& number, std::uint64_t word) {
  // The last step of a Murmur hash (Appleby's fmix64), over what came before.
  number = (number ^ word) * 0xff51afd7ed558ccdULL;
  number = (number ^ number >> 33) * 0xc4ceb9fe1a85ec53ULL;
  number ^= number >> 33;
}

/// Adds what is at these addresses, as it is read at some moment of the call, to a number for what comes before. No
/// sanitizer looks at it.
void add_bytes(std::uint64_t& number, std::span<const std::byte> bytes);

}  // namespace heddle::runtime
