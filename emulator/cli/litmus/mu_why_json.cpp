#include "emulator/cli/litmus/mu_why_json.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "emulator/cli/litmus/mu_json.h"
#include "emulator/cli/litmus/mu_reasons.h"
#include "emulator/cli/litmus/outcome_json.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/litmus/c/forbidden.h"

namespace heddle::cli {
namespace {

using litmus::c::Test;
using mu::EventIndex;

/// Collects the arrows of a graph of events.
class EventGraph {
 public:
  EventGraph(const Test& test, const mu::Execution& execution)
      : test_(test), execution_(execution), judgement_(execution) {}

  Json json();

 private:
  Json operation(EventIndex index) const;
  void edge(EventIndex from, EventIndex to, const char* relation) {
    const std::int64_t source = from == mu::kInitial ? -1 : static_cast<std::int64_t>(number_[from]);
    edges_.push_back({{"from", source}, {"to", number_[to]}, {"relation", relation}});
  }
  void number_events();
  void add_edges();

  const Test& test_;
  const mu::Execution& execution_;
  const mu::Judgement judgement_;
  /// The events, thread by thread, and the place of each there.
  std::vector<EventIndex> order_;
  std::vector<std::size_t> number_;
  Json edges_ = Json::array();
};

Json EventGraph::operation(EventIndex index) const {
  const mu::Event& event = execution_.events[index];
  const mu::Instruction& instruction = test_.program.threads[event.thread].code[event.instruction];
  Json out;
  out["thread"] = event.thread;
  out["line"] = instruction.line;
  out["column"] = 1;
  out["text"] = event.kind == mu::EventKind::ThreadBegin ? "begin" : instruction.text;
  if (!event.loads() && !event.stores()) return out;
  out["variable"] = test_.program.location_name(event.location);
  if (event.loads()) out["read"] = value_json(test_, event.read);
  if (event.stores()) out["written"] = value_json(test_, event.written);
  return out;
}

void EventGraph::number_events() {
  number_.resize(execution_.events.size());
  for (mu::ThreadIndex thread = 0; thread < test_.program.threads.size(); ++thread)
    for (EventIndex e = 0; e < execution_.events.size(); ++e) {
      if (execution_.events[e].thread != thread) continue;
      number_[e] = order_.size();
      order_.push_back(e);
    }
}

void EventGraph::add_edges() {
  for (std::size_t i = 0; i + 1 < order_.size(); ++i)
    if (execution_.events[order_[i]].thread == execution_.events[order_[i + 1]].thread)
      edge(order_[i], order_[i + 1], "po");
  for (const EventIndex e : order_)
    if (execution_.events[e].loads()) edge(execution_.reads_from[e], e, "rf");
  for (const std::vector<EventIndex>& order : execution_.modification_order)
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      if (order[i] != mu::kInitial) edge(order[i], order[i + 1], "mo");
  judgement_.synchronizes_with().for_each([&](EventIndex a, EventIndex b) { edge(a, b, "sw"); });
  judgement_.dependency_ordered_before().for_each([&](EventIndex a, EventIndex b) { edge(a, b, "dob"); });
}

Json EventGraph::json() {
  number_events();
  add_edges();
  Json threads = Json::array();
  for (const mu::ThreadCode& thread : test_.program.threads)
    threads.push_back({{"name", thread.name}, {"place", "a thread of the host"}});
  Json operations = Json::array();
  for (const EventIndex e : order_) operations.push_back(operation(e));
  Json races = Json::array();
  for (const mu::UndefinedPair& pair : judgement_.undefined())
    if (pair.kind == mu::Undefined::Race) races.push_back({number_[pair.first], number_[pair.second]});
  Json out;
  out["threads"] = std::move(threads);
  out["operations"] = std::move(operations);
  out["edges"] = std::move(edges_);
  out["races"] = std::move(races);
  out["more"] = Json::array();
  return out;
}

Json event_graph_of(const Test& test, const mu::Execution& execution) {
  return EventGraph(test, execution).json();
}

Json row_of(const Test& test, const litmus::c::Outcome& values, bool allowed) {
  return row_json(
      test.observables, [&](std::size_t i) { return value_json(test, values[i]); }, allowed,
      litmus::c::is_asked(test, values));
}

Json forbidden_of(const Test& test, const litmus::c::ForbiddenOutcome& outcome) {
  std::string text;
  for (const mu::Violation& violation : outcome.violations) {
    text += fmt::format("{}The closest execution breaks the rule that {}", text.empty() ? "" : " ",
                        mu::name(violation.rule));
    for (std::size_t i = 0; i < violation.events.size(); ++i)
      text += (i == 0 ? ": " : ", ") + event_name(test, outcome.execution, violation.events[i]);
    text += '.';
  }
  Json out;
  out["text"] = std::move(text);
  out["rule"] = mu::name(outcome.violations.front().rule);
  out["clause"] = "";
  out["violated"] = outcome.violations.size();
  out["cycle"] = Json::array();
  out["graph"] = event_graph_of(test, outcome.execution);
  return out;
}

void add_rows(const MuReport& report, const litmus::Question& question, Json& out) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < report.answer->outcomes.size(); ++i) {
    rows.push_back(row_of(report.test, report.answer->outcomes[i].values, true));
    rows.back()["graph"] = i;
  }
  if (report.answer->complete)
    for (const auto& outcome : litmus::c::find_forbidden_outcomes(report.test, question, *report.answer)) {
      rows.push_back(row_of(report.test, outcome.values, false));
      rows.back()["forbidden"] = forbidden_of(report.test, outcome);
    }
  out["rows"] = asked_first(std::move(rows));
  out["rows_complete"] = report.answer->complete;
}

}  // namespace

Json mu_reasons_of(const MuReport& report, const litmus::Question& question) {
  Json out = Json::object();
  out["graphs"] = Json::array();
  for (const litmus::c::OutcomeRow& row : report.answer->outcomes)
    out["graphs"].push_back(row.example ? event_graph_of(report.test, row.example->execution) : Json(nullptr));
  add_rows(report, question, out);
  out["undefined"] = Json::array();
  for (const litmus::c::Example& example : report.answer->undefined_examples) {
    Json one{{"kind", mu::name(example.pair->kind)}};
    one["text"] = undefined_text(report, example);
    one["graph"] = event_graph_of(report.test, example.execution);
    out["undefined"].push_back(std::move(one));
  }
  return out;
}

}  // namespace heddle::cli
