#pragma once

/// \file
/// Reads traces.

#include <cstdint>
#include <istream>
#include <string>

#include "emulator/trace/api_steps.h"
#include "emulator/trace/components.h"
#include "emulator/trace/file_error.h"
#include "emulator/trace/listener.h"

namespace heddle::trace {

/// What there was in a trace.
struct TraceSummary {
  std::uint64_t dispatches = 0;
  std::uint64_t agents = 0;
  std::uint64_t operations = 0;
  std::uint64_t moves = 0;
  std::uint64_t stale_reads = 0;
  std::uint64_t races = 0;
  /// Steps of the host's side.
  std::uint64_t steps = 0;
};

/// Tells `listener` what the writer was told; at once, so that it needs no more memory than the writer.
/// Names in `Operation::where` are valid as long as the program runs. Throws TraceFileError; whatever is
/// in front of the fault has then been told. `name` is for its message.
/// `on_components`, `on_called` and `on_race` may be empty, and `steps`, which is told of the host's side, null.
TraceSummary read_trace(std::istream& in, const std::string& name, Listener& listener,
                        const OnComponents& on_components = {}, const OnCalled& on_called = {},
                        const OnRace& on_race = {}, ApiListener* steps = nullptr);
/// Throws TraceFileError if the file cannot be read, or does not begin as a trace of a version that is read. It reads
/// the beginning alone, so a pipe is not to be asked about.
void expect_trace_file(const std::string& path);
/// Reads a trace from a file and tells `listener` of it.
TraceSummary read_trace_file(const std::string& path, Listener& listener, const OnComponents& on_components = {},
                             const OnCalled& on_called = {}, const OnRace& on_race = {}, ApiListener* steps = nullptr);

}  // namespace heddle::trace
