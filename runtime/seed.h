#pragma once

/// \file
/// Seeds that people write.

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::runtime {

/// The number from 0 to 2^64 - 1 that a text is, in decimal or as C++ writes it otherwise (0x10); nothing if it is
/// none.
std::optional<std::uint64_t> seed_from_text(const std::string& text);

}  // namespace heddle::runtime
