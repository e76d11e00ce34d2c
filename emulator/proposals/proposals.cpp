#include "emulator/proposals/proposals.h"

#include <fmt/format.h>
#include <heddle/edit.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "runtime/counted.h"

namespace heddle::proposals {
namespace {

using Line = std::pair<std::string, std::uint32_t>;
/// Two lines, the smaller first.
using Pair = std::pair<Line, Line>;

Line line_of(const RacingAccess& access) {
  return {access.where.file, access.where.line};
}

Pair pair_of(const DataRace& race) {
  return std::minmax(line_of(race.first), line_of(race.second));
}

const RacingAccess& earlier(const DataRace& race) {
  return race.second_came_first ? race.second : race.first;
}

/// Calls `with` for all races of the report that count, those that are related to another one, too.
template <typename With>
void for_each_race(const RaceReport& report, const With& with) {
  for (const DataRace& race : report.races) {
    with(race);
    for (const DataRace& other : race.related) with(other);
  }
}

/// A race of the report with all that is related to it.
class Finding {
 public:
  explicit Finding(const DataRace& race) {
    add(race);
    for (const DataRace& other : race.related) add(other);
  }
  /// Whether the race is one of it, on any pair of its lines, or on an object of it in one of its lines.
  bool has(const DataRace& race) const {
    if (pairs_.contains(pair_of(race))) return true;
    if (!lines_.contains(line_of(race.first)) && !lines_.contains(line_of(race.second))) return false;
    if (objects_.contains(race.object)) return true;
    return std::any_of(race.other_objects.begin(), race.other_objects.end(),
                       [&](const RacedObject& other) { return objects_.contains(other.name); });
  }
  bool is_in(const RaceReport& report) const {
    bool found = false;
    for_each_race(report, [&](const DataRace& race) { found = found || has(race); });
    return found;
  }

 private:
  void add(const DataRace& race) {
    pairs_.insert(pair_of(race));
    lines_.insert(line_of(race.first));
    lines_.insert(line_of(race.second));
    objects_.insert(race.object);
    for (const RacedObject& other : race.other_objects) objects_.insert(other.name);
  }
  std::set<Pair> pairs_;
  std::set<Line> lines_;
  std::set<std::string> objects_;
};

/// So many runs say whether a change of a set does its part, before all of the set is tried.
constexpr std::uint64_t kRunsOfAPart = 3;
constexpr std::size_t kMostOfASet = 4;

/// `Fails`: a kernel failed as it does without the change, so that nothing is known of what it mends.
enum class Verdict : std::uint8_t { Mends, ComesBack, BringsNew, Fails, OutOfTime };

struct Trial {
  Verdict verdict = Verdict::Mends;
  std::uint64_t runs = 0;
  /// In some run it failed as it does without the change.
  bool still_fails = false;
  /// How, in the last such run.
  std::string failure;
  /// The finding that came back.
  std::size_t finding = 0;
  /// What came back, or came new.
  std::string what;
};

class Trials {
 public:
  Trials(RaceReport& report, Program& program, const Limits& limits)
      : report_(report), program_(program), limits_(limits) {
    for (const DataRace& race : report.races) findings_.emplace_back(race);
    mended_by_.resize(findings_.size());
    for (const DataRace& race : report.races) recorded_.push_back(race.changes);
    for_each_race(report, [&](const DataRace& race) { known_.insert(pair_of(race)); });
    for (const DataRace& race : report.races) candidates_ += race.candidates.size();
  }

  Outcome make() {
    find_repeatable();
    for (std::size_t i = 0; i < findings_.size(); ++i) make_first(i);
    make_together();
    for (std::size_t i = 0; i < findings_.size(); ++i) make_others(i);
    make_on_one_device();
    for (std::size_t i = 0; i < findings_.size(); ++i) tell(i);
    outcome_.ended_early = program_.was_interrupted() || time_is_up();
    return std::move(outcome_);
  }

 private:
  struct Tried {
    const CandidateChange* change = nullptr;
    std::uint64_t runs = 0;
    /// With it the program failed as it does without.
    bool still_fails = false;
    /// On others than the device that raced the race came back.
    bool on_one_device = false;
  };

