#pragma once

/// \file
/// What is wrong with a trace file.

#include <stdexcept>

namespace heddle::trace {

/// A file that cannot be read or written, is no trace, of another version, cut off or damaged. `what()`
/// begins with its name.
class TraceFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heddle::trace
