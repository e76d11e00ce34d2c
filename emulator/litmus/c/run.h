#pragma once

/// \file
/// Runs C and Mu litmus tests on the weak machine for host threads: what `heddle litmus --machine` does with them.

#include <heddle/memory_policy.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "emulator/litmus/c/test.h"
#include "emulator/mu/judgement.h"
#include "emulator/mu/machine/program_run.h"

namespace heddle::litmus::c {

struct RunRequest {
  MemoryPolicy policy;
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;
  /// How many of the first runs go to the judge.
  std::uint64_t judged = 0;
  /// The jump back of each loop is taken bound - 1 times by a thread.
  std::uint64_t bound = 2;
  unsigned jobs = 1;
  /// Once it is true no further runs begin. May be null.
  const std::atomic<bool>* cancelled = nullptr;
  /// Called now and then, from one thread, with the number of runs that were made. May be empty.
  std::function<void(std::uint64_t)> progress;
};

/// Runs one test, one run at a time. Run `number` is the same whatever ran before.
class TestRunner {
 public:
  /// The test outlives the runner.
  TestRunner(const Test& test, const RunRequest& request);

  /// Makes one run; with `record` it keeps the execution. Throws ParseError where the test creates a thread twice.
  mu::machine::End run(std::uint64_t number, bool record = false);
  /// The final values of the last run.
  const Outcome& outcome() const { return outcome_; }
  bool passes_filter() const;
  const mu::machine::Detector& detector() const { return run_.detector(); }
  const mu::Execution& execution() { return run_.execution(); }

 private:
  const Test& test_;
  const MemoryPolicy policy_;
  const std::uint64_t seed_;
  SeededChoice choice_;
  mu::machine::ProgramRun run_;
  Outcome outcome_;
};

/// Whether judge and detector name the same undefined behaviour of an execution: kinds, and for each the locations or
/// stacks. A wrong address is not the judge's business.
bool agree(const mu::Judgement& judgement, const mu::machine::Detector& detector);

struct HistogramRow {
  Outcome values;
  std::uint64_t count = 0;
  /// The first run that ended so.
  std::uint64_t first_run = 0;
};

/// Runs that have something, and the first of them.
struct Tally {
  std::uint64_t count = 0;
  std::optional<std::uint64_t> first;

  void note(std::uint64_t run);
  void add(const Tally& other);
};

/// What many runs came to.
struct RunTotals {
  /// As many as were asked for, unless it was cancelled.
  std::uint64_t runs = 0;
  /// Outcomes of the runs in which all threads finished and that pass the filter; sorted by values.
  std::vector<HistogramRow> histogram;
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  std::uint64_t faults = 0;
  /// Runs that the filter discards.
  std::uint64_t filtered = 0;
  /// For each kind of undefined behaviour the runs that have it.
  std::array<Tally, 4> undefined;
  std::uint64_t judged = 0;
  Tally inconsistent;
  Tally disagreements;
  double seconds = 0;
};

/// Makes all the runs: the same whatever the number of jobs.
RunTotals run(const Test& test, const RunRequest& request);

}  // namespace heddle::litmus::c
