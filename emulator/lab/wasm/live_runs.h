#pragma once

/// \file
/// Runs of a test or of a module that are watched while they are made.

#include <cstdint>
#include <memory>
#include <string>

#include "emulator/cli/litmus/machine_json.h"

namespace heddle::lab {

/// Many runs of a test on one policy, made a few at a time. Run K is the run that `heddle litmus --machine` has under
/// this number, so that a count can be made again there.
class LiveRuns {
 public:
  virtual ~LiveRuns() = default;

  /// Makes the next `runs` runs.
  virtual void make(std::uint64_t runs) = 0;
  /// What all runs so far came to: `runs`, `histogram` (`outcome`, `count`, `first_run`), `blocked`, `cut`, `filtered`,
  /// `racy_runs`, `first_racy_run`.
  virtual cli::Json totals() const = 0;
};

/// What the runs of a test are made of.
struct LiveRequest {
  /// A test of the Vulkan dialect, or of C or Mu, or the text of a module.
  std::string source;
  /// The name of a memory policy.
  std::string policy;
  std::uint64_t seed = 1;
  std::uint64_t bound = 2;
};

/// No runs yet. Throws std::runtime_error for a text that is no test, or none that can run: what() is for people.
std::unique_ptr<LiveRuns> live_runs(const LiveRequest& request);

}  // namespace heddle::lab
