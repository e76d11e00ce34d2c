#pragma once

/// \file
/// Where in a kernel's source something happens.

#include <heddle/detail/language.h>

#include <cstdint>

namespace heddle {

/// A place in a source file. A type of our own because clang 14 has no std::source_location.
struct SourceLocation {
  const char* file = "";
  const char* function = "";
  std::uint32_t line = 0;
  /// 0: not known. (And the place has no padding, so that it is stored as wide as it is loaded.)
  std::uint32_t column = 0;

  /// As a default argument (`SourceLocation where = SourceLocation::current()`): the place of the
  /// call.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          const char* function = __builtin_FUNCTION(),
                                          std::uint32_t line = __builtin_LINE()) {
    return {file, function, line, 0};
  }
};

}  // namespace heddle
