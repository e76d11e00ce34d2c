#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "emulator/host/interruptible.h"
#include "emulator/host/limits.h"
#include "emulator/report/collector.h"
#include "emulator/seeds/failure_text.h"
#include "emulator/seeds/replay_file.h"
#include "emulator/seeds/search_log.h"
#include "emulator/seeds/seed_changes.h"
#include "emulator/seeds/seed_trial.h"
#include "emulator/watch/race_log.h"
#include "emulator/watch/watchers.h"
#include "runtime/counted.h"
#include "runtime/text/readable.h"

namespace heddle {
namespace seeds {
namespace {

using Clock = std::chrono::steady_clock;

template <typename Number = std::uint64_t>
Number number_of(std::string_view text, std::string_view what) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("{} is '{}', not a number from 0 to {}", what, text::readable(text),
                                            std::numeric_limits<Number>::max()));
  return value;
}

SeedShard shard_of(std::string_view text, std::string_view what) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  SeedShard shard;
  if (slash == text.size()) throw std::invalid_argument(fmt::format("{} is '{}', not I/N", what, text::readable(text)));
  const std::uint64_t index = number_of(text.substr(0, slash), what);
  const std::uint64_t count = number_of(text.substr(slash + 1), what);
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (index < 1 || index > count || count > kMost)
    throw std::invalid_argument(
        fmt::format("{} is '{}', not I/N with I from 1 to N, and N from 1 to {}", what, text::readable(text), kMost));
  shard.index = static_cast<std::uint32_t>(index);
  shard.count = static_cast<std::uint32_t>(count);
  return shard;
}

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

/// In ascending order, those that follow each other put together.
void join_ranges(std::vector<SeedRange>& ranges, std::uint64_t step) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<SeedRange> joined;
  for (const SeedRange& range : ranges) {
    if (joined.empty() || joined.back().last + step != range.first) {
      joined.push_back(range);
    } else {
      joined.back().last = range.last;
    }
  }
  ranges = std::move(joined);
}

/// The `inner` part of the `outer` part of all seeds.
SeedShard part_of(const SeedShard& outer, const SeedShard& inner) {
  const std::uint64_t count = std::uint64_t{outer.count} * inner.count;
  if (count > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument(
        fmt::format("{} parts of the seeds, each in {} shards, are too many: together they may "
                    "be {}",
                    outer.count, inner.count, std::numeric_limits<std::uint32_t>::max()));
  return {outer.index + outer.count * (inner.index - 1), static_cast<std::uint32_t>(count)};
}

/// When this process began, nearly.
const Clock::time_point g_begin = Clock::now();

/// What the environment says of how much is tried.
void take_amounts(SeedOptions& options, std::uint64_t& seeds) {
  if (const auto number = environment("HEDDLE_EXPLORE_SEEDS"); !number.empty())
    seeds = number_of(number, "HEDDLE_EXPLORE_SEEDS");
  const auto seconds = environment("HEDDLE_EXPLORE_SECONDS");
  if (seconds.empty()) return;
  const auto end = g_begin + std::chrono::seconds(number_of<std::uint32_t>(seconds, "HEDDLE_EXPLORE_SECONDS"));
  // A budget of 0 would be none.
  const auto left =
      std::max(std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()), std::chrono::milliseconds(1));
  options.budget = options.budget.count() == 0 ? left : std::min(options.budget, left);
}

/// Throws std::invalid_argument for what makes no sense. (Those of the devices are refused by the first of them.)
void check(const SeedOptions& options) {
  const SeedShard& shard = options.shard;
  detail::check_limits("SeedOptions::shard.count", shard.count, 1, std::numeric_limits<std::uint32_t>::max());
  detail::check_limits("SeedOptions::shard.index", shard.index, 1, shard.count);
  detail::check_time("SeedOptions::budget", options.budget.count());
  detail::check_time("SeedOptions::shrink_budget", options.shrink_budget.count());
  detail::check_time("SeedOptions::change_budget", options.change_budget.count());
}

using detail::Interruptible;

std::string interrupted_after(const SeedReport& report, std::uint64_t seeds) {
  return fmt::format("interrupted after {} of {}, {} failed\n", report.trials, runtime::counted(seeds, "seed", "seeds"),
                     report.failures.size());
}

