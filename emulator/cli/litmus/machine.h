#pragma once

/// \file
/// `heddle litmus --machine`: a test run many times on an emulated memory.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::cli {

/// What the command line asks of the machine.
struct MachineOptions {
  /// The name of a policy, one of `cli::policy_names`.
  std::string policy;
  std::uint64_t runs = 100000;
  std::uint64_t seed = 1;
  std::uint64_t judged = 0;
  bool explore = true;
  /// Make this run alone, and tell what happens.
  std::optional<std::uint64_t> replay;
  /// Where the replayed run is recorded; empty for nowhere.
  std::string trace;
  /// Threads for the runs of one file.
  unsigned jobs = 1;
  /// Called now and then with the number of runs made.
  std::function<void(std::uint64_t)> progress;
};

/// What the runs are to be.
litmus::RunRequest run_request(const litmus::Test& test, const litmus::Question& question,
                               const MachineOptions& options);

/// Something that a replayed run did, or that memory did meanwhile.
struct ReplayEvent {
  /// The step of an operation, counted from 1. Nothing for what memory does by itself.
  std::optional<std::uint64_t> step;
  /// Whose operation it is.
  std::optional<std::uint32_t> thread;
  /// The instruction as the test spells it.
  std::string instruction;
  /// What came of it, in a few words.
  std::string effect;
  bool stale = false;
};

struct Replay {
  std::vector<ReplayEvent> events;
  litmus::Outcome outcome;
  run::RunEnd end = run::RunEnd::Terminated;
  bool passes_filter = true;
  bool consistent = true;
  /// Why it is not.
  std::string violation;
  /// Each race, and the first missing link.
  std::vector<std::string> races;
  /// Each access that does not happen before its memory is freed.
  std::vector<std::string> freed_early;
};

struct MachineReport {
  std::string policy;
  std::uint64_t seed = 1;
  std::uint64_t runs = 0;
  litmus::RunTotals totals;
  /// By row of the histogram: whether the explorer has it; nothing if that is not known.
  std::vector<std::optional<bool>> allowed;
  /// The allowed outcomes that no run had.
  std::vector<litmus::Outcome> never_seen;
  /// For each outcome of `never_seen`, why no run can have it; empty where a run may.
  std::vector<std::string> kept_back;
  /// What interleavings alone explain; nothing if there are too many.
  std::optional<std::set<litmus::Outcome>> interleaved;
  std::optional<Replay> replay;
  std::optional<std::uint64_t> replayed_run;
  bool explored = true;

  /// heddle itself is wrong: a run that the model does not allow, or a detector that disagrees.
  bool is_unsound() const;
  bool has_finding() const {
    return totals.racy_runs > 0 || totals.freed_early > 0 ||
           (replay && !(replay->races.empty() && replay->freed_early.empty()));
  }
};

/// Runs the test. `answer` is the explorer's; null if it was not asked.
MachineReport run_on_machine(const litmus::Test& test, const litmus::Answer* answer, const litmus::Question& question,
                             const MachineOptions& options);

/// Makes one run by itself. Throws TraceFileError if the trace cannot be written.
Replay replay_run(const litmus::Test& test, const litmus::Question& question, const MachineOptions& options);

}  // namespace heddle::cli
