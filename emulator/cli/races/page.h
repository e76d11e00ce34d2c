#pragma once

/// \file
/// The page of `heddle races --html`: the trace of a run that has races, with its races.

#include <string>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

/// A directory for the traces that the devices of a program write, gone when it goes out of scope.
class RunTraces {
 public:
  /// Throws std::runtime_error if there can be none.
  RunTraces();
  ~RunTraces();
  RunTraces(const RunTraces&) = delete;
  RunTraces& operator=(const RunTraces&) = delete;

  /// What HEDDLE_TRACE is to be.
  std::string path() const { return directory_ + "/run.trace"; }
  /// Writes a page of the trace that has the most races to the file `page`, and says on standard error what is in it,
  /// or why there is none.
  ExitCode write_page(const std::string& page, const std::string& program) const;

 private:
  std::string directory_;
};

}  // namespace heddle::cli
