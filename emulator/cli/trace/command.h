#pragma once

/// \file
/// `heddle trace`.

#include <CLI/CLI.hpp>

#include <fstream>
#include <string>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

class TraceCommand {
 public:
  /// Adds the command to the program.
  explicit TraceCommand(CLI::App& program);

  bool chosen() const { return command_->parsed(); }
  ExitCode run() const;

 private:
  ExitCode read_and_write() const;
  /// Opens a file that is written; what is wrong, or nothing.
  std::string open_output(const std::string& path, std::ofstream& out) const;

  CLI::App* command_;
  std::string file_;
  std::string perfetto_;
  std::string html_;
  std::string film_;
  bool list_ = false;
  bool json_ = false;
  bool quiet_ = false;
};

}  // namespace heddle::cli
