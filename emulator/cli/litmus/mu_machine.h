#pragma once

/// \file
/// `heddle litmus --machine` for C and Mu tests.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/cli/litmus/machine.h"
#include "emulator/cli/terminal.h"
#include "emulator/litmus/c/answer.h"
#include "emulator/litmus/c/run.h"

namespace heddle::cli {

/// One run by itself.
struct MuReplay {
  mu::Execution execution;
  mu::machine::End end = mu::machine::End::Finished;
  litmus::c::Outcome outcome;
  bool passes_filter = true;
  bool consistent = true;
  /// The rules that it breaks.
  std::vector<std::string> violations;
  std::vector<mu::UndefinedPair> undefined;
};

struct MuMachineReport {
  std::string policy;
  std::uint64_t seed = 1;
  std::uint64_t runs = 0;
  litmus::c::RunTotals totals;
  /// For each row of the histogram: whether the explorer has it; nothing if it is not known.
  std::vector<std::optional<bool>> allowed;
  /// The allowed outcomes that no run had.
  std::vector<litmus::c::Outcome> never_seen;
  std::optional<MuReplay> replay;
  std::optional<std::uint64_t> replayed_run;

  /// heddle itself is wrong: a run that the model does not allow, or a detector that disagrees.
  bool is_unsound() const;
  /// Undefined behaviour in some run.
  bool has_finding() const;
};

/// Runs the test. `answer` is the explorer's; null if it was not asked. Throws ParseError where the test creates a
/// thread twice.
MuMachineReport run_on_machine(const litmus::c::Test& test, const litmus::c::Answer* answer,
                               const litmus::Question& question, const MachineOptions& options);

/// The part of a report that is about runs.
std::string mu_machine_text(const litmus::c::Test& test, const MuMachineReport& report, bool quiet,
                            const Painter& paint);

}  // namespace heddle::cli
