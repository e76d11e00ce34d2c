#pragma once

/// \file
/// Running another program, and waiting for it.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

struct ProgramEnd {
  /// Why it could not be started; empty if it was.
  std::string error;
  /// As shells count it: 128 and the signal, for a program that one ended.
  int status = 0;
  /// Ctrl-C or SIGTERM came meanwhile: the program was told as well.
  bool interrupted = false;
  /// Its time was up, and it was killed.
  bool too_late = false;
};

/// Runs `program[0]`, which is looked for in PATH, with its arguments, on this process's standard
/// streams.
ProgramEnd run_program(const std::vector<std::string>& program);
/// As that, reading nothing, with what it writes in this file, and until then at most. A program that is interrupted,
/// or whose time is up, is told (SIGINT), and killed two seconds later. `tick` is called some times in a second.
ProgramEnd run_into(const std::vector<std::string>& program, const std::string& file,
                    std::optional<std::chrono::steady_clock::time_point> end, const std::function<void()>& tick);
/// As run_program, on no streams at all, and until then at most. Who interrupts it ends it at once.
ProgramEnd run_quietly(const std::vector<std::string>& program, std::chrono::steady_clock::time_point end);

}  // namespace heddle::cli