  /// A race that does not come again when nothing has changed says nothing when something has.
  void find_repeatable() {
    const std::optional<RunResult>& again = as_it_is(0);
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (has_candidates(i) && again && !findings_[i].is_in(again->report)) is_other_.insert(i);
  }

  bool time_is_up() const { return Limits::Clock::now() >= limits_.end; }
  bool has_candidates(std::size_t finding) const {
    if (is_other_.contains(finding)) return false;
    return !report_.races[finding].candidates.empty();
  }

  /// What the program does as it is, in that run.
  const std::optional<RunResult>& as_it_is(std::uint64_t number) {
    const auto known = as_it_is_.find(number);
    if (known != as_it_is_.end()) return known->second;
    const auto& result = as_it_is_.emplace(number, program_.run({}, number)).first->second;
    if (!result) return result;
    for_each_race(result->report, [&](const DataRace& race) { known_.insert(pair_of(race)); });
    if (!result->failure.empty()) failures_.insert(result->failure_kind);
    return result;
  }
  bool fails_as_it_is(const RunResult& result, std::uint64_t number) {
    return failures_.contains(result.failure_kind) || (as_it_is(number) && failures_.contains(result.failure_kind));
  }

  /// What is in the result and in no run of the program as it is; empty if nothing is.
  std::string new_in(const RunResult& result, std::uint64_t number) {
    std::string what;
    for_each_race(result.report, [&](const DataRace& race) {
      if (!known_.contains(pair_of(race)) && as_it_is(number) && !known_.contains(pair_of(race)))
        what = fmt::format("a data race on {} in lines {} and {}", race.object, race.first.where.line,
                           race.second.where.line);
    });
    if (what.empty() && !result.failure.empty() && !fails_as_it_is(result, number) && as_it_is(number))
      what = result.failure;
    return what;
  }

  /// Runs the program with these edits, and looks for each of these findings. `mends_too` loses those that came back.
  /// With `only_if_well` it ends with the first run that fails.
  Trial try_edits(const std::vector<Edit>& edits, const std::vector<std::size_t>& findings, std::uint64_t runs,
                  std::set<std::size_t>& mends_too, bool only_if_well = false) {
    Trial trial;
    for (std::uint64_t number = 0; number < runs && !(trial.still_fails && only_if_well); ++number) {
      const std::optional<RunResult> result = time_is_up() ? std::nullopt : program_.run(edits, number);
      if (!result) {
        // What was seen counts.
        if (trial.runs == 0) trial.verdict = Verdict::OutOfTime;
        return trial;
      }
      for (const std::size_t finding : findings)
        if (findings_[finding].is_in(result->report)) {
          trial.verdict = Verdict::ComesBack;
          trial.finding = finding;
        }
      if (trial.verdict == Verdict::ComesBack) return trial;
      trial.what = new_in(*result, number);
      if (!trial.what.empty()) {
        trial.verdict = Verdict::BringsNew;
        return trial;
      }
      if (!result->failure.empty()) trial.failure = result->failure;
      if (!result->failure_kind.empty()) {
        trial.verdict = Verdict::Fails;
        return trial;
      }
      trial.still_fails = trial.still_fails || !result->failure.empty();
      std::erase_if(mends_too, [&](std::size_t other) { return findings_[other].is_in(result->report); });
      ++trial.runs;
    }
    return trial;
  }

  Trial try_candidate(std::size_t finding, const CandidateChange& candidate) {
    std::set<std::size_t> mends_too;
    for (std::size_t other = 0; other < findings_.size(); ++other)
      if (other != finding && !mended_by_[other].change) mends_too.insert(other);
    const bool only_if_well = second_best_.contains(finding);
    Trial trial = try_edits(candidate.edits, {finding}, limits_.runs, mends_too, only_if_well);
    if (trial.verdict != Verdict::OutOfTime) ++tried_[finding];
    if (!trial.what.empty()) brought_[finding] = trial.what;
    if (trial.verdict == Verdict::Fails) failed_[finding] = trial.failure;
    if (trial.verdict == Verdict::ComesBack && !has_stand_in(candidate)) came_back_[finding].insert(candidate.text);
    if (limits_.progress) limits_.progress(++done_, candidates_);
    if (trial.verdict != Verdict::Mends || trial.still_fails) return trial;
    for (const std::size_t other : mends_too)
      if (!mended_by_[other].change) mended_by_[other] = {&candidate, trial.runs, false, is_on_one_device_};
    return trial;
  }

