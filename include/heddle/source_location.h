#pragma once

/// \file
/// Where in a kernel's source something happens.

#include <cstdint>

namespace heddle {

/// A place in a source file. A type of our own because clang 14 has no std::source_location.
/// As the last, defaulted parameter of a function (`SourceLocation where = HEDDLE_HERE`) it is the
/// place of the call.
struct SourceLocation {
  const char* file = "";
  const char* function = "";
  std::uint32_t line = 0;
};

}  // namespace heddle

/// The place of the call, as a default argument.
#define HEDDLE_HERE \
  ::heddle::SourceLocation { __builtin_FILE(), __builtin_FUNCTION(), __builtin_LINE() }
