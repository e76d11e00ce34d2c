#pragma once

/// \file
/// How much a request may ask for: what is above is refused with an error. PROTOCOL.md has the same numbers.

#include <cstddef>
#include <cstdint>

namespace heddle::lab {

/// The bytes of a request, of a test's text, and of a name: of a file, a bookmark, a move, a word to find.
inline constexpr std::size_t kMostRequestBytes = 8 << 20;
inline constexpr std::size_t kMostTextBytes = 1 << 20;
inline constexpr std::size_t kMostNameBytes = 4096;
inline constexpr std::size_t kMostBookmarks = 1000;
inline constexpr std::size_t kMostBreakpoints = 1000;
/// Rounds of a thread that spins.
inline constexpr std::uint64_t kMostBound = 64;
/// Moves of a game. (Without a thread that spins none has as many.)
inline constexpr std::uint64_t kMostMoves = 100000;
inline constexpr std::uint64_t kMostTries = 1000000;
inline constexpr std::uint64_t kMostExecutions = 10000000;

}  // namespace heddle::lab
