#pragma once

/// \file
/// The command line and the seed that make a failure come again.

#include <cstdint>
#include <string>

namespace heddle::watch {

/// The command line of this process, for a shell.
std::string own_command();

/// What makes a failure come again, beside the command: "HEDDLE_EXPLORE_SEED=7" in a trial with
/// that seed, else "HEDDLE_SEED=7".
std::string seed_assignment(std::uint64_t seed);

/// As long as it lives, devices that this thread makes belong to a trial.
class InTrial {
 public:
  InTrial();
  ~InTrial();
  InTrial(const InTrial&) = delete;
  InTrial& operator=(const InTrial&) = delete;

  /// Whether one of this thread does.
  static bool any();
};

}  // namespace heddle::watch