/// The trials of all seeds, on several threads.
class Exploration {
 public:
  Exploration(const Search& search, std::uint64_t number, std::uint64_t seeds)
      : search_(search),
        options_(search.options()),
        number_(number),
        seeds_(seeds),
        again_(search.command_again()),
        begin_(Clock::now()) {
    // Seed first + index - 1, then every count-th.
    const std::uint64_t index = options_.shard.index - 1;
    count_ = seeds > index ? (seeds - index - 1) / options_.shard.count + 1 : 0;
    bar_ = options_.print_to && isatty(fileno(options_.print_to));
  }

  /// The trials; what has failed is printed as soon as all of them have ended.
  void try_all_seeds(unsigned jobs);
  /// Makes the first failure smaller and traces it.
  SeedReport finish();

 private:
  std::uint64_t seed(std::uint64_t position) const {
    return options_.first_seed + options_.shard.index - 1 + position * options_.shard.count;
  }
  /// Seeds that follow each other, by position, which a thread tries without asking the others.
  struct Block {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
  };
  std::optional<Block> next(std::uint64_t most);
  bool goes_on(std::uint64_t position);
  /// No position.
  static constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();
  /// The position of what a thread tries; kNothing between two.
  using Trying = std::atomic<std::uint64_t>;
  std::uint64_t try_all(TrialRunner& runner, Block block, Trying& trying);
  void failed(std::uint64_t position, const TrialOutcome& outcome);
  void done(std::uint64_t first, std::uint64_t trials);
  void work(Trying& trying);
  void work_together(unsigned jobs);
  void watch();
  void tell_failures();
  void tell_what_is_left(Clock::duration waited);
  [[noreturn]] void end_program();
  void show();
  bool time_is_up() const {
    return interrupted() || (options_.budget.count() > 0 && Clock::now() - begin_ >= options_.budget);
  }
  bool interrupted() const { return options_.print_to && Interruptible::signal() != 0; }
  void keep_for_replay(const SeedFailure& failure, ShrunkFailure& shrunk) const;
  void trace(SeedFailure& failure) const;

  const Search& search_;
  const SeedOptions& options_;
  /// Numbers the search among those of its test.
  const std::uint64_t number_;
  /// The seeds of all shards together.
  const std::uint64_t seeds_;
  /// What runs a trial again, but for its seed.
  const std::string again_;
  Clock::time_point begin_;
  std::uint64_t count_ = 0;
  bool bar_ = false;
  /// The position of the lowest failing seed so far; what cannot go on at all fails before all.
  std::atomic<std::uint64_t> first_failed_ = kNothing;
  /// What each thread tries.
  std::deque<Trying> trying_;
  /// Trials were left out since the time was up.
  std::atomic<bool> cut_off_ = false;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::uint64_t next_ = 0;
  Clock::time_point shown_;
  SeedReport report_;
  /// What listened to the trials, by seed.
  report::Collector races_;
  /// The seeds whose trials raced.
  std::set<std::uint64_t> racing_;
  /// What a trial could not even begin for.
  std::exception_ptr error_;
  /// Seeds of the failures that were printed.
  std::set<std::uint64_t> told_;
  /// All trials have ended.
  bool tried_ = false;
  /// Nothing runs any more.
  bool over_ = false;
  std::condition_variable ends_;
  std::thread watcher_;
  /// Trials are to end at once.
  std::atomic<bool> stop_ = false;
};

// Blocks are given out in order: below a failing seed there is none that was not given out.
std::optional<Exploration::Block> Exploration::next(std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  if (next_ == count_ || !goes_on(next_)) return std::nullopt;
  const std::uint64_t begin = next_;
  next_ += std::min(most, count_ - next_);
  return Block{begin, next_};
}

/// Whether there is a point in trying that seed.
bool Exploration::goes_on(std::uint64_t position) {
  if (position > first_failed_.load(std::memory_order_relaxed)) return false;
  if (!time_is_up()) return true;
  cut_off_.store(true, std::memory_order_relaxed);
  return false;
}

/// Returns how many it tried.
std::uint64_t Exploration::try_all(TrialRunner& runner, Block block, Trying& trying) {
  const std::uint64_t begin = block.next;
  for (; block.next != block.end && goes_on(block.next); ++block.next) {
    TrialPlan plan;
    plan.seed = seed(block.next);
    plan.is_asked_for = true;
    plan.look = [this, seed = plan.seed](const watch::Watchers& watchers) {
      const std::lock_guard lock(mutex_);
      watchers.collect(races_, seed);
      if (watchers.has_races()) racing_.insert(seed);
    };
    trying.store(block.next, std::memory_order_relaxed);
    const TrialOutcome outcome = runner.run(plan);
    if (outcome.abandoned) {
      cut_off_.store(true, std::memory_order_relaxed);
      break;
    }
    if (outcome.failed) failed(block.next, outcome);
  }
  trying.store(kNothing, std::memory_order_relaxed);
  return block.next - begin;
}

