#include "emulator/cli/litmus/picture.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

using judge::RelationName;
using model::OperationIndex;
using model::OperationPair;

class Drawing {
 public:
  Drawing(const judge::Judgement& judgement, const Captions& captions)
      : judgement_(judgement), execution_(judgement.execution()), captions_(captions) {}

  std::string text();

 private:
  bool is_access(OperationIndex i) const { return execution_.operations[i].is_access(); }
  bool same_agent(const OperationPair& pair) const {
    return execution_.operations[pair.first].agent == execution_.operations[pair.second].agent;
  }
  std::string label(OperationIndex index) const;
  std::string caption(std::size_t agent) const;
  void clusters();
  void initial_values();
  void arrow(const std::string& from, const std::string& to, RelationName relation, std::string_view style);
  void relation(RelationName name, std::string_view style, bool within_agents);
  void location_order();
  void races();
  static std::string node(OperationIndex index) { return fmt::format("o{}", index); }

  const judge::Judgement& judgement_;
  const model::Execution& execution_;
  const Captions& captions_;
  std::set<OperationIndex> racing_;
  std::string out_;
};

std::string Drawing::label(OperationIndex index) const {
  const Operation& operation = execution_.operations[index];
  std::string out = operation.where.function;
  if (!operation.is_access()) return out;
  out += '\n';
  if (operation.reads()) {
    out += fmt::format("R {}={}", captions_.variable(operation), captions_.value(execution_.read_values[index]));
  }
  if (operation.writes()) {
    out += fmt::format("{}W {}={}", operation.reads() ? ", " : "", captions_.variable(operation),
                       captions_.value(execution_.written_values[index]));
  }
  return out;
}

std::string Drawing::caption(std::size_t agent) const {
  if (agent < captions_.agents.size()) return captions_.agents[agent];
  for (const Operation& operation : execution_.operations)
    if (static_cast<std::size_t>(operation.agent) == agent) return captions_.other_agent(operation);
  return "";
}

void Drawing::clusters() {
  for (std::size_t agent = 0; agent < execution_.agents.size(); ++agent) {
    out_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n", agent, dot_string(caption(agent)));
    out_ += "    style=\"rounded,filled\"; color=\"#d0d7de\"; fillcolor=\"#f6f8fa\";\n";
    std::string before;
    for (OperationIndex i = 0; i < execution_.operations.size(); ++i) {
      if (static_cast<std::size_t>(execution_.operations[i].agent) != agent) continue;
      const bool races_here = racing_.count(i) != 0;
      out_ += fmt::format("    {} [label={}{}];\n", node(i), dot_string(label(i)),
                          races_here ? ", color=red, fontcolor=red, penwidth=2" : "");
      if (!before.empty()) {
        out_ += fmt::format("    {} -> {} [label=po, weight=8];\n", before, node(i));
      }
      before = node(i);
    }
    out_ += "  }\n";
  }
}

void Drawing::arrow(const std::string& from, const std::string& to, RelationName relation, std::string_view style) {
  const std::string_view name = judge::name(relation);
  // Threads stay side by side and program order alone goes downwards.
  out_ += fmt::format("  {} -> {} [label={}, {}, constraint=false];\n", from, to, dot_string(name), style);
}

/// Initial values that somebody reads.
void Drawing::initial_values() {
  std::set<std::uint32_t> drawn;
  for (const model::ReadsFrom& edge : execution_.reads_from) {
    if (edge.write != model::kInitialValue) continue;
    const Operation& read = execution_.operations[edge.read];
    const auto location = static_cast<std::uint32_t>(read.locations.allocation);
    const std::string name = fmt::format("i{}", location);
    if (drawn.insert(location).second) {
      out_ += fmt::format(
          "  {} [label={}, style=dashed];\n", name,
          dot_string(fmt::format("initially {}={}", captions_.variable(read), captions_.initial_value(read))));
    }
    arrow(name, node(edge.read), RelationName::ReadsFrom, "color=\"#1a7f37\", fontcolor=\"#1a7f37\"");
  }
}

void Drawing::relation(RelationName name, std::string_view style, bool within_agents) {
  const std::vector<OperationPair> pairs = judgement_.pairs(name);
  const std::set<OperationPair> all(pairs.begin(), pairs.end());
  for (const OperationPair& pair : pairs) {
    if (!within_agents && same_agent(pair)) continue;
    if (pair.first >= execution_.operations.size()) continue;
    // An arrow of an order that follows from two shorter ones is not drawn.
    bool implied = false;
    if (name == RelationName::ScopedModificationOrder) {
      for (OperationIndex middle = 0; middle < execution_.operations.size(); ++middle) {
        implied = implied || (all.count({pair.first, middle}) != 0 && all.count({middle, pair.second}) != 0);
      }
    }
    if (!implied) arrow(node(pair.first), node(pair.second), name, style);
  }
}

/// Location order between threads that reads-from and modification order do not show already.
void Drawing::location_order() {
  std::set<OperationPair> shown;
  for (const RelationName name : {RelationName::ReadsFrom, RelationName::ScopedModificationOrder}) {
    for (const OperationPair& pair : judgement_.pairs(name)) shown.insert(pair);
  }
  for (const OperationPair& pair : judgement_.pairs(RelationName::LocationOrdered)) {
    if (same_agent(pair) || shown.count(pair) != 0) continue;
    arrow(node(pair.first), node(pair.second), RelationName::LocationOrdered,
          "style=dashed, color=\"#57606a\", fontcolor=\"#57606a\"");
  }
}

void Drawing::races() {
  for (const judge::Race& race : judgement_.races()) {
    out_ += fmt::format(
        "  {} -> {} [label=race, dir=none, color=red, fontcolor=red, penwidth=2, "
        "constraint=false];\n",
        node(race.first), node(race.second));
  }
}

std::string Drawing::text() {
  for (const judge::Race& race : judgement_.races()) {
    racing_.insert(race.first);
    racing_.insert(race.second);
  }
  out_ = fmt::format("digraph execution {{\n  label={};\n  labelloc=t;\n", dot_string(captions_.title));
  out_ += "  fontname=\"Helvetica\";\n";
  out_ +=
      "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Courier\", "
      "fontsize=11];\n";
  out_ += "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  clusters();
  initial_values();
  relation(RelationName::ReadsFrom, "color=\"#1a7f37\", fontcolor=\"#1a7f37\"", true);
  relation(RelationName::ScopedModificationOrder, "color=\"#0969da\", fontcolor=\"#0969da\"", true);
  relation(RelationName::SynchronizesWith, "color=\"#bc4c00\", fontcolor=\"#bc4c00\", style=bold", false);
  location_order();
  races();
  return out_ + "}\n";
}

}  // namespace

std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text::readable_lines(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

std::string draw(const judge::Judgement& judgement, const Captions& captions) {
  return Drawing(judgement, captions).text();
}

}  // namespace heddle::cli
