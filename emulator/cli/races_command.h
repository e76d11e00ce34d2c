#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

/// `heddle races PROGRAM [ARGS]`: runs a program whose devices look for data races, as it is.
class RacesCommand {
 public:
  explicit RacesCommand(CLI::App& program);
  bool chosen() const { return command_->parsed(); }
  /// 1 if there were races, 2 if the program cannot be started; else what the program said.
  ExitCode run() const;

 private:
  std::string format() const;

  CLI::App* command_;
  std::vector<std::string> program_;
  std::string format_ = "text";
  std::string memory_;
  std::string seed_;
  std::string output_;
  bool json_ = false;
};

}  // namespace heddle::cli
