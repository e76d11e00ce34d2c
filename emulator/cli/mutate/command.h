#pragma once

/// \file
/// The command `heddle mutate`.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"
#include "emulator/cli/mutate/weakened_program.h"

namespace heddle::cli {

/// What came of all weakened orderings.
struct Score {
  std::size_t noticed = 0;
  std::size_t missed = 0;
  std::size_t equivalent = 0;
  std::size_t unshown = 0;
};

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
  std::uint32_t seeds() const;
  /// Tries each of them, tells what came of it, and adds those that no seed shows to `unshown`.
  Score try_each(WeakenedProgram& program, const std::vector<Edit>& edits, std::vector<Edit>& unshown) const;
  /// What is weaker than it is, one at a time, may be needed once all of it is.
  void tell_together(WeakenedProgram& program, const std::vector<Edit>& unshown) const;

  CLI::App* command_;
  std::vector<std::string> program_;
  /// 0: as many as are usual.
  std::uint32_t seeds_ = 0;
  bool advise_ = false;
  double seconds_ = 60;
};

}  // namespace heddle::cli
