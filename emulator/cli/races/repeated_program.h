#pragma once

/// \file
/// A program that is run again and again, with edits of its kernels.

#include <heddle/report.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "emulator/proposals/proposals.h"

namespace heddle::cli {

/// Runs the program as other processes, whose environment is this one's but for what the number of a run says: number 0
/// is as the first run was, others have other seeds, and some of them a weak memory and more resident workgroups, where
/// neither the environment nor the program says anything else.
class RepeatedProgram final : public proposals::Program {
 public:
  using Clock = std::chrono::steady_clock;
  /// All of it ends then. The program ended after so long, as it is.
  RepeatedProgram(const std::vector<std::string>& program, Clock::duration took, Clock::time_point end);

  std::optional<proposals::RunResult> run(const std::vector<Edit>& edits, std::uint64_t number,
                                          bool explained) override;
  bool was_interrupted() const override { return interrupted_; }

 private:
  const std::vector<std::string>& program_;
  Clock::duration took_;
  Clock::time_point end_;
  std::uint64_t seed_ = 1;
  bool varies_memory_;
  bool varies_residents_;
  bool interrupted_ = false;
};

/// The report without changes that the program has not seen yet.
RaceReport without_changes(RaceReport report);
/// What came of it that changes were tried.
struct TriedChanges : proposals::Outcome {
  bool interrupted = false;
  /// What to ask for, to have more of them tried.
  std::string more_time;
};
/// Puts in the changes that were tried, for so long at most.
TriedChanges try_changes_on(RaceReport& report, const std::vector<std::string>& program,
                            RepeatedProgram::Clock::duration took, double seconds);
/// What was tried, for people.
std::string changes_text(const RaceReport& given, const TriedChanges& tried);

}  // namespace heddle::cli
