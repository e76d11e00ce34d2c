#pragma once

/// \file
/// Numbers for what memory holds, while others may write it.

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::runtime {

/// Makes of the number for some words the number for them and `word` behind them. Equal words have equal numbers;
/// different ones have equal numbers by chance only, which is one in 2^64.
inline void add_word(std::uint64_t& number, std::uint64_t word) {
  // The last step of a Murmur hash (Appleby's fmix64), over what came before.
  number = (number ^ word) * 0xff51afd7ed558ccdULL;
  number = (number ^ number >> 33) * 0xc4ceb9fe1a85ec53ULL;
  number ^= number >> 33;
}

/// Makes of the number for some words the number for them and what `bytes` hold behind them. Other threads may write
/// the bytes during the call, and no sanitizer complains.
void add_bytes(std::uint64_t& number, std::span<const std::byte> bytes);

}  // namespace heddle::runtime