  /// A barrier of those who come there is less than one that all come to.
  static bool has_stand_in(const CandidateChange& candidate) {
    return std::any_of(candidate.edits.begin(), candidate.edits.end(),
                       [](const Edit& edit) { return edit.kind == EditKind::PutRoundBarrier; });
  }

  bool was_given_up(const CandidateChange& candidate) const {
    return std::find(given_up_.begin(), given_up_.end(), candidate.edits) != given_up_.end();
  }

  bool is_told(std::size_t finding, const CandidateChange& candidate) const {
    const auto& all = mends_.find(finding);
    return all != mends_.end() && std::any_of(all->second.begin(), all->second.end(),
                                              [&](const Tried& tried) { return tried.change->text == candidate.text; });
  }

  /// Goes on with the candidates until one more mends the race.
  bool find_next(std::size_t finding) {
    const std::vector<CandidateChange>& all = report_.races[finding].candidates;
    std::size_t& next = next_[finding];
    while (next < all.size()) {
      const CandidateChange& candidate = all[next++];
      if (candidate.edits.empty() || is_told(finding, candidate) || was_given_up(candidate)) continue;
      const Trial trial = try_candidate(finding, candidate);
      if (trial.verdict == Verdict::OutOfTime) {
        --next;
        return false;
      }
      if (trial.verdict != Verdict::Mends) continue;
      if (trial.still_fails) {
        second_best_.try_emplace(finding, Tried{&candidate, trial.runs, true, is_on_one_device_});
        continue;
      }
      mends_[finding].push_back({&candidate, trial.runs, false, is_on_one_device_});
      return true;
    }
    return false;
  }

  /// Whether this race does not come in a few runs with the edits, in this order of the two, and nothing new. Nothing
  /// if the time is up.
  std::optional<bool> is_without(const DataRace& race, const std::vector<Edit>& edits) {
    for (std::uint64_t number = 0; number < kRunsOfAPart; ++number) {
      const std::optional<RunResult> result = time_is_up() ? std::nullopt : program_.run(edits, number);
      if (!result) return std::nullopt;
      bool comes = false;
      for_each_race(result->report, [&](const DataRace& other) {
        comes = comes || (pair_of(other) == pair_of(race) && line_of(earlier(other)) == line_of(earlier(race)));
      });
      came_ = comes;
      if (comes || !new_in(*result, number).empty()) return false;
    }
    return true;
  }

  /// A change of this race that can be added to the set, with which the race does not come.
  const CandidateChange* next_of_set(std::size_t finding, const DataRace& race, const CandidateChange& set) {
    for (const CandidateChange& candidate : race.candidates) {
      if (candidate.edits.empty()) continue;
      std::vector<Edit> edits = set.edits;
      edits.insert(edits.end(), candidate.edits.begin(), candidate.edits.end());
      const std::optional<bool> is_gone = is_without(race, edits);
      if (!is_gone || *is_gone) return is_gone ? &candidate : nullptr;
      if (came_ && !has_stand_in(candidate)) came_back_[finding].insert(candidate.text);
    }
    return nullptr;
  }

  /// What is left of the finding with these edits, explained. Nothing if nothing is seen of it.
  std::optional<DataRace> left_of(std::size_t finding, const std::vector<Edit>& edits) {
    for (std::uint64_t number = 0; number < kRunsOfAPart; ++number) {
      const std::optional<RunResult> result = time_is_up() ? std::nullopt : program_.run(edits, number, true);
      if (!result) return std::nullopt;
      std::optional<DataRace> left;
      for_each_race(result->report, [&](const DataRace& race) {
        if (!left && findings_[finding].has(race) && !race.candidates.empty()) left = race;
      });
      if (left) return left;
    }
    return std::nullopt;
  }

  static CandidateChange joined(const std::vector<CandidateChange>& parts) {
    CandidateChange all;
    for (const CandidateChange& part : parts) {
      all.text += (all.text.empty() ? "" : ", and ") + part.text;
      all.edits.insert(all.edits.end(), part.edits.begin(), part.edits.end());
    }
    return all;
  }

