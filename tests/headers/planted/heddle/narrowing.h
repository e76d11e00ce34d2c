#pragma once

/// \file
/// A header with a conversion that -Wconversion warns of.

namespace heddle {
inline short narrowed(int wide) {
  return wide;
}
}  // namespace heddle
