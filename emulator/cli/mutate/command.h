#pragma once

/// \file
/// The command `heddle mutate`.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

/// `heddle mutate PROGRAM [ARGS]`: weakens one ordering of the program's kernels after the other, and says which the
/// program notices.
class MutateCommand {
 public:
  explicit MutateCommand(CLI::App& program);
  bool chosen() const { return command_->parsed(); }
  /// Puts "--" before the program that is to be run, as RacesCommand.
  void separate_program(std::vector<std::string>& arguments) const;
  /// 0 if each that a seed shows is noticed; 1 if the program misses one; 2 if it cannot be started, fails as it is or
  /// has no orderings; 130 if it was interrupted.
  ExitCode run() const;

 private:
  CLI::App* command_;
  std::vector<std::string> program_;
  std::uint32_t seeds_ = 8;
  double seconds_ = 60;
};

}  // namespace heddle::cli
