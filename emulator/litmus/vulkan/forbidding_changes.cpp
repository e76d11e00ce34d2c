#include "emulator/litmus/vulkan/forbidding_changes.h"

#include <heddle/edit.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "emulator/litmus/vulkan/forbidden.h"
#include "emulator/litmus/vulkan/test_candidates.h"
#include "emulator/litmus/vulkan/trial.h"

namespace heddle::litmus {
namespace {

/// The test, whose filter passes what the assertion asks about alone.
Test asked_alone(const Test& test) {
  Test alone = test;
  Assertion asked = *test.assertion;
  if (test.quantifier == Quantifier::ForAll) {
    Assertion opposite;
    opposite.kind = Assertion::Kind::Not;
    opposite.operands = {std::move(asked)};
    asked = std::move(opposite);
  }
  if (test.filter) {
    Assertion both;
    both.kind = Assertion::Kind::All;
    both.operands = {*test.filter, std::move(asked)};
    asked = std::move(both);
  }
  alone.filter = std::move(asked);
  return alone;
}

/// Wider scopes are more than narrower ones that do it, too.
std::vector<Edit> with_widest_scopes(std::vector<Edit> edits) {
  for (Edit& edit : edits)
    if (edit.kind == EditKind::SetScope) edit.scope = Scope::Device;
  return edits;
}

class ForbiddingSearch {
 public:
  ForbiddingSearch(const Test& test, const Question& question, std::uint64_t most_graphs)
      : test_(test), asked_(asked_alone(test)), question_(question), graphs_left_(most_graphs) {}

  std::vector<TestChange> find() {
    base_ = try_out(test_, question_, graphs_left_);
    const Trial racing = try_out(asked_, question_, graphs_left_);
    for (const auto& [pair, example] : racing.races)
      for (const TestCandidate& candidate : candidates_for(asked_, question_, example))
        if (!candidate.unordered) consider(candidate.edits);
    std::stable_sort(found_.begin(), found_.end(), [](const TestChange& a, const TestChange& b) {
      return std::tuple(!a.other_race.empty(), a.edits.size()) < std::tuple(!b.other_race.empty(), b.edits.size());
    });
    leave_out_more_than_needed();
    return std::move(found_);
  }

 private:
  void consider(const std::vector<Edit>& edits) {
    const EditedTest alone = with_edits(asked_, "", edits);
    if (!alone.made_all()) return;
    const Trial asked = try_out(alone.test, question_, graphs_left_);
    if (!asked.complete || asked.asked_about) return;
    EditedTest made = with_edits(test_, "", edits);
    const Trial others = try_out(made.test, question_, graphs_left_);
    if (!others.complete || !others.asked_about || (others.blocks && !base_.blocks)) return;
    TestChange change;
    change.edits = edits;
    change.text = sentence_of(test_, edits);
    if (!others.races.empty())
      change.other_race = race_sentence(made.test, others.races.begin()->second, "still races with");
    change.changed = std::move(made.test);
    found_.push_back(std::move(change));
  }

  void leave_out_more_than_needed() {
    std::vector<TestChange> needed;
    for (TestChange& change : found_) {
      const bool is_more = std::any_of(needed.begin(), needed.end(), [&](const TestChange& other) {
        return has_all(with_widest_scopes(change.edits), with_widest_scopes(other.edits));
      });
      if (!is_more) needed.push_back(std::move(change));
    }
    found_ = std::move(needed);
  }

  const Test& test_;
  const Test asked_;
  const Question& question_;
  std::uint64_t graphs_left_;
  Trial base_;
  std::vector<TestChange> found_;
};

}  // namespace

std::vector<TestChange> changes_that_forbid(const Test& test, const Question& question, const Answer& answer,
                                            std::uint64_t most_graphs) {
  if (!test.assertion || test.host || !answer.complete) return {};
  const bool comes_with_race = std::any_of(answer.outcomes.begin(), answer.outcomes.end(), [&](const OutcomeRow& row) {
    return row.racy_executions != 0 && is_asked(test, row.values);
  });
  if (!comes_with_race) return {};
  return ForbiddingSearch(test, question, most_graphs).find();
}

}  // namespace heddle::litmus
