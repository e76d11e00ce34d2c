#pragma once

/// \file
/// What is wrong with a trace file.

#include <stdexcept>
#include <string>

#include "runtime/text/readable.h"

namespace heddle::trace {

/// A file that cannot be read or written, is no trace, of another version, cut off or damaged. `what()`
/// begins with its name, as readable text.
class TraceFileError : public std::runtime_error {
 public:
  explicit TraceFileError(const std::string& what) : std::runtime_error(text::readable_lines(what)) {}
};

}  // namespace heddle::trace
