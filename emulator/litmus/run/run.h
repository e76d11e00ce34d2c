#pragma once

/// \file
/// Runs litmus tests on an emulated memory: what `heddle litmus --machine` does.

#include <heddle/choice.h>
#include <heddle/memory_policy.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/litmus/run/race_watch.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/memory/memory.h"
#include "emulator/run/memories.h"
#include "emulator/run/runner.h"
#include "emulator/trace/listener.h"

namespace heddle::litmus {

/// Whether a test runs on memory with domains alone (domains/): it has a host's side, fragment shader interlock or
/// shader inputs.
bool needs_domains(const Test& test);

/// Makes memories that do as the policy says for runs of the test.
std::function<std::unique_ptr<memory::Memory>(Choice&)> memory_of(const Test& test, const MemoryPolicy& policy);

/// How a test is run.
struct RunRequest {
  /// Makes the memory to run on, whose choices come from the argument. Outlives what it makes.
  std::function<std::unique_ptr<memory::Memory>(Choice&)> memory;
  /// Makes what looks for data races; without it only the judge does, in the runs that it judges.
  std::function<std::unique_ptr<RaceWatch>()> watch;
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;
  /// How many of the first runs go to the judge.
  std::uint64_t judged = 0;
  /// Iterations of each loop that change something.
  std::uint64_t bound = 2;
  bool chains = true;
  unsigned jobs = 1;
  /// Once it is true no further runs begin. May be null.
  const std::atomic<bool>* cancelled = nullptr;
  /// Called now and then, from one thread, with the number of runs that were made. May be empty.
  std::function<void(std::uint64_t)> progress;
};

/// Runs one test, one run at a time.
class TestRunner {
 public:
  /// `test` can run; it must outlive the runner, and the executions of its runs.
  TestRunner(const Test& test, const RunRequest& request);

  /// Who is told what the next runs do; null for none.
  void listen(trace::Listener* listener) { listener_ = listener; }
  /// Makes the run of this number.
  run::RunEnd run(std::uint64_t number);

  // What the last run gave:
  /// The final values; of variables those that memory settled on.
  const Outcome& outcome() const { return outcome_; }
  bool passes_filter() const;
  const std::vector<explore::AgentEnd>& ends() const { return last_->runner.ends(); }

 private:
  /// The test with one choice of who performs its cooperative accesses.
  struct Variant {
    Variant(const TestRunner& of, Performers performers, Choice& choice);
    TestProgram program;
    run::Runner runner;
  };
  Variant& choose();

  const Test& test_;
  std::function<std::unique_ptr<memory::Memory>(Choice&)> make_memory_;
  std::uint64_t seed_;
  std::uint64_t bound_;
  SeededChoice choice_;
  std::unique_ptr<memory::Memory> memory_;
  trace::Listener* listener_ = nullptr;
  std::vector<Performers> performers_;
  /// One for each of them, made when it is first run.
  std::vector<std::unique_ptr<Variant>> variants_;
  Variant* last_ = nullptr;
  Outcome outcome_;
};

struct HistogramRow {
  Outcome values;
  std::uint64_t count = 0;
  /// The first run that ended so.
  std::uint64_t first_run = 0;
};

/// What many runs came to.
struct RunTotals {
  /// As many as were asked for, unless it was cancelled.
  std::uint64_t runs = 0;
  /// The outcomes of the runs that terminated and pass the filter; sorted by values.
  std::vector<HistogramRow> histogram;
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  /// Runs that the filter discards.
  std::uint64_t filtered = 0;

  /// Runs of which somebody knows whether they have a data race, and how many do.
  std::uint64_t watched = 0;
  std::uint64_t racy_runs = 0;
  std::optional<std::uint64_t> first_racy_run;

  std::uint64_t judged = 0;
  std::uint64_t inconsistent = 0;
  std::optional<std::uint64_t> first_inconsistent_run;
  /// Judged runs in which an access does not happen before the end of its allocation.
  std::uint64_t freed_early = 0;
  std::optional<std::uint64_t> first_freed_early_run;
  /// Judged runs of which watch and judge name different races; nothing without a watch.
  std::optional<std::uint64_t> detector_disagreements;
  std::optional<std::uint64_t> first_disagreement_run;
  double seconds = 0;
};

/// Makes all the runs: the same whatever the number of jobs.
RunTotals run(const Test& test, const RunRequest& request);

}  // namespace heddle::litmus
