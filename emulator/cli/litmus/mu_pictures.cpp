#include <fmt/format.h>

#include <string_view>

#include "emulator/cli/litmus/mu.h"
#include "emulator/cli/litmus/picture.h"
#include "emulator/cli/litmus/report.h"

namespace heddle::cli {
namespace {

using litmus::c::Example;
using litmus::c::Test;
using mu::EventIndex;

class Drawing {
 public:
  Drawing(const Test& test, const Example& example) : test_(test), example_(example), judgement_(example.execution) {}
  std::string text(const std::string& title);

 private:
  std::string label(EventIndex e) const;
  void threads();
  void reads_from();
  void modification_orders();
  void arrow(const std::string& from, const std::string& to, std::string_view name, std::string_view colour);
  static std::string node(EventIndex e) { return e == mu::kInitial ? "initial" : fmt::format("o{}", e); }

  const Test& test_;
  const Example& example_;
  const mu::Judgement judgement_;
  std::string out_;
};

std::string Drawing::label(EventIndex e) const {
  const mu::Event& event = example_.execution.events[e];
  std::string out = test_.program.threads[event.thread].code[event.instruction].text;
  if (event.kind == mu::EventKind::ThreadBegin) out = "begin";
  if (event.kind == mu::EventKind::FutexResume) out += "\nwoken";
  if (event.kind == mu::EventKind::FutexExpire) out += "\nexpires";
  const auto value = [&](const char* what, mu::Value v) {
    out += fmt::format("\n{} {}={}", what, test_.program.location_name(event.location), test_.program.spell(v));
  };
  if (event.loads()) value("R", event.read);
  if (event.stores()) value("W", event.written);
  return out;
}

void Drawing::threads() {
  const std::vector<mu::Event>& events = example_.execution.events;
  for (mu::ThreadIndex t = 0; t < test_.program.threads.size(); ++t) {
    out_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n", t, dot_string(test_.program.threads[t].name));
    std::string before;
    for (EventIndex e = 0; e < events.size(); ++e) {
      if (events[e].thread != t) continue;
      const bool marked = example_.pair && (example_.pair->first == e || example_.pair->second == e);
      out_ +=
          fmt::format("    {} [label={}{}];\n", node(e), dot_string(label(e)), marked ? ", color=red, penwidth=2" : "");
      if (!before.empty()) out_ += fmt::format("    {} -> {} [label=sb, weight=8];\n", before, node(e));
      before = node(e);
    }
    out_ += "  }\n";
  }
}

void Drawing::arrow(const std::string& from, const std::string& to, std::string_view name, std::string_view colour) {
  out_ +=
      fmt::format("  {} -> {} [label={}, color={}, fontcolor={}, constraint=false];\n", from, to, name, colour, colour);
}

void Drawing::reads_from() {
  for (EventIndex e = 0; e < example_.execution.events.size(); ++e)
    if (example_.execution.events[e].loads()) arrow(node(example_.execution.reads_from[e]), node(e), "rf", "darkgreen");
}

void Drawing::modification_orders() {
  for (const std::vector<EventIndex>& order : example_.execution.modification_order)
    for (std::size_t i = 0; i + 1 < order.size(); ++i) arrow(node(order[i]), node(order[i + 1]), "mo", "blue");
}

std::string Drawing::text(const std::string& title) {
  out_ = fmt::format("digraph execution {{\n  label={};\n  labelloc=t;\n  node [shape=box];\n", dot_string(title));
  threads();
  reads_from();
  modification_orders();
  judgement_.synchronizes_with().for_each([&](EventIndex a, EventIndex b) { arrow(node(a), node(b), "sw", "orange"); });
  judgement_.dependency_ordered_before().for_each(
      [&](EventIndex a, EventIndex b) { arrow(node(a), node(b), "dob", "purple"); });
  if (example_.pair && example_.pair->first != mu::kNone)
    out_ += fmt::format("  {} -> {} [label={}, dir=none, color=red, fontcolor=red, constraint=false];\n",
                        node(example_.pair->first), node(example_.pair->second), mu::name(example_.pair->kind));
  return out_ + "}\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> mu_pictures(const MuReport& report, const std::string& title) {
  std::vector<std::pair<std::string, std::string>> out;
  if (!report.answer) return out;
  for (std::size_t i = 0; i < report.answer->outcomes.size(); ++i) {
    const litmus::c::OutcomeRow& row = report.answer->outcomes[i];
    if (!row.example) continue;
    std::string values;
    for (std::size_t j = 0; j < row.values.size(); ++j)
      values += fmt::format("{}{} = {}", j == 0 ? "" : ", ", report.test.observables[j].name,
                            report.test.program.spell(row.values[j]));
    out.emplace_back(fmt::format("outcome-{}", i + 1), Drawing(report.test, *row.example).text(title + ": " + values));
  }
  for (const Example& example : report.answer->undefined_examples) {
    const std::string kind = mu::name(example.pair->kind);
    out.emplace_back("undefined-" + kind, Drawing(report.test, example).text(title + ": undefined behaviour, " + kind));
  }
  return out;
}

}  // namespace heddle::cli
