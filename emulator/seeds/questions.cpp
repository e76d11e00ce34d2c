// Questions about programs of kernels.

#include <heddle/forward_progress.h>
#include <heddle/testing.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <ostream>

#include "emulator/seeds/progress_search.h"
#include "emulator/seeds/seed_trial.h"
#include "runtime/counted.h"
#include "runtime/text/readable.h"

namespace heddle {
namespace {

/// Answers are values: a search that a question begins prints nothing.
SeedReport searched(const detail::TrialFunction& program, std::uint64_t seeds, SeedOptions options) {
  options.print_to = nullptr;
  return detail::explore_seeds(program, seeds, std::move(options));
}

std::string under(const SeedReport& report) {
  return fmt::format("under {}{}", runtime::counted(report.trials, "seed", "seeds"),
                     report.complete ? "" : " (not all were tried)");
}

/// The races with their reasons and changes, then the failures with their seeds and commands.
std::string told(const SeedReport& report) {
  std::string out;
  if (!report.races.races.empty()) out += to_text(report.races, ReportFormat::Text) + '\n';
  return out + report.what();
}

/// Whether HEDDLE_REPLAY repeats another search than that of the question, which then tries no seed.
bool is_not_asked(const SeedReport& report) {
  const char* const replay = std::getenv("HEDDLE_REPLAY");
  return replay && *replay && report.trials == 0;
}

Answer answer(bool ok, SeedReport report, const std::string& asked, const std::string& found) {
  if (is_not_asked(report))
    return {true, std::move(report), asked + ": not asked, for HEDDLE_REPLAY repeats another search\n"};
  std::string text = fmt::format("{} ({}): {}\n", asked, under(report), found);
  if (!ok) text += told(report);
  return {ok, std::move(report), std::move(text)};
}

/// Where races are expected nobody wants to mend them, or to see them made smaller; and all seeds are tried.
void expect_races(SeedOptions& options) {
  options.device.races = true;
  options.stop_at_first = false;
  options.shrink_budget = std::chrono::milliseconds(0);
  options.change_budget = std::chrono::milliseconds(0);
}

/// What each outcome came with first, of the trials that are asked for.
class Outcomes {
 public:
  /// Writes down what the program returns, which fails the trial if `is_wrong` says something of it.
  template <typename IsWrong>
  detail::TrialFunction noted(const detail::OutcomeFunction& program, const IsWrong& is_wrong) {
    return [this, &program, is_wrong](Trial& trial) {
      const std::string outcome = program(trial);
      if (seeds::trial_is_asked_for()) {
        const std::lock_guard lock(mutex_);
        const auto [at, is_new] = seeds_.try_emplace(outcome, trial.seed());
        if (!is_new) at->second = std::min(at->second, trial.seed());
      }
      if (is_wrong(outcome)) throw TrialFailed("it ended with " + outcome);
    };
  }