void Exploration::failed(std::uint64_t position, const TrialOutcome& outcome) {
  const std::lock_guard lock(mutex_);
  SeedFailure failure;
  failure.seed = seed(position);
  failure.what = outcome.what;
  failure.finding = outcome.finding;
  failure.configuration = search_.configuration_of(failure.seed);
  failure.replay = fmt::format("HEDDLE_EXPLORE_SEED={} {}", failure.seed, again_);
  report_.failures.push_back(std::move(failure));
  if (options_.stop_at_first)
    first_failed_.store(std::min(first_failed_.load(std::memory_order_relaxed), position), std::memory_order_relaxed);
}

/// So many trials from that position on.
void Exploration::done(std::uint64_t first, std::uint64_t trials) {
  const std::lock_guard lock(mutex_);
  report_.trials += trials;
  if (trials != 0) report_.tried.push_back({seed(first), seed(first + trials - 1)});
  show();
}

void Exploration::show() {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  if (!bar_) return;
  const auto now = Clock::now();
  if (now - shown_ < kBetween || now - begin_ < 5 * kBetween) return;
  shown_ = now;
  constexpr std::size_t kColumns = 30;
  const std::size_t full = kColumns * report_.trials / count_;
  fmt::print(options_.print_to, "\r\x1b[K[{}{}] {}/{} seeds, {} failed, {:.0f} s", std::string(full, '#'),
             std::string(kColumns - full, ' '), report_.trials, count_, report_.failures.size(),
             std::chrono::duration<double>(now - begin_).count());
  std::fflush(options_.print_to);
}

