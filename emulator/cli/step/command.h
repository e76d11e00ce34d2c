#pragma once

/// \file
/// `heddle step`.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

class StepCommand {
 public:
  /// Adds the command to the program.
  explicit StepCommand(CLI::App& program);

  bool chosen() const { return command_->parsed(); }
  ExitCode run() const;

 private:
  ExitCode step_test(const std::string& text) const;
  ExitCode step_trace(const std::string& file, const std::string& title) const;
  ExitCode step_module() const;

  CLI::App* command_;
  std::string file_;
  std::string moves_;
  std::uint64_t bound_ = 2;
  bool no_chains_ = false;
  std::string policy_ = "random";
  std::uint64_t seed_ = 1;
  std::uint64_t replay_ = 0;
};

}  // namespace heddle::cli