  /// Takes out what does nothing beside the others.
  void make_smaller(std::size_t finding, std::vector<CandidateChange>& parts) {
    for (std::size_t i = 0; i < parts.size() && parts.size() > 1;) {
      std::vector<CandidateChange> fewer = parts;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      std::set<std::size_t> none;
      const Trial trial = try_edits(joined(fewer).edits, {finding}, limits_.runs, none, true);
      if (trial.verdict == Verdict::Mends && !trial.still_fails && !time_is_up()) {
        parts = std::move(fewer);
      } else {
        ++i;
      }
    }
  }

  /// Several pairs of lines, or one in both orders, may take a change each: one after the other is found in a run with
  /// those before it.
  bool find_set(std::size_t finding) {
    std::vector<CandidateChange> parts;
    std::optional<DataRace> left = report_.races[finding];
    while (left) {
      const CandidateChange* next = parts.size() == kMostOfASet ? nullptr : next_of_set(finding, *left, joined(parts));
      if (!next) return false;
      parts.push_back(*next);
      left = left_of(finding, joined(parts).edits);
    }
    make_smaller(finding, parts);
    const CandidateChange& all = sets_.emplace_back(joined(parts));
    const Trial trial = try_candidate(finding, all);
    if (trial.verdict != Verdict::Mends || trial.still_fails) return false;
    mends_[finding].push_back({&all, trial.runs, false, is_on_one_device_});
    parts_[&all] = std::move(parts);
    return true;
  }

  void make_first(std::size_t finding) {
    if (!has_candidates(finding) || mended_by_[finding].change) return;
    const bool mends = (set_tried_.insert(finding).second && find_set(finding)) || find_next(finding);
    // The program may fail for another reason, or an edit may do less than what it stands for.
    if (!mends && second_best_.contains(finding)) mends_[finding].push_back(second_best_.at(finding));
    if (!mends_[finding].empty()) mended_by_[finding] = mends_[finding].front();
  }

  /// The first change of each finding, or its parts, each once; none where one of them has none.
  std::vector<CandidateChange> first_of_all() const {
    std::vector<CandidateChange> set;
    for (const Tried& tried : mended_by_) {
      if (!tried.change) return {};
      const auto parts = parts_.find(tried.change);
      for (const CandidateChange& part : parts == parts_.end() ? std::vector{*tried.change} : parts->second)
        if (std::find(set.begin(), set.end(), part) == set.end()) set.push_back(part);
    }
    return set;
  }

  /// More runs have shown what fewer did not: that change, wherever it was thought to mend something, gives way to the
  /// next one. False if there is none.
  bool go_on_behind(const CandidateChange* change) {
    given_up_.push_back(change->edits);
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (mended_by_[i].change != change) continue;
      mended_by_[i] = {};
      std::erase_if(mends_[i], [&](const Tried& tried) { return tried.change == change; });
      if (!mends_[i].empty()) mended_by_[i] = mends_[i].front();
    }
    for (std::size_t i = 0; i < findings_.size(); ++i) make_first(i);
    return std::all_of(mended_by_.begin(), mended_by_.end(), [](const Tried& tried) { return tried.change; });
  }

  /// Without those that do nothing beside the others: the change of one finding often mends part of another one.
  std::vector<CandidateChange> fewest_of(std::vector<CandidateChange> set, const std::vector<std::size_t>& all) {
    for (std::size_t i = 0; i < set.size() && set.size() > 1;) {
      std::vector<CandidateChange> fewer = set;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      std::set<std::size_t> none;
      const Trial trial = try_edits(joined(fewer).edits, all, limits_.together_runs, none, true);
      if (trial.verdict == Verdict::Mends && trial.runs == limits_.together_runs && !trial.still_fails) {
        set = std::move(fewer);
      } else {
        ++i;
      }
    }
    return set;
  }

