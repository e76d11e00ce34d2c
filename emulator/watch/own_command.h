#pragma once

/// \file
/// The command line and the seed that make a failure come again.

#include <heddle/memory_policy.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::watch {

/// The command line of this process, or in a trial that of its search, for a shell, behind what layout_assignments()
/// has.
std::string own_command();
/// The words of the command line of this process.
std::vector<std::string> own_words();
/// A command of these words, for a shell.
std::string command_of(const std::vector<std::string>& words);

/// What the environment says of how workgroups are laid out and begin, and of limits, for a shell:
/// "HEDDLE_SUBGROUP_SIZE=8 ", with a space behind each; empty if it says nothing. Without it a run from the same seed
/// is another one.
std::string layout_assignments();

/// What the environment has to say of the memory, with a space behind it: "HEDDLE_MEMORY=random ". Empty for sequential
/// memory, and where the seed decides the policy, in a trial or under HEDDLE_SWEEP.
std::string memory_assignment(const MemoryPolicy& policy);

/// What makes a failure come again, beside the command: "HEDDLE_EXPLORE_SEED=7" in a trial with
/// that seed, else "HEDDLE_SEED=7".
std::string seed_assignment(std::uint64_t seed);

/// As long as it lives, devices that this thread makes belong to a trial.
class InTrial {
 public:
  /// `command` is what runs the test again, and must outlive it.
  explicit InTrial(const std::string& command);
  ~InTrial();
  InTrial(const InTrial&) = delete;
  InTrial& operator=(const InTrial&) = delete;

  /// Whether one of this thread does.
  static bool any();
  /// What runs the test again, of the trial of this thread; null if there is none.
  static const std::string* command();

 private:
  const std::string* outer_;
};

}  // namespace heddle::watch
