#include "emulator/litmus/vulkan/host_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "emulator/litmus/vulkan/host_candidates.h"
#include "emulator/litmus/vulkan/mistakes.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/litmus/vulkan/source_edits.h"
#include "emulator/litmus/vulkan/trial.h"

namespace heddle::litmus {
namespace {

/// So many graphs of the explorer for each change: an explanation must not take longer than the answer.
constexpr std::uint64_t kMostGraphs = 20000;

/// An operation in a test and in all tests that edits of its text make of it: its column, its cell and its kind.
using Mark = std::tuple<std::uint32_t, std::string, OperationKind>;
using MarkPair = std::pair<Mark, Mark>;

/// Pairs that race in some execution, each with one in which it does.
struct Races {
  bool complete = false;
  bool asked_about = false;
  std::map<MarkPair, RaceExample> pairs;
};

MarkPair marks_of(const Test& test, const RaceExample& race) {
  const auto mark = [&](model::OperationIndex i) {
    const Operation& one = race.execution.operations[i];
    return Mark{column_of(test, one), one.where.function, one.kind};
  };
  return std::minmax(mark(race.first), mark(race.second));
}

Races races_of(const Test& test, const Question& question, const MarkPair* stop_at = nullptr) {
  explore::Options options = explorer_options(question);
  options.graph_limit = kMostGraphs;
  const TestProgram program(test, question.bound);
  Races races;
  const explore::Statistics all = explored(program.program(), options, [&](const explore::Found& found) {
    if (!passes_filter(test, program, found)) return true;
    races.asked_about = true;
    for (const auto& [x, y] : mistakes(test, found.judgement)) {
      RaceExample example{found.execution, x, y};
      MarkPair pair = marks_of(test, example);
      races.pairs.try_emplace(std::move(pair), std::move(example));
    }
    return stop_at == nullptr || races.pairs.count(*stop_at) == 0;
  });
  races.complete = all.complete;
  return races;
}

/// A text of the test after edits. Executions name texts of its test, which stays where it is.
struct Made {
  std::vector<Edit> edits;
  std::string text;
  std::string source;
  std::unique_ptr<Test> test;
  Races races;
};

/// Makes candidates to the text, and keeps those that help.
class Workshop {
 public:
  Workshop(std::string_view source, const Test& test, const Question& question, const RaceExample& race)
      : source_(source), test_(test), question_(question), race_(race), pair_(marks_of(test, race)) {
    question_.on_execution = {};
    question_.keep_examples = true;
    question_.limit = 0;
  }

  std::vector<HostChange> changes() {
    base_ = races_of(test_, question_);
    base_.pairs.try_emplace(pair_, race_);
    for (const std::vector<Edit>& edits : host_candidates(test_, question_, race_)) {
      std::optional<Made> made = tried(source_, test_, edits, pair_);
      if (made && !knows(made->source)) made_.push_back(*std::move(made));
    }
    std::stable_sort(made_.begin(), made_.end(), [](const Made& a, const Made& b) { return rank(a) < rank(b); });
    if (made_.empty() || !made_.front().races.pairs.empty()) mend_all();
    std::vector<HostChange> changes;
    for (std::size_t i = 0; i < made_.size(); ++i)
      if (!is_more_than_needed(i)) changes.push_back(change_of(made_[i]));
    return changes;
  }

 private:
  static std::pair<std::size_t, std::size_t> rank(const Made& made) {
    return {made.races.pairs.size(), made.edits.size()};
  }

  /// Whether a part of it is better.
  bool is_more_than_needed(std::size_t number) const {
    return std::any_of(made_.begin(), made_.begin() + static_cast<std::ptrdiff_t>(number), [&](const Made& better) {
      return !better.edits.empty() && has_all(made_[number].edits, better.edits);
    });
  }

  bool knows(const std::string& source) const {
    return std::any_of(made_.begin(), made_.end(), [&](const Made& one) { return one.source == source; });
  }

  /// Nothing if the two still race, or the change brings something that was not there, or cannot be made.
  std::optional<Made> tried(std::string_view source, const Test& test, const std::vector<Edit>& edits,
                            const MarkPair& pair) const {
    EditedSource changed = edited_source(source, "", edits);
    if (!changed.text) return std::nullopt;
    VulkanParse parse = parse_vulkan(*changed.text);
    Made made{
        edits, sentence_of(test, edits), *std::move(changed.text), std::make_unique<Test>(*std::move(parse.test)), {}};
    made.races = races_of(*made.test, question_, &pair);
    if (!made.races.complete || !made.races.asked_about || made.races.pairs.count(pair) != 0) return std::nullopt;
    if (brings_another(made.races)) return std::nullopt;
    return made;
  }

  bool brings_another(const Races& races) const {
    return base_.complete && std::any_of(races.pairs.begin(), races.pairs.end(),
                                         [&](const auto& one) { return base_.pairs.count(one.first) == 0; });
  }

  /// Goes on from the best change to the next race, as long as there is one; each time the text is read again.
  void mend_all() {
    constexpr std::size_t kMostRounds = 6;
    std::optional<Made> whole;
    for (std::size_t round = 0; round < kMostRounds; ++round) {
      const Races& races = whole ? whole->races : base_;
      std::optional<Made> step =
          next_step(whole ? whole->source : std::string(source_), whole ? *whole->test : test_, races);
      if (!step) return;
      if (whole) step->text = whole->text + ", and then " + step->text;
      // The places of edits are those of the text before each step.
      if (whole) step->edits.clear();
      whole = std::move(step);
      if (whole->races.pairs.empty()) break;
    }
    if (whole->races.pairs.empty() && !knows(whole->source)) made_.insert(made_.begin(), *std::move(whole));
  }

  /// The best of the changes that leave fewer races.
  std::optional<Made> next_step(const std::string& source, const Test& test, const Races& races) const {
    for (const auto& [pair, example] : races.pairs) {
      std::optional<Made> best;
      for (const std::vector<Edit>& edits : host_candidates(test, question_, example)) {
        std::optional<Made> one = tried(source, test, edits, pair);
        if (!one || one->races.pairs.size() >= races.pairs.size()) continue;
        if (!best || rank(*one) < rank(*best)) best = std::move(one);
      }
      if (best) return best;
    }
    return std::nullopt;
  }

  static HostChange change_of(const Made& made) {
    HostChange change{made.edits, made.text, "", made.source};
    if (made.races.pairs.empty()) return change;
    const RaceExample& race = made.races.pairs.begin()->second;
    const std::vector<Operation>& all = race.execution.operations;
    change.other_race = fmt::format("{} still races with {}", name_of(*made.test, all[race.first]),
                                    name_of(*made.test, all[race.second]));
    return change;
  }

  std::string_view source_;
  const Test& test_;
  Question question_;
  const RaceExample& race_;
  const MarkPair pair_;
  Races base_;
  std::vector<Made> made_;
};

}  // namespace

std::vector<HostChange> host_changes(std::string_view source, const Test& test, const Question& question,
                                     const RaceExample& race) {
  return Workshop(source, test, question, race).changes();
}

}  // namespace heddle::litmus
