#include "emulator/litmus/vulkan/host_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "emulator/litmus/vulkan/host_candidates.h"
#include "emulator/litmus/vulkan/mistakes.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/litmus/vulkan/source_edits.h"

namespace heddle::litmus {
namespace {

/// So many graphs of the explorer for each change: an explanation must not take longer than the answer.
constexpr std::uint64_t kMostGraphs = 20000;

/// An operation in a test and in all tests that edits of its text make of it: its column, its cell and its kind.
using Mark = std::tuple<std::uint32_t, std::string, OperationKind>;
using MarkPair = std::pair<Mark, Mark>;

/// Pairs that race in some execution, each in a sentence.
struct Races {
  bool complete = false;
  std::map<MarkPair, std::string> pairs;
};

MarkPair marks_of(const Test& test, const Operation& a, const Operation& b) {
  const auto mark = [&](const Operation& one) {
    return Mark{column_of(test, one), one.where.function, one.kind};
  };
  return std::minmax(mark(a), mark(b));
}

Races races_of(const Test& test, const Question& question, const MarkPair* stop_at = nullptr) {
  explore::Options options = explorer_options(question);
  options.graph_limit = kMostGraphs;
  const TestProgram program(test, question.bound);
  Races races;
  const explore::Statistics all = explored(program.program(), options, [&](const explore::Found& found) {
    for (const auto& [x, y] : mistakes(test, found.judgement)) {
      const Operation& a = found.execution.operations[x];
      const Operation& b = found.execution.operations[y];
      races.pairs.try_emplace(marks_of(test, a, b),
                              fmt::format("{} still races with {}", name_of(test, a), name_of(test, b)));
    }
    return stop_at == nullptr || races.pairs.count(*stop_at) == 0;
  });
  races.complete = all.complete;
  return races;
}

/// Makes candidates to the text, and keeps those that help.
class Workshop {
 public:
  Workshop(std::string_view source, const Test& test, const Question& question, const RaceExample& race)
      : source_(source), test_(test), question_(question), race_(race) {
    question_.on_execution = {};
    question_.keep_examples = true;
    question_.limit = 0;
  }

  std::vector<HostChange> changes() {
    const std::vector<Operation>& all = race_.execution.operations;
    pair_ = marks_of(test_, all[race_.first], all[race_.second]);
    base_ = races_of(test_, question_);
    for (std::vector<Edit>& edits : host_candidates(test_, question_, race_)) consider(std::move(edits));
    std::stable_sort(made_.begin(), made_.end(), [](const HostChange& a, const HostChange& b) {
      return std::pair(!a.other_race.empty(), a.edits.size()) < std::pair(!b.other_race.empty(), b.edits.size());
    });
    return std::move(made_);
  }

 private:
  void consider(std::vector<Edit> edits) {
    EditedSource made = edited_source(source_, "", edits);
    if (!made.text) return;
    for (const HostChange& known : made_)
      if (known.source == *made.text) return;
    const VulkanParse parse = parse_vulkan(*made.text);
    const Races races = races_of(*parse.test, question_, &pair_);
    if (!races.complete || races.pairs.count(pair_) != 0 || brings_another(races)) return;
    HostChange change;
    change.text = sentence(edits);
    if (!races.pairs.empty()) change.other_race = races.pairs.begin()->second;
    change.edits = std::move(edits);
    change.source = *std::move(made.text);
    made_.push_back(std::move(change));
  }

  bool brings_another(const Races& races) const {
    return base_.complete && std::any_of(races.pairs.begin(), races.pairs.end(),
                                         [&](const auto& one) { return base_.pairs.count(one.first) == 0; });
  }

  std::string sentence(const std::vector<Edit>& edits) const {
    std::string text;
    for (const Edit& edit : edits) text += (text.empty() ? "" : ", and ") + sentence_of(test_, edit);
    return text;
  }

  std::string_view source_;
  const Test& test_;
  Question question_;
  const RaceExample& race_;
  MarkPair pair_;
  Races base_;
  std::vector<HostChange> made_;
};

}  // namespace

std::vector<HostChange> host_changes(std::string_view source, const Test& test, const Question& question,
                                     const RaceExample& race) {
  return Workshop(source, test, question, race).changes();
}

}  // namespace heddle::litmus
