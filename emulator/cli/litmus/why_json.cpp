#include "emulator/cli/litmus/why_json.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "emulator/cli/litmus/reasons.h"
#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/edits.h"
#include "emulator/litmus/vulkan/names.h"

namespace heddle::cli {
namespace {

using judge::RelationName;
using model::OperationIndex;
using model::OperationPair;

/// Collects the arrows of a graph.
class Graph {
 public:
  Graph(const litmus::Test& test, const judge::Judgement& judgement)
      : test_(test), judgement_(judgement), execution_(judgement.execution()) {}

  Json json();

 private:
  std::size_t agent(OperationIndex index) const { return static_cast<std::size_t>(execution_.operations[index].agent); }
  Json operation(OperationIndex index) const;
  void edge(OperationIndex from, OperationIndex to, RelationName relation);
  void program_order();
  void reads_from();
  void modification_order();
  void between_threads(RelationName name, const std::set<OperationPair>& shown);

  const litmus::Test& test_;
  const judge::Judgement& judgement_;
  const model::Execution& execution_;
  Json edges_ = Json::array();
};

/// Where the instruction of an operation stands.
litmus::Place place_of(const litmus::Test& test, const Operation& operation) {
  for (const litmus::Instruction& instruction : test.threads[static_cast<std::size_t>(operation.agent)].code)
    if (instruction.text.c_str() == operation.where.function) return instruction.place;
  return {operation.where.line, 1};
}

Json Graph::operation(OperationIndex index) const {
  const Operation& operation = execution_.operations[index];
  const litmus::Place place = place_of(test_, operation);
  Json out;
  out["thread"] = agent(index);
  out["line"] = place.line;
  out["column"] = place.column;
  out["text"] = operation.where.function;
  if (!operation.is_access()) return out;
  out["variable"] = test_.variables[static_cast<std::size_t>(operation.reference)].name;
  if (operation.reads()) out["read"] = static_cast<litmus::Integer>(execution_.read_values[index]);
  if (operation.writes()) out["written"] = static_cast<litmus::Integer>(execution_.written_values[index]);
  return out;
}

void Graph::edge(OperationIndex from, OperationIndex to, RelationName relation) {
  const std::int64_t source = from == model::kInitialValue ? -1 : static_cast<std::int64_t>(from);
  edges_.push_back({{"from", source}, {"to", to}, {"relation", judge::name(relation)}});
}

void Graph::program_order() {
  std::vector<OperationIndex> last(test_.threads.size(), model::kInitialValue);
  for (OperationIndex i = 0; i < execution_.operations.size(); ++i) {
    if (last[agent(i)] != model::kInitialValue) edge(last[agent(i)], i, RelationName::ProgramOrder);
    last[agent(i)] = i;
  }
}

void Graph::reads_from() {
  std::set<OperationPair> drawn;
  for (const model::ReadsFrom& one : execution_.reads_from)
    if (drawn.emplace(one.write, one.read).second) edge(one.write, one.read, RelationName::ReadsFrom);
}

void Graph::modification_order() {
  const std::vector<OperationPair> pairs = judgement_.pairs(RelationName::ScopedModificationOrder);
  const std::set<OperationPair> all(pairs.begin(), pairs.end());
  for (const OperationPair& pair : pairs) {
    bool implied = false;
    for (OperationIndex middle = 0; middle < execution_.operations.size(); ++middle)
      implied = implied || (all.count({pair.first, middle}) != 0 && all.count({middle, pair.second}) != 0);
    if (!implied) edge(pair.first, pair.second, RelationName::ScopedModificationOrder);
  }
}

void Graph::between_threads(RelationName name, const std::set<OperationPair>& shown) {
  const auto count = execution_.operations.size();
  for (const OperationPair& pair : judgement_.pairs(name)) {
    if (pair.first >= count || pair.second >= count || agent(pair.first) == agent(pair.second)) continue;
    if (shown.count(pair) == 0) edge(pair.first, pair.second, name);
  }
}

Json Graph::json() {
  Json threads = Json::array();
  for (const litmus::Thread& thread : test_.threads)
    threads.push_back({{"name", thread.name()}, {"place", litmus::spell_place(thread)}});
  Json operations = Json::array();
  for (OperationIndex i = 0; i < execution_.operations.size(); ++i) operations.push_back(operation(i));
  program_order();
  reads_from();
  modification_order();
  between_threads(RelationName::SynchronizesWith, {});
  between_threads(RelationName::SystemSynchronizesWith, {});
  std::set<OperationPair> shown;
  for (const RelationName name : {RelationName::ReadsFrom, RelationName::ScopedModificationOrder})
    for (const OperationPair& pair : judgement_.pairs(name)) shown.insert(pair);
  between_threads(RelationName::LocationOrdered, shown);
  Json races = Json::array();
  for (const judge::Race& race : judgement_.races()) races.push_back(Json::array({race.first, race.second}));
  Json out;
  out["threads"] = std::move(threads);
  out["operations"] = std::move(operations);
  out["edges"] = std::move(edges_);
  out["races"] = std::move(races);
  return out;
}

Json change_of(const std::string& source, const litmus::Test& test, const litmus::TestChange& change) {
  Json out;
  out["text"] = change.text;
  out["unordered"] = change.unordered;
  const auto edits = litmus::edits_between(source, test, change.changed);
  // Null where the dialect cannot say it.
  out["edits"] = edits ? Json::array() : Json(nullptr);
  if (!edits) return out;
  for (const litmus::TextEdit& edit : *edits)
    out["edits"].push_back(
        {{"line", edit.place.line}, {"column", edit.place.column}, {"old", edit.old_text}, {"new", edit.new_text}});
  return out;
}

Json race_of(const std::string& source, const litmus::Test& test, const litmus::RaceExample& race,
             const litmus::Question& question) {
  const judge::Judgement judgement(race.execution, litmus::explorer_options(question).model);
  const judge::NameOfOperation name_of = name_operations(test, race.execution);
  Json out;
  out["first"] = race.first;
  out["second"] = race.second;
  out["text"] = explain_race(judgement, race, name_of);
  if (const auto reason = judgement.why_unordered(race.first, race.second)) {
    out["missing_link"] = judge::name(reason->link);
    out["reason"] = judge::explain(*reason, name_of);
  }
  const litmus::TestChanges found = litmus::changes_without_race(test, question, race, [&](const Operation& operation) {
    return fmt::format("{}'s `{}` (line {})", test.threads[static_cast<std::size_t>(operation.agent)].name(),
                       operation.where.function, operation.where.line);
  });
  Json changes = Json::array();
  for (const litmus::TestChange& change : found.changes) changes.push_back(change_of(source, test, change));
  out["changes"] = std::move(changes);
  out["graph"] = graph_of(test, judgement);
  return out;
}

}  // namespace

Json graph_of(const litmus::Test& test, const judge::Judgement& judgement) {
  return Graph(test, judgement).json();
}

Json reasons_of(const std::string& source, const litmus::Test& test, const litmus::Answer& answer,
                const litmus::Question& question) {
  Json out = Json::object();
  Json graphs = Json::array();
  for (const litmus::OutcomeRow& row : answer.outcomes) {
    if (!row.example) {
      graphs.push_back(nullptr);
      continue;
    }
    graphs.push_back(graph_of(test, judge::Judgement(*row.example, litmus::explorer_options(question).model)));
  }
  out["graphs"] = std::move(graphs);
  if (answer.race) out["race"] = race_of(source, test, *answer.race, question);
  using litmus::Quantifier;
  const bool none = (test.quantifier == Quantifier::Exists && !answer.holds) ||
                    (test.quantifier == Quantifier::NotExists && answer.holds);
  const bool all = test.quantifier == Quantifier::ForAll && answer.holds;
  if (answer.complete && (none || all)) out["forbidden"] = explain_forbidden(test, question, all);
  return out;
}

}  // namespace heddle::cli
