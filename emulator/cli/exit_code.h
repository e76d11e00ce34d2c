#pragma once

/// \file
/// How the program ends.

namespace heddle::cli {

enum class ExitCode : int {
  Fine = 0,
  /// A data race, or an expectation that failed.
  Finding = 1,
  /// Or an input of which nothing could be found out.
  BadInput = 2,
  InternalError = 3,
  /// Stopped by Ctrl-C, as shells count it.
  Interrupted = 130,
};

}  // namespace heddle::cli