  /// Where the changes that were found first do not make the program clean together, the one of the finding that came
  /// back may be another one.
  void make_together() {
    std::vector<std::size_t> all(findings_.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = i;
      if (!mended_by_[i].change || untried_before(i, {mended_by_[i]})) return;
    }
    for (std::vector<CandidateChange> set = first_of_all(); !set.empty(); set = first_of_all()) {
      std::vector<Edit> edits;
      for (const CandidateChange& change : set) edits.insert(edits.end(), change.edits.begin(), change.edits.end());
      std::set<std::size_t> none;
      const Trial trial = try_edits(edits, all, limits_.together_runs, none);
      if (trial.verdict == Verdict::Mends && trial.still_fails) return tell_that_failure_stays(set, trial);
      if (trial.verdict == Verdict::Mends) {
        report_.together = fewest_of(std::move(set), all);
        report_.together_runs = trial.runs;
        return;
      }
      if (trial.verdict == Verdict::OutOfTime || (trial.verdict == Verdict::BringsNew && findings_.size() != 1)) return;
      if (!go_on_behind(mended_by_[trial.finding].change)) return;
    }
  }

  void tell_that_failure_stays(const std::vector<CandidateChange>& set, const Trial& trial) {
    std::string& text = outcome_.failure_stays;
    text = fmt::format(
        "with {} no data race came in {}, but the program failed as it does without ({}), so that the "
        "failure takes another change:",
        set.size() == 1 ? "this change" : fmt::format("these {} changes", set.size()),
        runtime::counted(trial.runs, "run", "runs"), trial.failure);
    for (const CandidateChange& change : set) text += "\n  " + change.text;
    report_.remarks.push_back(text);
  }

  bool has_barriers_of_subgroups(std::size_t finding) const {
    const std::vector<CandidateChange>& all = report_.races[finding].candidates;
    return std::any_of(all.begin(), all.end(), puts_barrier_of_subgroup);
  }
  static bool puts_barrier_of_subgroup(const CandidateChange& candidate) {
    return std::any_of(candidate.edits.begin(), candidate.edits.end(), [](const Edit& edit) {
      return edit.kind == EditKind::PutControlBarrier && edit.execution_scope == Scope::Subgroup;
    });
  }

  /// A barrier of subgroups may hold only where they are those of the device that raced.
  void make_on_one_device() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (has_candidates(i) && !mended_by_[i].change && has_barriers_of_subgroups(i)) open.push_back(i);
    if (open.empty() || !program_.narrow()) return;
    as_it_is_.clear();
    is_on_one_device_ = true;
    for (const std::size_t finding : open) {
      next_[finding] = 0;
      set_tried_.erase(finding);
      make_first(finding);
    }
  }

  /// As long as there is plenty of time.
  void make_others(std::size_t finding) {
    while (!time_is_up() && mends_[finding].size() < limits_.changes && has_candidates(finding) &&
           (mends_.contains(finding) && !mends_[finding].empty()) && find_next(finding)) {
    }
  }

  void tell(std::size_t finding) {
    DataRace& race = report_.races[finding];
    if (is_other_.contains(finding)) {
      race.changes.clear();
      race.no_change = "none could be tried: run again as it is, the program did not have this race";
    }
    if (!has_candidates(finding)) return;
    std::vector<Tried> mends = mends_[finding];
    if (mends.empty() && mended_by_[finding].change) mends.push_back(mended_by_[finding]);
    race.changes.clear();
    if (const CandidateChange* untried = untried_before(finding, mends))
      race.changes.push_back(untried->text + " (" + why_untried(*untried) + ")");
    for (const Tried& tried : mends) race.changes.push_back(text_of(tried));
    race.tried_runs = mends.empty() ? 0 : mends.front().runs;
    race.no_change = race.changes.empty() ? why_none(finding) : "";
  }

  static std::string text_of(const Tried& tried) {
    std::string text = tried.change->text;
    if (tried.on_one_device) text += " (where subgroups are as in the run that raced: elsewhere it came back)";
    if (tried.still_fails) text += " (with it the program still fails as it does without)";
    return text;
  }