  std::string text() const {
    constexpr std::size_t kMost = 20;
    std::string out;
    std::size_t told = 0;
    for (const auto& [outcome, seed] : seeds_) {
      if (++told > kMost) {
        out += fmt::format("  and {} more\n", seeds_.size() - kMost);
        break;
      }
      out += fmt::format("  {} (seed {})\n", outcome, seed);
    }
    return text::readable_lines(out);
  }
  std::size_t count() const { return seeds_.size(); }

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> seeds_;
};

bool is_undefined(const SeedFailure& failure) {
  return failure.finding && (failure.finding->kind == FindingKind::UninitializedRead ||
                             failure.finding->kind == FindingKind::UndefinedValue);
}

bool is_prime(std::size_t number) {
  for (std::size_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

}  // namespace

std::string Answer::command() const {
  if (report_.failures.empty()) return "";
  const SeedFailure& first = report_.failures.front();
  return first.shrunk && !first.shrunk->replay.empty() ? first.shrunk->replay : first.replay;
}

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << answer.explain();
}

bool RaceMatch::fits(const DataRace& race) const {
  const auto is_of = [&](const DataRace& one) {
    const bool has_object = object.empty() || one.object == object ||
                            std::any_of(one.other_objects.begin(), one.other_objects.end(),
                                        [&](const auto& o) { return o.name == object; });
    const std::uint32_t first = one.first.where.line;
    const std::uint32_t second = one.second.where.line;
    const auto fit = [](std::uint32_t wanted, std::uint32_t is) { return wanted == 0 || wanted == is; };
    return has_object &&
           ((fit(line, first) && fit(other_line, second)) || (fit(line, second) && fit(other_line, first)));
  };
  return is_of(race) || std::any_of(race.related.begin(), race.related.end(), is_of);
}

std::vector<std::size_t> breaking_sizes(std::uint32_t workgroup) {
  std::size_t prime = 2 * std::size_t{workgroup} + 1;
  while (!is_prime(prime)) ++prime;
  std::vector<std::size_t> sizes = {0, 1, std::max(workgroup, 1u) - 1, workgroup, workgroup + std::size_t{1}, prime};
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

namespace detail {

std::size_t size_for(std::uint64_t seed, const std::vector<std::size_t>& sizes) {
  if (sizes.empty()) throw std::invalid_argument("no sizes of input are given: same_as would try nothing");
  if (seed >= 1 && seed <= sizes.size()) return sizes[seed - 1];
  return sizes[SeededChoice(seed).below(static_cast<std::uint32_t>(sizes.size()), ChoicePoint::Memory)];
}

Answer ask_passes(const TrialFunction& program, std::uint64_t seeds, SeedOptions options) {
  SeedReport report = searched(program, seeds, std::move(options));
  const bool ok = !report.failed();
  return answer(ok, std::move(report), "passes", ok ? "no trial fails" : "a trial fails");
}

Answer ask_race_free(const TrialFunction& program, std::uint64_t seeds, SeedOptions options) {
  options.device.races = true;
  options.races_fail = true;
  SeedReport report = searched(program, seeds, std::move(options));
  const bool raced = !report.races.races.empty();
  const bool ok = !report.failed() && !raced;
  return answer(ok, std::move(report), "race-free",
                ok      ? "no trial fails or races"
                : raced ? "a trial has a data race"
                        : "a trial fails");
}

Answer ask_race(const TrialFunction& program, const RaceMatch& match, std::uint64_t seeds, SeedOptions options) {
  expect_races(options);
  SeedReport report = searched(program, seeds, std::move(options));
  const auto& races = report.races.races;
  const bool ok = std::any_of(races.begin(), races.end(), [&](const DataRace& race) { return match.fits(race); });
  const char* const found = ok ? "it has" : races.empty() ? "there is none" : "it has others, and not this one";
  return answer(ok, std::move(report), "has this race", found);
}

Answer ask_races(const TrialFunction& program, const RacePlaces& places, std::uint64_t seeds, SeedOptions options) {
  expect_races(options);
  SeedReport report = searched(program, seeds, std::move(options));
  const RacePlaces found = race_places(report.races);
  std::ostringstream told;
  told << "expected: " << places << "; found: " << found;
  const bool ok = found == places;
  return answer(ok, std::move(report), "races here and nowhere else", told.str());
}

Answer ask_ends(const TrialFunction& program, const std::string& model, std::uint64_t seeds, SeedOptions options) {
  SeedReport report = seeds::search_under(program, model, seeds, options);
  const bool ok = !report.failed();
  std::string found = ok ? "it always did" : "it did not";
  if (!ok) {
    const std::string waits_for = seeds::waits_seen_of(program, std::move(options));
    if (!waits_for.empty()) found += "; where all go on, it " + waits_for;
  }
  return answer(ok, std::move(report), "ends under " + model, found);
}

Answer ask_needs(const TrialFunction& program, const std::string& workgroups, const std::string& lanes,
                 std::uint64_t seeds, const SeedOptions& options) {
  const auto text = [](const std::string& of_workgroups, const std::string& of_lanes) {
    return fmt::format("{} progress of workgroups, and {} of the invocations of a subgroup", of_workgroups, of_lanes);
  };
  const ProgressNeed need = progress_needed(program, seeds, options);
  const bool ends = !need.workgroups.empty();
  const bool ok = ends && need.workgroups == workgroups && need.lanes == lanes;
  return {
      ok, SeedReport(),
      fmt::format("needs {} (under {} each): {}\n{}", text(workgroups, lanes), runtime::counted(seeds, "seed", "seeds"),
                  ends ? "it needs " + text(need.workgroups, need.lanes) : "it does not end even under fair",
                  need.explain)};
}

Answer ask_undefined(const TrialFunction& program, std::uint64_t seeds, SeedOptions options) {
  options.device.undefined = UndefinedValues::BySeed;
  SeedReport report = searched(program, seeds, std::move(options));
  const bool ok = !report.failed();
  const bool undefined = std::any_of(report.failures.begin(), report.failures.end(), is_undefined);
  return answer(ok, std::move(report), "nothing undefined",
                ok          ? "nothing is"
                : undefined ? "an undefined value decides something"
                            : "a trial fails, and an undefined value may be why");
}

Answer ask_only(const OutcomeFunction& program, const std::vector<std::string>& outcomes, std::uint64_t seeds,
                SeedOptions options) {
  Outcomes seen;
  const auto is_other = [&](const std::string& outcome) {
    return std::find(outcomes.begin(), outcomes.end(), outcome) == outcomes.end();
  };
  SeedReport report = searched(seen.noted(program, is_other), seeds, std::move(options));
  const bool ok = !report.failed();
  return answer(
      ok, std::move(report), "only these outcomes",
      fmt::format("{}; there came\n{}", ok ? "no other comes" : "another one comes, or a trial fails", seen.text()));
}

Answer ask_never(const OutcomeFunction& program, const std::string& outcome, std::uint64_t seeds, SeedOptions options) {
  Outcomes seen;
  const auto is_it = [&](const std::string& other) { return other == outcome; };
  SeedReport report = searched(seen.noted(program, is_it), seeds, std::move(options));
  const bool ok = !report.failed();
  return answer(ok, std::move(report), "never " + outcome,
                fmt::format("{} among {}", ok ? "it is not" : "it is, or a trial fails,",
                            runtime::counted(seen.count(), "outcome", "outcomes")));
}

Answer ask_reachable(const OutcomeFunction& program, const std::string& outcome, std::uint64_t seeds,
                     SeedOptions options) {
  Outcomes seen;
  // To reach it fails a trial, so that the search ends there, and shows the smallest run.
  const auto is_it = [&](const std::string& other) { return other == outcome; };
  SeedReport report = searched(seen.noted(program, is_it), seeds, std::move(options));
  const bool reached = std::any_of(report.failures.begin(), report.failures.end(), [&](const SeedFailure& failure) {
    return failure.what == "it ended with " + outcome;
  });
  Answer out = answer(reached, std::move(report), "reachable " + outcome,
                      reached ? "it is" : "it is not; there came\n" + seen.text());
  if (!reached) return out;
  // How it is reached.
  return {true, out.report(), out.explain() + told(out.report())};
}

}  // namespace detail

}  // namespace heddle