// Short trials come in long blocks, so that threads seldom meet; long ones one by one, so that all threads end
// together.
void Exploration::work(Trying& trying) {
  constexpr auto kLong = std::chrono::milliseconds(5);
  try {
    TrialRunner runner(search_, &stop_);
    std::uint64_t most = 1;
    while (const std::optional<Block> block = next(most)) {
      const Clock::time_point begin = Clock::now();
      done(block->next, try_all(runner, *block, trying));
      most = Clock::now() - begin < kLong ? 2 * most : std::max<std::uint64_t>(most / 2, 1);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
    first_failed_ = 0;
  }
}

// A file that cannot be written is no error: the failure is there without it.
void Exploration::keep_for_replay(const SeedFailure& failure, ShrunkFailure& shrunk) const {
  const std::string path = options_.replay_file.value_or(default_replay_file(search_, number_, failure.seed));
  if (path.empty()) return;
  const std::optional<std::string> error = write_replay({search_.test(), number_, shrunk}, path);
  if (error) {
    shrunk.no_file = *error;
    return;
  }
  shrunk.file = path;
  shrunk.replay = replay_command(search_, path);
}

/// Runs the failure once more, for its trace.
void Exploration::trace(SeedFailure& failure) const {
  const std::string path = options_.device.trace.value_or(std::string(environment("HEDDLE_TRACE")));
  if (path.empty()) return;
  TrialPlan plan;
  plan.seed = failure.seed;
  if (failure.shrunk) {
    plan.most_workgroups = failure.shrunk->workgroups;
    plan.schedules = failure.shrunk->schedules;
    plan.configuration = failure.shrunk->configuration;
  }
  plan.trace = path;
  const TrialOutcome traced = TrialRunner(search_, &stop_).run(plan);
  if (traced.abandoned) return;
  // If the file cannot be written the trial fails with that, and names it.
  const bool is_written = traced.what.find(path) == std::string::npos;
  (is_written ? failure.trace : failure.no_trace) = is_written ? path : traced.what;
}

void Exploration::work_together(unsigned jobs) {
  // A system has some ten thousand for all its programs.
  constexpr std::uint64_t kMostThreads = 1024;
  // A process for the report is made while no other thread is in the middle of an allocation: AddressSanitizer's heap
  // stays locked in such a copy.
  (void)watch::RaceLog::of_process();
  std::vector<std::thread> others;
  Trying& own = trying_.emplace_back(kNothing);
  try {
    for (std::uint64_t i = 1; i < std::min({std::uint64_t{jobs}, count_, kMostThreads}); ++i)
      others.emplace_back([this, &trying = trying_.emplace_back(kNothing)] { work(trying); });
    if (options_.print_to || options_.budget.count() > 0) watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    // There are no more threads: those that there are do the work.
  }
  work(own);
  for (std::thread& other : others) other.join();
}

// A trial that does not end must not keep what the others found to itself.
void Exploration::watch() {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  constexpr auto kPatience = std::chrono::seconds(30);
  // Where somebody waits for what is known already.
  constexpr auto kLessPatience = std::chrono::seconds(2);
  // Until a trial that was asked to stop, in whatever loop it is, is taken to hang.
  constexpr auto kGrace = std::chrono::milliseconds(500);
  std::optional<Clock::time_point> interrupted_at;
  std::unique_lock lock(mutex_);
  std::uint64_t ended = 0;
  bool ends = false;
  bool told = false;
  Clock::time_point since = begin_;
  while (!ends_.wait_for(lock, kBetween, [this] { return over_; })) {
    const Clock::time_point now = Clock::now();
    if (interrupted() && !interrupted_at) interrupted_at = now;
    if (interrupted_at && now - *interrupted_at > kGrace) end_program();
    if (interrupted_at || (!tried_ && time_is_up())) stop_.store(true, std::memory_order_relaxed);
    if (tried_ || !options_.print_to) continue;
    const bool ends_now = next_ == count_ || time_is_up() || (options_.stop_at_first && !report_.failures.empty());
    if (ends_now != ends || report_.failures.size() != told_.size()) told = false;
    if (ends_now != ends || report_.trials != ended) since = now;
    ends = ends_now;
    ended = report_.trials;
    const bool is_awaited = ends && report_.failures.size() != told_.size();
    if (told || now - since < (is_awaited ? kLessPatience : kPatience)) continue;
    tell_what_is_left(now - since);
    told = true;
  }
}

// With mutex_ held.
void Exploration::tell_what_is_left(Clock::duration waited) {
  std::string seeds;
  for (const Trying& trying : trying_) {
    const std::uint64_t position = trying.load(std::memory_order_relaxed);
    if (position != kNothing) seeds += fmt::format("{}{}", seeds.empty() ? "" : ", ", seed(position));
  }
  if (seeds.empty()) return;
  tell_failures();
  fmt::print(options_.print_to, "for {:.0f} s no trial has ended; at work: seed {}\n",
             std::chrono::duration<double>(waited).count(), seeds);
  std::fflush(options_.print_to);
}

// With mutex_ held: those that were not told of.
void Exploration::tell_failures() {
  if (!options_.print_to) return;
  if (bar_) std::fputs("\r\x1b[K", options_.print_to);
  for (const SeedFailure& failure : report_.failures)
    if (told_.insert(failure.seed).second) fmt::print(options_.print_to, "{}", to_string(failure));
  std::fflush(options_.print_to);
}

// With mutex_ held. A trial is in a loop of its own, where nothing can be asked of it.
void Exploration::end_program() {
  tell_failures();
  fmt::print(options_.print_to, "{}", interrupted_after(report_, count_));
  std::fflush(options_.print_to);
  const int signal = Interruptible::signal();
  std::signal(signal, SIG_DFL);
  Interruptible::raise_again(signal);
  std::_Exit(128 + signal);
}

void Exploration::try_all_seeds(unsigned jobs) {
  work_together(jobs);
  const std::lock_guard lock(mutex_);
  tried_ = true;
  // From here on only who asks for it stops.
  if (!interrupted()) stop_.store(false, std::memory_order_relaxed);
  if (error_) return;
  report_.complete = !cut_off_;
  // Seeds are given out in order, so that the lowest failing one is among those that were tried.
  auto& failures = report_.failures;
  std::sort(failures.begin(), failures.end(),
            [](const SeedFailure& a, const SeedFailure& b) { return a.seed < b.seed; });
  if (options_.stop_at_first && failures.size() > 1) failures.resize(1);
  tell_failures();
}

SeedReport Exploration::finish() {
  auto& failures = report_.failures;
  if (!error_ && !failures.empty() && options_.shrink_budget.count() > 0 && !interrupted())
    failures.front().shrunk = shrink(search_, failures.front().seed, &stop_);
  if (!failures.empty() && failures.front().shrunk) keep_for_replay(failures.front(), *failures.front().shrunk);
  if (!error_ && !failures.empty() && !interrupted()) trace(failures.front());
  if (watcher_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ends_.notify_one();
    watcher_.join();
  }
  if (error_) std::rethrow_exception(error_);
  report_.races = search_.race_report(races_);
  if (!interrupted())
    try_changes(report_.races, search_, {racing_.begin(), racing_.end()}, options_.first_seed + count_);
  report_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  join_ranges(report_.tried, options_.shard.count);
  log_search(search_, number_, seeds_, report_);
  return std::move(report_);
}

SeedReport explore_and_print(const Search& search, std::uint64_t number, std::uint64_t seeds, unsigned jobs) {
  std::FILE* const print_to = search.options().print_to;
  int signal = 0;
  SeedReport report;
  {
    const Interruptible interruptible;
    Exploration exploration(search, number, seeds);
    exploration.try_all_seeds(jobs);
    report = exploration.finish();
    signal = Interruptible::signal();
  }
  if (!report.failures.empty()) fmt::print(print_to, "{}", more_of(report.failures.front()));
  fmt::print(print_to, "{}", note_of_order(search.seeds_in_order()));
  if (signal == 0) {
    if (!report.complete)
      fmt::print(print_to, "the time was up after {} of {} seeds, {} failed\n", report.trials, seeds,
                 report.failures.size());
    return report;
  }
  fmt::print(print_to, "{}", interrupted_after(report, seeds));
  std::fflush(print_to);
  Interruptible::raise_again(signal);
  return report;
}

SeedReport explore_quietly(const Search& search, std::uint64_t number, std::uint64_t seeds, unsigned jobs) {
  Exploration exploration(search, number, seeds);
  exploration.try_all_seeds(jobs);
  return exploration.finish();
}

}  // namespace
}  // namespace seeds

