#include <algorithm>

#include "emulator/seeds/configurations.h"
#include "emulator/seeds/schedule_shrink.h"
#include "emulator/seeds/seed_trial.h"
#include "emulator/watch/race_log.h"

namespace heddle::seeds {
namespace {

using Clock = std::chrono::steady_clock;

/// Makes a failure smaller: fewer workgroups, then fewer and plainer answers.
class Shrinker {
 public:
  Shrinker(const Search& search, std::uint64_t seed, const std::atomic<bool>* stop)
      : runner_(search, stop),
        stop_(stop),
        sweep_(search.sweep()),
        seed_(seed),
        configuration_(search.configuration_of(seed)),
        end_(Clock::now() + search.options().shrink_budget) {}

  std::optional<ShrunkFailure> shrink();

 private:
  bool time_is_up() const { return Clock::now() >= end_ || (stop_ && stop_->load(std::memory_order_relaxed)); }
  TrialPlan plan() const;
  bool fails_with(const std::vector<Schedule>& schedules);
  bool fails_with(const Configuration& configuration);
  void plainer_configuration();
  void fewer_workgroups(std::uint32_t wanted);

  TrialRunner runner_;
  const std::atomic<bool>* stop_;
  const Sweep& sweep_;
  std::uint64_t seed_;
  Configuration configuration_;
  Clock::time_point end_;
  /// A smaller run that takes so many more than the failing one does not fail in the same way.
  std::uint64_t most_operations_ = TrialLimit::kNoLimit;
  std::uint32_t workgroups_ = std::numeric_limits<std::uint32_t>::max();
  std::string what_;
};

TrialPlan Shrinker::plan() const {
  TrialPlan plan;
  plan.seed = seed_;
  plan.configuration = configuration_;
  plan.most_workgroups = workgroups_;
  plan.most_operations = most_operations_;
  plan.end = end_;
  return plan;
}

/// With this seed or one of the next, which it keeps then.
bool Shrinker::fails_with(const Configuration& configuration) {
  constexpr std::uint64_t kSeeds = 16;
  for (std::uint64_t seed = seed_; seed < seed_ + kSeeds && !time_is_up(); ++seed) {
    TrialPlan plainer = plan();
    plainer.seed = seed;
    plainer.configuration = configuration;
    if (!runner_.run(plainer).failed) continue;
    seed_ = seed;
    configuration_ = configuration;
    return true;
  }
  return false;
}

/// All values plain, or one after the other.
void Shrinker::plainer_configuration() {
  const Configuration plain = sweep_.at(1);
  if (configuration_ == plain || fails_with(plain)) return;
  for (const std::string& word : words_of(plain)) {
    const Configuration plainer = configuration_with(configuration_, word);
    if (!(plainer == configuration_)) fails_with(plainer);
  }
}

/// Other seeds may fail with fewer workgroups: the first of some is taken.
void Shrinker::fewer_workgroups(std::uint32_t wanted) {
  constexpr std::uint64_t kSeeds = 64;
  for (std::uint32_t fewer = 1; fewer < wanted; fewer *= 2) {
    for (std::uint64_t seed = seed_; seed < seed_ + kSeeds && !time_is_up(); ++seed) {
      TrialPlan smaller = plan();
      smaller.seed = seed;
      smaller.most_workgroups = fewer;
      if (!runner_.run(smaller).failed) continue;
      seed_ = seed;
      workgroups_ = fewer;
      return;
    }
  }
}

bool Shrinker::fails_with(const std::vector<Schedule>& schedules) {
  TrialPlan guided = plan();
  guided.schedules = schedules;
  const TrialOutcome outcome = runner_.run(guided);
  if (outcome.failed) what_ = outcome.what;
  return outcome.failed;
}

std::optional<ShrunkFailure> Shrinker::shrink() {
  // As it failed.
  const TrialOutcome first = runner_.run(plan());
  const std::uint32_t wanted = first.wanted_workgroups;
  most_operations_ = some_more_than(first.operations);
  plainer_configuration();
  fewer_workgroups(wanted);
  TrialPlan recorded = plan();
  recorded.records = true;
  TrialOutcome found = runner_.run(recorded);
  // A test that does not do the same again cannot be made smaller.
  if (!found.failed || !fails_with(found.schedules)) return std::nullopt;
  ShrunkFailure out;
  out.answers_before = count_answers(found.schedules);
  out.forced_before = count_forced(found.schedules);
  ScheduleShrinker shrinker(
      std::move(found.schedules), [this](const std::vector<Schedule>& smaller) { return fails_with(smaller); },
      [this] { return time_is_up(); });
  out.schedules = shrinker.shrink();
  out.seed = seed_;
  out.workgroups = std::min(workgroups_, wanted);
  out.wanted_workgroups = wanted;
  out.answers = count_answers(out.schedules);
  out.forced = count_forced(out.schedules);
  out.what = what_;
  out.configuration = configuration_;
  out.unusual = unusual_words(configuration_, sweep_);
  return out;
}

}  // namespace

std::optional<ShrunkFailure> shrink(const Search& search, std::uint64_t seed, const std::atomic<bool>* stop) {
  const watch::VariantsOfARun one;
  return Shrinker(search, seed, stop).shrink();
}

}  // namespace heddle::seeds
