#pragma once

/// \file
/// `heddle litmus`.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"
#include "emulator/cli/litmus/machine.h"

namespace heddle::cli {

/// The options of `heddle litmus`, and what it does with them.
class LitmusCommand {
 public:
  /// Adds the command to the program.
  explicit LitmusCommand(CLI::App& program);

  /// Whether the command line asked for it.
  bool chosen() const { return command_->parsed(); }
  ExitCode run() const;

 private:
  void add_machine_options();
  /// What the runs of each file are to be, if there are any.
  std::optional<MachineOptions> machine(std::size_t files) const;
  unsigned jobs() const;
  /// What keeps the command from working on these files, for a message; empty if it can. Makes the directory of the
  /// pictures.
  std::string what_is_wrong(const std::vector<std::string>& files) const;
  litmus::Question question() const;

  CLI::App* command_;
  std::vector<std::string> files_;
  std::uint64_t bound_ = 2;
  std::uint64_t limit_ = 0;
  unsigned jobs_ = 0;
  bool no_chains_ = false;
  bool thin_air_ = false;
  bool verdict_ = false;
  bool json_ = false;
  bool no_times_ = false;
  bool quiet_ = false;
  bool why_ = false;
  std::string dot_;
  std::string spelling_;
  std::string edits_;
  bool print_changed_ = false;
  std::string progress_;
  MachineOptions machine_;
  bool no_explore_ = false;
  std::uint64_t replay_ = 0;
};

}  // namespace heddle::cli
