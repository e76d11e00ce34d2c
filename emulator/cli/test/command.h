#pragma once

/// \file
/// The command `heddle test`.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

class TestReport;

/// `heddle test PROGRAM...`: runs test programs under sweeps, looks for races in their searches, and makes one report.
/// `heddle test --merge FILE...`: makes one of several.
class TestCommand {
 public:
  explicit TestCommand(CLI::App& program);
  bool chosen() const { return command_->parsed(); }
  /// 0 if all is well; 1 for a test that failed or a race; 2 for a program that cannot be run, or a file that is no
  /// report; 130 if it was interrupted.
  ExitCode run() const;

 private:
  void set_environment() const;
  ExitCode list_sweeps() const;
  ExitCode merge() const;
  ExitCode run_all() const;
  bool write(const TestReport& report) const;

  CLI::App* command_;
  std::vector<std::string> names_;
  bool merge_ = false;
  bool list_ = false;
  bool without_races_ = false;
  bool json_ = false;
  std::string sweep_;
  std::string undefined_;
  std::string shard_;
  std::string filter_;
  std::string format_ = "text";
  std::string output_;
  std::uint64_t seeds_ = 0;
  std::uint32_t seconds_ = 0;
};

}  // namespace heddle::cli
