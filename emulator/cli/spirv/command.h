#pragma once

/// \file
/// `heddle spirv`.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"
#include "emulator/cli/spirv/report.h"

namespace heddle::cli {

/// The options of `heddle spirv`, and what it does with them.
class SpirvCommand {
 public:
  /// Adds the command to the program.
  explicit SpirvCommand(CLI::App& program);

  /// Whether the command line asked for it.
  bool chosen() const { return command_->parsed(); }
  ExitCode run() const;

 private:
  void add_dispatch_options();
  void add_machine_options();
  /// Throws InputError, as request() does.
  BufferRequest buffer_request() const;
  /// Throws InputError for an option that cannot be.
  SpirvRequest request() const;
  ExitCode list() const;

  CLI::App* command_;
  std::vector<std::string> files_;
  std::uint64_t bound_ = 2;
  std::uint64_t limit_ = 0;
  unsigned jobs_ = 0;
  bool no_chains_ = false;
  bool verdict_ = false;
  bool json_ = false;
  bool no_times_ = false;
  bool quiet_ = false;
  bool list_ = false;
  std::string entry_;
  std::string local_;
  std::string groups_;
  std::uint32_t subgroup_size_ = 0;
  std::vector<std::string> specialization_;
  std::vector<std::string> buffers_;
  std::vector<std::string> extents_;
  std::string push_;
  std::string reconverge_;
  bool robust_ = false;
  bool wrap_offsets_ = false;
  bool races_ = false;
  std::string policy_;
  std::uint64_t runs_ = 10000;
  std::uint64_t seed_ = 1;
  std::uint64_t judged_ = 0;
  bool advise_ = false;
  bool no_explore_ = false;
  std::uint64_t replay_ = 0;
  std::string trace_;
  std::string progress_;
  std::vector<std::string> expected_;
  std::vector<std::string> dumped_;
};

}  // namespace heddle::cli
