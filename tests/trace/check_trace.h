#pragma once

/// \file
/// What has to hold whatever the bytes of a trace.

#include <string>

namespace heddle::trace {

/// Reads the bytes as a trace, which must end well or with a TraceFileError, and must tell only of
/// agents and operations that are there; aborts if not. Returns whether it ended well.
bool check_trace(const std::string& bytes);

}  // namespace heddle::trace
