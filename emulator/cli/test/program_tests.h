#pragma once

/// \file
/// One test program, run.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "emulator/cli/test/report.h"

namespace heddle::cli {

struct ProgramTests {
  /// Why the program cannot be run; empty if it was.
  std::string error;
  bool interrupted = false;
};

/// Runs the tests of a program that fit the filter, and adds what came of them to the report. The environment says
/// under what. It has until `end`, and `tell` hears how many searches there were.
ProgramTests run_tests(const std::string& program, const std::string& filter,
                       std::optional<std::chrono::steady_clock::time_point> end,
                       const std::function<void(std::size_t searches)>& tell, TestReport& report);

}  // namespace heddle::cli
