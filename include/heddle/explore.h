#pragma once

/// \file
/// A test of kernels, run under many seeds: each is another order of execution, and with a weak memory
/// policy other delays. What fails is reported with its seed, made smaller, and can be run again.

#include <heddle/buffer.h>
#include <heddle/buffer_view.h>
#include <heddle/device.h>
#include <heddle/device_options.h>
#include <heddle/dispatch.h>
#include <heddle/image.h>
#include <heddle/schedule.h>
#include <heddle/sweep.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle {

/// Thrown by Trial::require.
class TrialFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One run of a test: a device of its own, under one seed.
class Trial {
 public:
  Trial(DeviceOptions options, std::uint32_t most_workgroups)
      : device_(std::move(options)), most_workgroups_(most_workgroups) {}
  /// Not for users: with a device whose inside was made before.
  Trial(detail::DeviceHandle* device, std::uint32_t most_workgroups)
      : device_(device), most_workgroups_(most_workgroups) {}

  Device& device() { return device_; }
  std::uint64_t seed() const { return *device_.options().seed; }

  /// How many workgroups to dispatch: as many as are wanted, or fewer when a failure is made smaller.
  /// The test must hold for any number from 1.
  std::uint32_t workgroups(std::uint32_t wanted) {
    wanted_workgroups_ = std::max(wanted_workgroups_, wanted);
    return std::min(wanted, most_workgroups_);
  }
  std::uint32_t wanted_workgroups() const { return wanted_workgroups_; }

  /// Throws TrialFailed if the result is wrong.
  void require(bool holds, const std::string& what) const {
    if (!holds) throw TrialFailed(what);
  }

 private:
  Device device_;
  std::uint32_t most_workgroups_;
  std::uint32_t wanted_workgroups_ = 0;
};

/// The part `index` (from 1) of `count` of the seeds: for several machines.
struct SeedShard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;
};

struct SeedOptions {
  std::uint64_t first_seed = 1;
  /// Every count-th seed. HEDDLE_EXPLORE_SHARD=2/8 in the environment wins.
  SeedShard shard;
  /// Threads; 0 for as many as there are processors. One trial runs on one thread.
  unsigned jobs = 0;
  /// Ends at the lowest failing seed; else all failing seeds are collected.
  bool stop_at_first = true;
  /// No trial begins after so long, and those that run are ended at their next operations and count for nothing; 0 for
  /// no limit.
  std::chrono::milliseconds budget{0};
  /// Looks for a smaller failure for so long at most; 0 for not at all. No smaller run takes much more operations than
  /// the failing one (16 times as many, and some).
  std::chrono::milliseconds shrink_budget{2000};
  /// Where races are looked for: runs trials again for so long at most, to try the changes on them that could mend a
  /// race (RaceReport::together, DataRace::changes); 0 for not at all.
  std::chrono::milliseconds change_budget{2000};
  /// Where the first failure goes as it was made smaller, for HEDDLE_REPLAY=FILE to repeat it. Nothing: a file of the
  /// system's directory for temporary ones, whose name is made of the program, the test and the seed. Empty: nowhere.
  std::optional<std::string> replay_file;
  /// With DeviceOptions::races all trials look for races. These are in SeedReport::races, and fail no trial.
  /// The options of every device, but for mode (Emulated), seed and choices; only the first failure is traced. The
  /// memory policy is "random" where nothing says another.
  DeviceOptions device;
  /// What each seed varies beside the order of execution, as class Sweep reads it: HEDDLE_SWEEP, or this, or "usual",
  /// which is the size of subgroups, the lanes of invocations, the order in which workgroups begin, how many are
  /// resident, and the memory policy. What `device` or a variable of the environment fixes is not varied.
  std::optional<std::string> sweep;
  /// Whether a trial fails in which kernels race: then the race is made smaller, and has a file that repeats it.
  bool races_fail = false;
  /// Where failures, and on a terminal a progress bar, go; null for nowhere. With it the first SIGINT (Ctrl-C) or
  /// SIGTERM ends the search, prints what was found until then, and is raised again; a trial that is in a loop of its
  /// own has half a second, then the program ends.
  std::FILE* print_to = stderr;

  /// Understands --seeds=N (into `seeds`), --first-seed=N, --shard=I/N, --jobs=N, --seconds=N and --all
  /// of a command line: false for anything else. Throws std::invalid_argument for a value that makes no
  /// sense.
  bool take(std::string_view argument, std::uint64_t& seeds);
};

/// A failure made smaller: the answers with which it fails still.
struct ShrunkFailure {
  /// The seed of its runs (Trial::seed), which need not be the one that failed first.
  std::uint64_t seed = 0;
  /// At most so many workgroups in a dispatch, and how many the test wants.
  std::uint32_t workgroups = 0;
  std::uint32_t wanted_workgroups = 0;
  /// A schedule for each dispatch; see replay(). Behind its end, and where it says nothing, nothing is
  /// delayed and no invocation interrupted.
  std::vector<Schedule> schedules;
  /// How many answers there are, and how many of them delay, keep or interrupt something.
  std::uint64_t answers = 0;
  std::uint64_t forced = 0;
  /// The plain value of each thing that the search varies, as far as it fails with that.
  Configuration configuration;
  /// The values that are not plain: "subgroup=64"; empty if all are.
  std::string unusual;
  /// How many answers there were in the failure as it was found.
  std::uint64_t answers_before = 0;
  std::uint64_t forced_before = 0;
  std::string what;
  /// The file that repeats it, and the command for the shell that does; both empty where there is none, though
  /// `no_file` says why one that was wanted could not be written.
  std::string file;
  std::string replay;
  std::string no_file;
};

