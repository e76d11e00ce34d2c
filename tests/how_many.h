#pragma once

/// \file
/// How many random programs, executions and the like a test looks at.

#include <cstdint>
#include <cstdlib>

namespace heddle {

/// Whether this is the nightly form (the preset `nightly`).
inline bool nightly() {
  return std::getenv("HEDDLE_NIGHTLY") != nullptr;
}

/// `usual`; in the nightly form (the preset `nightly`) `nightly`; and whatever the environment variable `name` says.
inline std::uint64_t how_many(const char* name, std::uint64_t usual, std::uint64_t nightly) {
  if (const char* const asked = std::getenv(name)) return std::strtoull(asked, nullptr, 10);
  return heddle::nightly() ? nightly : usual;
}

/// The seed of the first of them: HEDDLE_FIRST_SEED, or 0.
inline std::uint64_t first_seed() {
  const char* const asked = std::getenv("HEDDLE_FIRST_SEED");
  return asked ? std::strtoull(asked, nullptr, 10) : 0;
}

}  // namespace heddle
