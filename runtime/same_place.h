#pragma once

/// \file
/// Compares two source locations by line.

#include <heddle/source_location.h>

#include <cstring>

namespace heddle::runtime {

/// Whether two places are one line of one file.
inline bool same_place(const SourceLocation& a, const SourceLocation& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

}  // namespace heddle::runtime
