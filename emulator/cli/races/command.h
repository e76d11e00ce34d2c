#pragma once

/// \file
/// The command `heddle races`.

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <heddle/report.h>

#include "emulator/cli/exit_code.h"
#include "emulator/cli/races/program_run.h"

namespace heddle::cli {

/// `heddle races PROGRAM [ARGS]`: runs a program whose devices look for data races, as it is.
class RacesCommand {
 public:
  explicit RacesCommand(CLI::App& program);
  bool chosen() const { return command_->parsed(); }
  /// Puts "--" into a command line (without the name of this program), before the program that is to be run: its
  /// options are not ours.
  void separate_program(std::vector<std::string>& arguments) const;
  /// 1 if there were races that count, or the program failed; 2 if it cannot be started or has no
  /// kernels; 130 if it was interrupted.
  ExitCode run() const;

 private:
  ReportFormat format() const;
  void set_environment(const std::string& records) const;
  /// Why races cannot be looked for on all cores with what else is asked for; empty if they can, or need not be.
  std::string contradiction_to_parallel() const;
  bool write(const std::string& text) const;
  /// What is wrong with the options and the environment together; empty if nothing is.
  std::string contradiction() const;
  bool may_try_changes(const RaceReport& report, const ProgramEnd& end) const;
  bool is_for_people() const;
  /// Writes the report of a run that took so long, and what was tried of its changes; `behind` is the end of a text for
  /// people. Notes in `end` if it was interrupted meanwhile. False if it cannot be written.
  bool tell(RaceReport& report, const std::string& behind, ProgramEnd& end,
            std::chrono::steady_clock::duration took) const;
  /// For so long changes are tried.
  double change_seconds() const;

  CLI::App* command_;
  std::vector<std::string> program_;
  std::string format_ = "text";
  std::string memory_;
  std::string seed_;
  std::string undefined_;
  std::string sweep_;
  std::string output_;
  std::string html_;
  std::string suppressions_;
  std::string same_value_;
  bool advise_ = false;
  bool all_ = false;
  bool parallel_ = false;
  std::optional<double> change_seconds_;
  std::string patch_;
  bool json_ = false;
};

}  // namespace heddle::cli
