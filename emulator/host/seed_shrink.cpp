#include <algorithm>

#include "emulator/host/race_log.h"
#include "emulator/host/seed_trial.h"

namespace heddle::detail {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t count_answers(const std::vector<Schedule>& schedules) {
  std::uint64_t count = 0;
  for (const Schedule& schedule : schedules) count += schedule.answers.size();
  return count;
}

bool is_plain(const Schedule::Answer& answer) {
  return answer.value == plain_answer(answer.bound, answer.point);
}

std::uint64_t count_forced(const std::vector<Schedule>& schedules) {
  std::uint64_t count = 0;
  for (const Schedule& schedule : schedules)
    for (const Schedule::Answer& answer : schedule.answers) count += is_plain(answer) ? 0 : 1;
  return count;
}

/// Plain answers at the end say nothing.
void trim(std::vector<Schedule>& schedules) {
  for (Schedule& schedule : schedules)
    while (!schedule.answers.empty() && is_plain(schedule.answers.back()))
      schedule.answers.pop_back();
}

/// Tries smaller and smaller variants of a failure, and keeps those that fail (delta debugging, Zeller
/// and Hildebrandt 2002).
class Shrinker {
 public:
  Shrinker(const TrialFunction& trial, const SeedOptions& options, std::uint64_t seed)
      : runner_(trial, options), seed_(seed), end_(Clock::now() + options.shrink_budget) {}

  std::optional<ShrunkFailure> shrink();

 private:
  bool time_is_up() const { return Clock::now() >= end_; }
  bool fails_with(const std::vector<Schedule>& schedules);
  void fewer_workgroups(std::uint32_t wanted);
  void shorter();
  void plainer(bool (*concerns)(ChoicePoint));
  bool plain_part(std::size_t begin, std::size_t end, bool (*concerns)(ChoicePoint));

  TrialRunner runner_;
  std::uint64_t seed_;
  Clock::time_point end_;
  std::uint32_t workgroups_ = std::numeric_limits<std::uint32_t>::max();
  std::vector<Schedule> schedules_;
  std::string what_;
};

/// Other seeds may fail with fewer workgroups: the first of some is taken.
void Shrinker::fewer_workgroups(std::uint32_t wanted) {
  constexpr std::uint64_t kSeeds = 64;
  for (std::uint32_t fewer = 1; fewer < wanted; fewer *= 2) {
    for (std::uint64_t seed = seed_; seed < seed_ + kSeeds && !time_is_up(); ++seed) {
      TrialPlan plan;
      plan.seed = seed;
      plan.most_workgroups = fewer;
      if (!runner_.run(plan).failed) continue;
      seed_ = seed;
      workgroups_ = fewer;
      return;
    }
  }
}

bool Shrinker::fails_with(const std::vector<Schedule>& schedules) {
  TrialPlan plan;
  plan.seed = seed_;
  plan.most_workgroups = workgroups_;
  plan.schedules = schedules;
  const TrialOutcome outcome = runner_.run(plan);
  if (outcome.failed) what_ = outcome.what;
  return outcome.failed;
}

/// Cuts the schedules off, the last dispatch's first.
void Shrinker::shorter() {
  for (std::size_t dispatch = schedules_.size(); dispatch-- > 0;) {
    std::size_t least = 0;
    std::size_t most = schedules_[dispatch].answers.size();
    while (least < most && !time_is_up()) {
      const std::size_t middle = least + (most - least) / 2;
      std::vector<Schedule> cut = schedules_;
      cut[dispatch].answers.resize(middle);
      if (fails_with(cut)) {
        schedules_ = std::move(cut);
        most = middle;
      } else {
        least = middle + 1;
      }
    }
  }
}

/// Makes a part of all answers plain; whether that changed any and it fails still.
bool Shrinker::plain_part(std::size_t begin, std::size_t end, bool (*concerns)(ChoicePoint)) {
  std::vector<Schedule> plainer = schedules_;
  bool changed = false;
  std::size_t at = 0;
  for (Schedule& schedule : plainer) {
    for (Schedule::Answer& answer : schedule.answers) {
      const bool inside = at >= begin && at < end;
      ++at;
      if (!inside || !concerns(answer.point) || is_plain(answer)) continue;
      answer.value = plain_answer(answer.bound, answer.point);
      changed = true;
    }
  }
  if (!changed || !fails_with(plainer)) return false;
  schedules_ = std::move(plainer);
  return true;
}

void Shrinker::plainer(bool (*concerns)(ChoicePoint)) {
  const std::size_t all = count_answers(schedules_);
  for (std::size_t part = std::max<std::size_t>(all, 1); part > 0; part /= 2)
    for (std::size_t begin = 0; begin < all && !time_is_up(); begin += part)
      plain_part(begin, begin + part, concerns);
}

std::optional<ShrunkFailure> Shrinker::shrink() {
  const std::uint32_t wanted = [&] {
    TrialPlan plan;
    plan.seed = seed_;
    return runner_.run(plan).wanted_workgroups;
  }();
  fewer_workgroups(wanted);
  TrialPlan plan;
  plan.seed = seed_;
  plan.most_workgroups = workgroups_;
  plan.records = true;
  TrialOutcome found = runner_.run(plan);
  // A test that does not do the same again cannot be made smaller.
  if (!found.failed || !fails_with(found.schedules)) return std::nullopt;
  ShrunkFailure out;
  out.answers_before = count_answers(found.schedules);
  out.forced_before = count_forced(found.schedules);
  schedules_ = std::move(found.schedules);
  shorter();
  plainer([](ChoicePoint point) { return point == ChoicePoint::Memory; });
  plainer([](ChoicePoint point) { return point != ChoicePoint::Memory; });
  // Whether an answer is plain depends on how many there were to choose from, which others before it may have changed.
  std::vector<Schedule> trimmed = schedules_;
  trim(trimmed);
  if (fails_with(trimmed)) schedules_ = std::move(trimmed);
  out.seed = seed_;
  out.workgroups = std::min(workgroups_, wanted);
  out.wanted_workgroups = wanted;
  out.answers = count_answers(schedules_);
  out.forced = count_forced(schedules_);
  out.schedules = std::move(schedules_);
  out.what = what_;
  return out;
}

}  // namespace

std::optional<ShrunkFailure> shrink(const TrialFunction& trial, const SeedOptions& options,
                                    std::uint64_t seed) {
  const VariantsOfARun one;
  return Shrinker(trial, options, seed).shrink();
}

}  // namespace heddle::detail
