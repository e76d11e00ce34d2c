#include "emulator/seeds/seed_changes.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "emulator/host/edited.h"
#include "emulator/proposals/proposals.h"
#include "emulator/report/collector.h"
#include "emulator/seeds/seed_trial.h"
#include "emulator/watch/race_log.h"
#include "emulator/watch/race_settings.h"
#include "emulator/watch/watchers.h"

namespace heddle::seeds {
namespace {

using Clock = TrialLimit::Clock;

/// So many seeds that raced are among those that are tried with each change.
constexpr std::size_t kRacing = 10;
/// So many trials have all changes together: they are cheap.
constexpr std::uint64_t kTogetherTrials = 200;

class TrialsWithEdits final : public proposals::Program {
 public:
  TrialsWithEdits(const Search& search, std::vector<std::uint64_t> racing, std::uint64_t first_new,
                  Clock::time_point end)
      : search_(search), racing_(std::move(racing)), first_new_(first_new), end_(end) {
    racing_.resize(std::min(racing_.size(), kRacing));
  }

  bool narrow() override {
    if (racing_.empty() || configuration_) return false;
    const auto is_linear = [&](std::uint64_t seed) {
      return search_.configuration_of(seed).lane_mapping == LaneMapping::Linear;
    };
    const auto linear = std::find_if(racing_.begin(), racing_.end(), is_linear);
    configuration_ = search_.configuration_of(linear == racing_.end() ? racing_.front() : *linear);
    longest_ = 0;
    return true;
  }

  std::optional<proposals::RunResult> run(const std::vector<Edit>& edits, std::uint64_t number,
                                          bool explained) override {
    std::optional<watch::RacesOnlyFound> only_found;
    if (!explained) only_found.emplace();
    if (!runner_ || edits != edits_ || explained != explained_) {
      explained_ = explained;
      runner_ = std::make_unique<TrialRunner>(search_, nullptr);
      edits_ = edits;
      list_ = detail::list_of(edits);
      if (list_) list_->keep_silent();
    }
    TrialPlan plan;
    plan.seed = seed(number);
    plan.configuration = configuration_;
    plan.edits = edits;
    plan.end = end_;
    if (!edits.empty()) plan.most_operations = some_more_than(longest_);
    report::Collector found;
    plan.look = [&](const watch::Watchers& watchers) { watchers.collect(found, plan.seed); };
    const TrialOutcome outcome = runner_->run(plan);
    if (outcome.abandoned && Clock::now() >= end_) return std::nullopt;
    if (edits.empty()) longest_ = std::max(longest_, outcome.operations);
    proposals::RunResult result;
    report::Suppressions none;
    result.report = found.report(none);
    result.failure = outcome.abandoned ? "a trial took far longer" : outcome.failed ? outcome.what : "";
    if (outcome.abandoned) result.failure_kind = result.failure;
    if (outcome.finding) result.failure_kind = name_of(outcome.finding->kind);
    return result;
  }

 private:
  // One that raced, and one that is new, in turn, as long as there are any that raced.
  std::uint64_t seed(std::uint64_t number) const {
    const std::uint64_t in_turn = number / 2;
    if (number % 2 == 0 && in_turn < racing_.size()) return racing_[in_turn];
    return first_new_ + number;
  }

  const Search& search_;
  std::vector<std::uint64_t> racing_;
  /// What all trials have since `narrow`; before that each seed has a configuration of its own.
  std::optional<Configuration> configuration_;
  std::uint64_t first_new_;
  Clock::time_point end_;
  std::vector<Edit> edits_;
  bool explained_ = false;
  std::shared_ptr<edits::EditList> list_;
  std::unique_ptr<TrialRunner> runner_;
  std::uint64_t longest_ = 0;
};

/// The report of the program, which `heddle races` or the program itself makes, is not to have what edited trials find.
bool others_report() {
  const char* const edits = std::getenv("HEDDLE_EDITS");
  return watch::RaceLog::of_process() || (edits && *edits);
}

}  // namespace

void try_changes(RaceReport& report, const Search& search, std::vector<std::uint64_t> racing, std::uint64_t first_new) {
  const SeedOptions& options = search.options();
  const bool has_candidates = std::any_of(report.races.begin(), report.races.end(),
                                          [](const DataRace& race) { return !race.candidates.empty(); });
  if (!has_candidates || options.change_budget.count() == 0 || !options.device.edits.empty() || others_report()) return;
  proposals::Limits limits;
  limits.end = Clock::now() + options.change_budget;
  limits.together_runs = kTogetherTrials;
  limits.more_time = "SeedOptions::change_budget, or HEDDLE_EXPLORE_CHANGES=20000, gives more";
  TrialsWithEdits trials(search, std::move(racing), first_new, limits.end);
  proposals::try_changes(report, trials, limits);
}

}  // namespace heddle::seeds
