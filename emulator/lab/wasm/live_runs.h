#pragma once

/// \file
/// Runs of a litmus test that are watched while they are made.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "emulator/cli/litmus/machine_json.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::lab {

/// Many runs of a test on one policy, made a few at a time. Run K is the run that `heddle litmus --machine` has under
/// this number, so that a count can be made again there.
class LiveRuns {
 public:
  /// `policy` is one of cli::policy_names().
  LiveRuns(litmus::Test test, const std::string& policy, std::uint64_t seed, std::uint64_t bound);

  /// Makes the next `runs` runs.
  void make(std::uint64_t runs);
  /// What all runs so far came to: `runs`, `histogram` (`outcome`, `count`, `first_run`), `blocked`, `cut`, `filtered`,
  /// `racy_runs`, `first_racy_run`.
  cli::Json totals() const;

 private:
  struct Row {
    std::uint64_t count = 0;
    std::uint64_t first_run = 0;
  };

  litmus::Test test_;
  std::unique_ptr<litmus::RaceWatch> watch_;
  std::unique_ptr<litmus::TestRunner> runner_;
  std::map<litmus::Outcome, Row> rows_;
  std::uint64_t runs_ = 0;
  std::uint64_t blocked_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t filtered_ = 0;
  std::uint64_t racy_runs_ = 0;
  std::optional<std::uint64_t> first_racy_run_;
};

}  // namespace heddle::lab
