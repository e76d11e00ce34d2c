#include "emulator/cli/litmus/graph_json.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/cli/litmus/reasons.h"
#include "emulator/litmus/vulkan/calls.h"
#include "emulator/litmus/vulkan/names.h"
#include "emulator/litmus/vulkan/operation_column.h"

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
  std::size_t column(OperationIndex index) const { return litmus::column_of(test_, execution_.operations[index]); }
  bool are_operations(const OperationPair& pair) const {
    return pair.first < execution_.operations.size() && pair.second < execution_.operations.size();
  }
  Json operation(OperationIndex index) const;
  Json edge(OperationIndex from, OperationIndex to, RelationName relation) const;
  void draw(OperationIndex from, OperationIndex to, RelationName relation);
  void program_order();
  void reads_from();
  void modification_order();
  void between_threads(RelationName name, const std::set<OperationPair>& shown);
  Json more() const;
  Json happens_before() const;

  const litmus::Test& test_;
  const judge::Judgement& judgement_;
  const model::Execution& execution_;
  Json edges_ = Json::array();
  std::set<std::pair<RelationName, OperationPair>> drawn_;
};

Json Graph::operation(OperationIndex index) const {
  const Operation& operation = execution_.operations[index];
  const litmus::Place place = litmus::place_of(test_, operation);
  Json out;
  out["thread"] = column(index);
  out["line"] = place.line;
  out["column"] = place.column;
  out["text"] = operation.where.function;
  if (!operation.is_access()) return out;
  out["variable"] = litmus::variable_of(test_, operation).name;
  if (operation.reads()) out["read"] = static_cast<litmus::Integer>(execution_.read_values[index]);
  if (operation.writes()) out["written"] = static_cast<litmus::Integer>(execution_.written_values[index]);
  return out;
}

Json Graph::edge(OperationIndex from, OperationIndex to, RelationName relation) const {
  const std::int64_t source = from == model::kInitialValue ? -1 : static_cast<std::int64_t>(from);
  Json out{{"from", source}, {"to", to}, {"relation", judge::name(relation)}};
  if (relation != RelationName::LocationOrdered) return out;
  const auto reason = judgement_.location_ordered(from, to);
  if (!reason || !reason->domain) return out;
  out["chain"] = {{"domain", model::name(*reason->domain)},
                  {"availability", reason->availability},
                  {"visibility", reason->visibility},
                  {"through", reason->through},
                  {"text", as_sentence(judge::explain(*reason, name_operations(test_, execution_)))}};
  return out;
}

void Graph::draw(OperationIndex from, OperationIndex to, RelationName relation) {
  edges_.push_back(edge(from, to, relation));
  drawn_.insert({relation, {from, to}});
}

void Graph::program_order() {
  std::vector<OperationIndex> last(execution_.agents.size(), model::kInitialValue);
  for (OperationIndex i = 0; i < execution_.operations.size(); ++i) {
    if (last[agent(i)] != model::kInitialValue) draw(last[agent(i)], i, RelationName::ProgramOrder);
    last[agent(i)] = i;
  }
}

void Graph::reads_from() {
  std::set<OperationPair> drawn;
  for (const model::ReadsFrom& one : execution_.reads_from)
    if (drawn.emplace(one.write, one.read).second) draw(one.write, one.read, RelationName::ReadsFrom);
}

void Graph::modification_order() {
  const std::vector<OperationPair> pairs = judgement_.pairs(RelationName::ScopedModificationOrder);
  const std::set<OperationPair> all(pairs.begin(), pairs.end());
  for (const OperationPair& pair : pairs) {
    bool implied = false;
    for (OperationIndex middle = 0; middle < execution_.operations.size(); ++middle)
      implied = implied || (all.count({pair.first, middle}) != 0 && all.count({middle, pair.second}) != 0);
    if (!implied) draw(pair.first, pair.second, RelationName::ScopedModificationOrder);
  }
}

void Graph::between_threads(RelationName name, const std::set<OperationPair>& shown) {
  for (const OperationPair& pair : judgement_.pairs(name)) {
    if (!are_operations(pair) || agent(pair.first) == agent(pair.second)) continue;
    if (shown.count(pair) == 0) draw(pair.first, pair.second, name);
  }
}

/// What orders operations of different threads, and for which storage classes.
Json Graph::happens_before() const {
  std::map<OperationPair, MemorySemantics> classes;
  for (const judge::OrderedByClass& order : judgement_.ordered_by_class())
    for (const OperationPair& pair : order.pairs)
      if (are_operations(pair) && agent(pair.first) != agent(pair.second)) classes[pair] |= order.classes;
  Json out = Json::array();
  for (const auto& [pair, semantics] : classes) {
    Json one = edge(pair.first, pair.second, RelationName::HappensBefore);
    one["classes"] = Json::array();
    for (const auto& [name, bit] : litmus::kCallClasses)
      if (has(semantics, bit) && semantics != kStorageClassBits) one["classes"].push_back(name);
    out.push_back(std::move(one));
  }
  return out;
}

/// What is drawn only if somebody asks for it.
Json Graph::more() const {
  Json out = happens_before();
  for (const RelationName name :
       {RelationName::FromReads, RelationName::ScopedModificationOrder, RelationName::LocationOrdered})
    for (const OperationPair& pair : judgement_.pairs(name))
      if (are_operations(pair) && drawn_.count({name, pair}) == 0) out.push_back(edge(pair.first, pair.second, name));
  return out;
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
  out["more"] = more();
  return out;
}

}  // namespace

Json graph_of(const litmus::Test& test, const judge::Judgement& judgement) {
  return Graph(test, judgement).json();
}

}  // namespace heddle::cli