struct SeedFailure {
  std::uint64_t seed = 0;
  std::string what;
  std::optional<Finding> finding;
  /// A command for the shell.
  std::string replay;
  /// What the search varies, as this seed had it.
  Configuration configuration;
  /// The file with the run of the first failure, as it was made smaller, if a trace was asked for
  /// (DeviceOptions::trace, HEDDLE_TRACE).
  std::string trace;
  /// Why there is none, though it was asked for.
  std::string no_trace;
  std::optional<ShrunkFailure> shrunk;
};

/// Seeds one after another, first and last among them, in steps of SeedShard::count.
struct SeedRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const SeedRange&, const SeedRange&) = default;
};

struct SeedReport {
  std::uint64_t trials = 0;
  /// Which seeds were tried, in ascending order.
  std::vector<SeedRange> tried;
  /// By seed.
  std::vector<SeedFailure> failures;
  /// The races of all trials, each bug once, if they were asked for. A search that stops at a failure has tried some
  /// seeds beyond it, one more or less.
  RaceReport races;
  double seconds = 0;
  /// False if the time was up before all seeds were tried.
  bool complete = true;

  bool failed() const { return !failures.empty(); }
  /// All failures, as people read them; empty if there is none: for tests that print what is not as expected.
  std::string what() const;
};

/// As people read it.
std::string to_string(const SeedFailure& failure);

namespace detail {
using TrialFunction = std::function<void(Trial&)>;

/// What trials need of a framework of unit tests whose checks may stand in them. <heddle/testing/catch2.h> and
/// <heddle/testing/gtest.h> have one each.
class TestFramework {
 public:
  virtual ~TestFramework() = default;
  /// Whether checks may be made on several threads at once; otherwise SeedOptions::jobs is 1 unless it says another.
  virtual bool has_threads() const = 0;
  /// The name of the test that runs; empty if none does.
  virtual std::string test() const = 0;
  /// The words of a command that runs the test `test()` alone, given the words that this program was started with.
  virtual std::vector<std::string> command(std::vector<std::string> words) const = 0;
  /// Which part of its seeds the test that runs is to try: frameworks share out tests, and so the parts of one.
  virtual SeedShard part() const { return {}; }
  /// Before the first trial of a search and after the last one, on the thread that searches.
  virtual void search_begins() {}
  virtual void search_ends() {}
  /// Before and after each trial, on its thread. From the one to the other checks that fail are not reported; what
  /// failed is returned, empty for nothing.
  virtual void trial_begins() = 0;
  virtual std::string trial_ends() = 0;
};

/// All searches that begin from now on ask it; null for none. Returns true.
bool use_test_framework(TestFramework* framework);

SeedReport explore_seeds(const TrialFunction& trial, std::uint64_t seeds, SeedOptions options);
std::optional<std::string> replay(const TrialFunction& trial, const ShrunkFailure& failure, const SeedOptions& options);

template <typename Test>
TrialFunction trial_function(Test& test) {
  return [&test](Trial& trial) {
    if constexpr (std::is_same_v<std::invoke_result_t<Test&, Trial&>, bool>) {
      trial.require(test(trial), "the test returned false");
    } else {
      test(trial);
    }
  };
}
}  // namespace detail

/// Calls `test(trial)` for seeds first_seed, first_seed + 1, ..., `seeds` of them, on all processors: it
/// makes buffers on trial.device(), dispatches, and checks what came of it. A trial fails if the test
/// returns false or throws (Trial::require, KernelError, ...). The test is called on several threads at
/// once, and must do the same again for the same seed. With HEDDLE_EXPLORE_SEED=N in the environment
/// seed N alone is tried: that is what the replay command of a failure does. With HEDDLE_REPLAY=FILE a smaller failure
/// is repeated, and nothing else is tried: a search of another test, or another search of that one, tries no seed.
/// HEDDLE_EXPLORE_SHRINK=N wins over SeedOptions::shrink_budget, in milliseconds, and HEDDLE_EXPLORE_CHANGES=N over
/// SeedOptions::change_budget. HEDDLE_EXPLORE_SEEDS=N wins over `seeds`, and with HEDDLE_EXPLORE_SECONDS=N no trial of
/// any search of this process begins after so many seconds. A search in which trials fail throws nothing:
/// SeedReport::failed says so, and who does not look at the report is warned by the compiler.
template <std::invocable<Trial&> Test>
[[nodiscard("a search that fails throws nothing: require that the report has not failed()")]] SeedReport explore_seeds(
    Test&& test, std::uint64_t seeds, const SeedOptions& options = {}) {
  return detail::explore_seeds(detail::trial_function(test), seeds, options);
}

/// Runs a shrunk failure again. Returns what is wrong; nothing if it does not fail any more.
template <std::invocable<Trial&> Test>
std::optional<std::string> replay(Test&& test, const ShrunkFailure& failure, const SeedOptions& options = {}) {
  return detail::replay(detail::trial_function(test), failure, options);
}

}  // namespace heddle