SeedReport detail::explore_seeds(const TrialFunction& trial, std::uint64_t seeds, SeedOptions options) {
  using namespace heddle::seeds;
  if (const auto shard = environment("HEDDLE_EXPLORE_SHARD"); !shard.empty())
    options.shard = shard_of(shard, "HEDDLE_EXPLORE_SHARD");
  if (const auto shrink = environment("HEDDLE_EXPLORE_SHRINK"); !shrink.empty())
    options.shrink_budget = std::chrono::milliseconds(number_of<std::uint32_t>(shrink, "HEDDLE_EXPLORE_SHRINK"));
  if (const auto changes = environment("HEDDLE_EXPLORE_CHANGES"); !changes.empty())
    options.change_budget = std::chrono::milliseconds(number_of<std::uint32_t>(changes, "HEDDLE_EXPLORE_CHANGES"));
  take_amounts(options, seeds);
  check(options);
  if (const detail::TestFramework* const framework = Search::framework_now())
    options.shard = part_of(framework->part(), options.shard);
  if (const auto seed = environment("HEDDLE_EXPLORE_SEED"); !seed.empty()) {
    options.first_seed = number_of(seed, "HEDDLE_EXPLORE_SEED");
    options.shard = {};
    seeds = 1;
  }
  const Search search(trial, options);
  const std::uint64_t number = next_number_of(search.test());
  if (const auto file = environment("HEDDLE_REPLAY"); !file.empty()) return repeat(search, number, std::string(file));
  const bool has_threads = !search.framework() || search.framework()->has_threads();
  const unsigned most = has_threads ? std::max(1u, std::thread::hardware_concurrency()) : 1;
  const unsigned jobs = options.jobs != 0 ? options.jobs : most;
  return options.print_to ? explore_and_print(search, number, seeds, jobs)
                          : explore_quietly(search, number, seeds, jobs);
}

bool SeedOptions::take(std::string_view argument, std::uint64_t& seeds) {
  const auto value = [&](std::string_view name) -> std::optional<std::string_view> {
    if (argument.substr(0, name.size()) != name) return std::nullopt;
    return argument.substr(name.size());
  };
  if (argument == "--all") {
    stop_at_first = false;
  } else if (const auto text = value("--seeds=")) {
    const std::uint64_t number = seeds::number_of(*text, "--seeds");
    if (number == 0) throw std::invalid_argument("--seeds is 0: nothing would run");
    seeds = number;
  } else if (const auto first = value("--first-seed=")) {
    first_seed = seeds::number_of(*first, "--first-seed");
  } else if (const auto part = value("--shard=")) {
    shard = seeds::shard_of(*part, "--shard");
  } else if (const auto threads = value("--jobs=")) {
    jobs = seeds::number_of<unsigned>(*threads, "--jobs");
  } else if (const auto seconds = value("--seconds=")) {
    budget = std::chrono::seconds(seeds::number_of<std::uint32_t>(*seconds, "--seconds"));
  } else {
    return false;
  }
  return true;
}

}  // namespace heddle
