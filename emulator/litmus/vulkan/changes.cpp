#include "emulator/litmus/vulkan/changes.h"

#include <fmt/format.h>
#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "emulator/litmus/vulkan/test_candidates.h"
#include "emulator/litmus/vulkan/trial.h"

namespace heddle::litmus {
namespace {

using EditList = std::vector<Edit>;

/// Adds an edit to those that are made before it: one instruction has no more than it needs.
void add_to(EditList& edits, const Edit& more) {
  const auto is_same_place = [&](const Edit& one) { return one.line == more.line && one.column == more.column; };
  for (Edit& one : edits) {
    if (!is_same_place(one)) continue;
    if (one == more) return;
    const bool gives = one.kind == EditKind::MakeAtomic || one.kind == EditKind::GiveSemantics;
    if (gives && more.kind == EditKind::GiveSemantics) {
      one.semantics = more.semantics;
      return;
    }
    if ((gives || one.kind == EditKind::AddSemantics) && more.kind == EditKind::AddSemantics) {
      one.semantics = one.semantics | more.semantics;
      return;
    }
    if ((one.kind == EditKind::MakeAtomic || one.kind == EditKind::SetScope) && more.kind == EditKind::SetScope) {
      one.scope = more.scope;
      return;
    }
  }
  // An atomic has nothing of what it had as a plain access.
  if (more.kind == EditKind::MakeAtomic)
    std::erase_if(edits, [&](const Edit& one) { return is_same_place(one) && one.kind == EditKind::AddOperands; });
  edits.push_back(more);
}

EditList added(EditList edits, const EditList& more) {
  for (const Edit& edit : more) add_to(edits, edit);
  return in_order(std::move(edits));
}

/// A test with a change made, and what the explorer says of it. An example names the texts of the test, which stays
/// where it is.
struct Tried {
  EditList edits;
  bool unordered = false;
  bool named = false;
  std::unique_ptr<Test> changed;
  Trial trial;

  bool is_clean() const { return trial.races.empty(); }
  /// The best comes first.
  auto rank() const { return std::tuple(!is_clean(), unordered, !named, trial.races.size(), edits.size()); }
};

class Search {
 public:
  Search(const Test& test, const Question& question, const RaceExample& race, std::uint64_t most_graphs)
      : test_(test), question_(question), race_(race), pair_(spots_of(test, race)), graphs_left_(most_graphs) {}

  TestChanges find() {
    std::uint64_t for_all_races = graphs_left_ / 4;
    base_ = try_out(test_, question_, for_all_races);
    base_.races.try_emplace(pair_, race_);
    name_races();
    for (const TestCandidate& one : candidates_for(test_, question_, race_)) consider({}, one);
    if (std::none_of(mended_.begin(), mended_.end(), [](const Tried& one) { return !one.unordered; })) go_on();
    sort();
    if (mended_.empty() || !mended_.front().is_clean()) mend_all();
    sort();
    for (std::size_t i = 0; i < mended_.size(); ++i)
      if (!is_more_than_needed(i)) found_.changes.push_back(change_of(mended_[i]));
    return std::move(found_);
  }

 private:
  void sort() {
    std::stable_sort(mended_.begin(), mended_.end(),
                     [](const Tried& a, const Tried& b) { return a.rank() < b.rank(); });
  }

  void name_races() {
    for (const auto& [pair, example] : base_.races) {
      const std::string text = race_sentence(test_, example, "races with");
      if (pair == pair_) {
        found_.races.insert(found_.races.begin(), text);
        numbers_.insert(numbers_.begin(), pair);
      } else {
        found_.races.push_back(text);
        numbers_.push_back(pair);
      }
    }
  }

  bool knows(const EditList& edits) const {
    return std::any_of(mended_.begin(), mended_.end(), [&](const Tried& one) { return one.edits == edits; });
  }

  /// Nothing if an instruction cannot have that, or there are too many executions, or the change brings something that
  /// was not there.
  std::optional<Tried> tried(EditList edits, bool unordered, bool named, const SpotPair* stop_at) {
    EditedTest made = with_edits(test_, "", edits);
    if (!made.made_all()) return std::nullopt;
    Tried out{std::move(edits), unordered, named, std::make_unique<Test>(std::move(made.test)), {}};
    out.trial = try_out(*out.changed, question_, graphs_left_, stop_at);
    const bool stopped = stop_at != nullptr && out.trial.races.count(*stop_at) != 0;
    if (!out.trial.complete && !stopped) {
      ++found_.undecided;
      return std::nullopt;
    }
    return out;
  }

  bool brings_nothing(const Trial& trial) const {
    if (!trial.asked_about || (trial.blocks && !base_.blocks)) return false;
    if (!base_.complete) return true;
    return std::all_of(trial.races.begin(), trial.races.end(),
                       [&](const auto& one) { return base_.races.count(one.first) != 0; });
  }

