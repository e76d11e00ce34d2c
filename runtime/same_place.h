#pragma once

/// \file
/// Compares two source locations by line: whether they are one, and which stands first.

#include <heddle/source_location.h>

#include <cstring>

namespace heddle::runtime {

/// Whether two places are one line of one file.
inline bool same_place(const SourceLocation& a, const SourceLocation& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

/// Whether `a` stands before `b` in the text of the program: the order of files is that of their
/// names, so that it is the same on every machine.
inline bool stands_before(const SourceLocation& a, const SourceLocation& b) {
  const int files = a.file == b.file ? 0 : std::strcmp(a.file, b.file);
  return files != 0 ? files < 0 : a.line < b.line;
}

}  // namespace heddle::runtime