  /// The likeliest one that the program has not seen, if it is likelier than those that mend it.
  const CandidateChange* untried_before(std::size_t finding, const std::vector<Tried>& mends) {
    const std::vector<CandidateChange>& all = report_.races[finding].candidates;
    // What orders the two on the program is better than what nobody has seen.
    if (!mends.empty() && !mends.front().still_fails &&
        mends.front().change->text.find("is still open") == std::string::npos)
      return nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto mends_as_well = [&](const Tried& tried) { return tried.change->text == all[i].text; };
      if (std::any_of(mends.begin(), mends.end(), mends_as_well)) return nullptr;
      const bool has_no_time = mends.empty() && i >= next_[finding] && held_before(finding, all[i]);
      const bool has_no_place = all[i].edits.empty() && !came_back_[finding].contains(all[i].text);
      if (has_no_place || has_no_time) return &all[i];
    }
    return nullptr;
  }
  /// Whether it ordered the accesses of the recorded run.
  bool held_before(std::size_t finding, const CandidateChange& candidate) const {
    const std::vector<std::string>& all = recorded_[finding];
    return std::find(all.begin(), all.end(), candidate.text) != all.end();
  }
  std::string why_untried(const CandidateChange& candidate) const {
    if (candidate.edits.empty()) return "not tried on the program: no instruction stands where it would be made";
    if (program_.was_interrupted()) return "not tried on the program: interrupted before";
    return "not tried on the program, for lack of time: " + limits_.more_time;
  }

  std::string why_none(std::size_t finding) {
    const std::string tried = runtime::counted(tried_[finding], "change was", "changes were") + " tried on the program";
    if (next_[finding] < report_.races[finding].candidates.size() && program_.was_interrupted())
      return tried_[finding] == 0 ? "interrupted before one was tried on the program"
                                  : tried + ", and none of them mends it; interrupted before others were";
    if (next_[finding] < report_.races[finding].candidates.size())
      return fmt::format("{}, and none of them mends it; there was no time for others: {}", tried, limits_.more_time);
    const bool fails = failed_.contains(finding);
    if (fails && !came_back_.contains(finding) && !brought_.contains(finding))
      return fmt::format(
          "with each the program ends as it does without, before it can be seen whether the race is "
          "mended ({}): mend that first",
          failed_.at(finding));
    std::string ends = "the race came back";
    if (brought_.contains(finding)) ends += fmt::format(" or something new came ({})", brought_.at(finding));
    if (fails) ends += fmt::format(" or the program failed as it does without ({})", failed_.at(finding));
    return fmt::format("{}, and with each {}", tried, ends);
  }

  RaceReport& report_;
  Program& program_;
  const Limits& limits_;
  std::vector<Finding> findings_;
  /// By finding: the changes of the recorded run.
  std::vector<std::vector<std::string>> recorded_;
  std::set<Pair> known_;
  std::map<std::uint64_t, std::optional<RunResult>> as_it_is_;
  /// By finding: the first change that was seen to mend it, its own or another one's.
  std::vector<Tried> mended_by_;
  /// By finding: the changes of its own that mend it, and the candidate that comes next.
  std::map<std::size_t, std::vector<Tried>> mends_;
  std::map<std::size_t, std::size_t> next_;
  std::map<std::size_t, std::size_t> tried_;
  std::map<std::size_t, std::string> brought_;
  /// By finding: how the program failed, as it does without, so that nothing is known of the change.
  std::map<std::size_t, std::string> failed_;
  /// Changes with which the race does not come back, and the program fails as it does without.
  std::map<std::size_t, Tried> second_best_;
  /// By finding: the changes with which it came back.
  std::map<std::size_t, std::set<std::string>> came_back_;
  /// The race that was looked for last came.
  bool came_ = false;
  /// Edits that mended something in a few runs, and not in more.
  std::vector<std::vector<Edit>> given_up_;
  /// Findings for which several changes together were looked for.
  std::set<std::size_t> set_tried_;
  /// Changes that are made of several.
  std::deque<CandidateChange> sets_;
  /// By change of sets_: what it is made of.
  std::map<const CandidateChange*, std::vector<CandidateChange>> parts_;
  /// The kinds of its failures.
  std::set<std::string> failures_;
  /// Findings that did not come again when the program ran once more without a change.
  std::set<std::size_t> is_other_;
  /// All runs are on the device that raced.
  bool is_on_one_device_ = false;
  std::size_t candidates_ = 0;
  std::size_t done_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome try_changes(RaceReport& report, Program& program, const Limits& limits) {
  return Trials(report, program, limits).make();
}

std::string failure_in(const RaceReport& report) {
  for (const std::string& remark : report.remarks)
    if (remark.rfind("a kernel ", 0) == 0) return remark;
  return "";
}

}  // namespace heddle::proposals