  /// Tries a candidate, with what was changed before it.
  void consider(const EditList& before, const TestCandidate& candidate, bool unordered_before = false) {
    EditList edits = added(before, candidate.edits);
    if (knows(edits)) return;
    std::optional<Tried> one =
        tried(std::move(edits), candidate.unordered || unordered_before, candidate.named && before.empty(), &pair_);
    if (!one) return;
    if (one->trial.races.count(pair_) != 0) {
      ++found_.too_weak;
      found_.link_is_not_enough = found_.link_is_not_enough || one->named;
      if (before.empty()) weak_.push_back(*std::move(one));
    } else if (brings_nothing(one->trial)) {
      mended_.push_back(*std::move(one));
    }
  }

  // Goes on from changes that are too weak: a lock, say, has to hand on what is in it in both directions.
  void go_on() {
    constexpr std::size_t kMost = 3;
    for (std::size_t i = 0; i < std::min(weak_.size(), kMost); ++i) {
      const Tried& weak = weak_[i];
      for (const TestCandidate& more : candidates_for(*weak.changed, question_, weak.trial.races.at(pair_)))
        consider(weak.edits, more, weak.unordered);
    }
  }

  // Goes on from the best change to the next race, as long as there is one.
  void mend_all() {
    constexpr std::size_t kMostRounds = 12;
    EditList edits;
    bool unordered = false;
    const Test* changed = &test_;
    const Trial* trial = &base_;
    std::optional<Tried> now;
    for (std::size_t round = 0; !trial->races.empty(); ++round) {
      std::optional<Tried> best = round < kMostRounds ? next_step(edits, *changed, *trial) : std::nullopt;
      if (!best) return;
      unordered = unordered || best->unordered;
      now = std::move(best);
      edits = now->edits;
      changed = now->changed.get();
      trial = &now->trial;
    }
    if (!now || knows(edits)) return;
    now->unordered = unordered;
    mended_.push_back(with_fewer(*std::move(now)));
  }

  // The best of the changes that leave fewer races.
  std::optional<Tried> next_step(const EditList& edits, const Test& changed, const Trial& trial) {
    std::optional<Tried> best;
    const auto rank = [](const Tried& one) {
      return std::tuple(one.unordered, one.trial.races.size(), one.edits.size());
    };
    for (const auto& [pair, example] : trial.races) {
      for (const TestCandidate& candidate : candidates_for(changed, question_, example)) {
        std::optional<Tried> one = tried(added(edits, candidate.edits), candidate.unordered, false, &pair);
        if (!one || one->trial.races.size() >= trial.races.size() || !brings_nothing(one->trial)) continue;
        if (one->trial.races.count(pair) != 0) continue;
        if (!best || rank(*one) < rank(*best)) best = std::move(one);
      }
      if (best) return best;
    }
    return best;
  }

  // Leaves out what the others make needless.
  Tried with_fewer(Tried whole) {
    for (std::size_t i = whole.edits.size(); i-- > 0 && whole.edits.size() > 1;) {
      EditList fewer = whole.edits;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      std::optional<Tried> one = tried(std::move(fewer), whole.unordered, false, nullptr);
      if (one && one->is_clean() && brings_nothing(one->trial)) whole = *std::move(one);
    }
    return whole;
  }

  /// Whether a part of it is better.
  bool is_more_than_needed(std::size_t number) const {
    return std::any_of(mended_.begin(), mended_.begin() + static_cast<std::ptrdiff_t>(number),
                       [&](const Tried& better) { return has_all(mended_[number].edits, better.edits); });
  }

  TestChange change_of(const Tried& one) const {
    TestChange change;
    change.text = litmus::sentence_of(test_, one.edits);
    change.unordered = one.unordered;
    if (one.unordered) change.text += " (then it is no race, but which of them comes first is still open)";
    if (!one.is_clean())
      change.other_race = race_sentence(*one.changed, one.trial.races.begin()->second, "still races with");
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (one.trial.races.count(numbers_[i]) == 0) change.mends.push_back(i);
    change.edits = one.edits;
    change.changed = *one.changed;
    return change;
  }

  const Test& test_;
  const Question& question_;
  const RaceExample& race_;
  const SpotPair pair_;
  std::uint64_t graphs_left_;
  Trial base_;
  /// The pairs of TestChanges::races.
  std::vector<SpotPair> numbers_;
  std::vector<Tried> mended_;
  std::vector<Tried> weak_;
  TestChanges found_;
};

}  // namespace

TestChanges changes_without_race(const Test& test, const Question& question, const RaceExample& race,
                                 std::uint64_t most_graphs) {
  return Search(test, question, race, most_graphs).find();
}

}  // namespace heddle::litmus
