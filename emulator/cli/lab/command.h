#pragma once

/// \file
/// `heddle lab`.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

/// Opens the lab in a browser: serves the page, and traces of kernels with it, on this machine, or writes both to a
/// folder.
class LabCommand {
 public:
  /// Adds the command to the program.
  explicit LabCommand(CLI::App& program);

  bool chosen() const { return command_->parsed(); }
  ExitCode run() const;

 private:
  /// The traces that were named, and those in folders that were named. Throws std::filesystem::filesystem_error.
  std::vector<std::string> traces() const;
  ExitCode serve(const std::string& page) const;
  ExitCode write_folder(const std::string& page) const;

  CLI::App* command_;
  std::vector<std::string> runs_;
  unsigned port_ = 0;
  std::string folder_;
  std::string page_;
  bool open_ = false;
};

}  // namespace heddle::cli
