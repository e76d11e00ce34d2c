#include "emulator/cli/litmus/mu_json.h"

#include "emulator/cli/litmus/outcome_json.h"

#include <set>
#include <string>

#include "emulator/cli/litmus/mu.h"
#include "emulator/cli/litmus/report.h"

namespace heddle::cli {
namespace {

using litmus::c::Test;

Json object_of(const Test& test, const litmus::c::Outcome& values) {
  return outcome_json(test.observables, [&](std::size_t i) { return value_json(test, values[i]); });
}

Json number_or_null(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

/// What a verdict leaves out.
void add_outcomes(const Test& test, const litmus::c::Answer& answer, Json& out) {
  Json undefined = Json::array();
  std::set<std::string> names;
  for (const mu::Undefined kind : answer.undefined) names.insert(mu::name(kind));
  for (const std::string& name : names) undefined.push_back(name);
  out["undefined"] = std::move(undefined);
  out["blocks"] = answer.blocks;
  Json outcomes = Json::array();
  for (const litmus::c::OutcomeRow& row : answer.outcomes) outcomes.push_back(object_of(test, row.values));
  out["outcomes"] = std::move(outcomes);
  out["executions"] = answer.executions;
}

void add_answer(const MuReport& report, Json& out) {
  const Test& test = report.test;
  const litmus::c::Answer& answer = *report.answer;
  const bool asked = test.quantifier != litmus::Quantifier::None;
  out["quantifier"] = asked ? Json(litmus::spell(test.quantifier)) : Json(nullptr);
  out["holds"] = asked ? Json(answer.holds) : Json(nullptr);
  out["racy"] = answer.racy();
  if (!report.verdict_only) add_outcomes(test, answer, out);
  out["complete"] = answer.complete;
}

Json replay_of(const Test& test, const MuReplay& replay) {
  Json out;
  out["outcome"] = object_of(test, replay.outcome);
  static constexpr const char* kEnds[] = {"running", "not created", "terminated", "blocked", "cut", "fault"};
  out["end"] = kEnds[static_cast<std::size_t>(replay.end)];
  out["passes_filter"] = replay.passes_filter;
  out["consistent"] = replay.consistent;
  Json events = Json::array();
  for (mu::EventIndex e = 0; e < replay.execution.events.size(); ++e) {
    const mu::Event& event = replay.execution.events[e];
    const mu::ThreadCode& thread = test.program.threads[event.thread];
    Json one;
    one["step"] = e + 1;
    one["thread"] = thread.name;
    one["instruction"] = thread.code[event.instruction].text;
    if (event.loads()) {
      one["read"] = value_json(test, event.read);
      const mu::EventIndex seen = replay.execution.reads_from[e];
      one["from"] = seen < replay.execution.events.size() ? Json(seen + 1) : Json(nullptr);
    }
    if (event.stores()) one["written"] = value_json(test, event.written);
    events.push_back(std::move(one));
  }
  out["events"] = std::move(events);
  Json undefined = Json::array();
  for (const mu::UndefinedPair& pair : replay.undefined)
    undefined.push_back({{"kind", mu::name(pair.kind)}, {"first", pair.first + 1}, {"second", pair.second + 1}});
  out["undefined"] = std::move(undefined);
  return out;
}

void add_machine(const Test& test, const MuMachineReport& report, Json& out) {
  const litmus::c::RunTotals& totals = report.totals;
  out["policy"] = report.policy;
  out["seed"] = report.seed;
  if (report.replay) {
    out["run"] = *report.replayed_run;
    out["replay"] = replay_of(test, *report.replay);
    return;
  }
  out["runs"] = totals.runs;
  Json rows = Json::array();
  for (std::size_t i = 0; i < totals.histogram.size(); ++i) {
    Json row;
    row["outcome"] = object_of(test, totals.histogram[i].values);
    row["count"] = totals.histogram[i].count;
    row["allowed"] = report.allowed[i] ? Json(*report.allowed[i]) : Json(nullptr);
    row["first_run"] = totals.histogram[i].first_run;
    rows.push_back(std::move(row));
  }
  out["histogram"] = std::move(rows);
  Json never_seen = Json::array();
  for (const litmus::c::Outcome& values : report.never_seen) never_seen.push_back(object_of(test, values));
  out["never_seen"] = std::move(never_seen);
  out["blocked"] = totals.blocked;
  out["cut"] = totals.cut;
  out["faults"] = totals.faults;
  out["filtered"] = totals.filtered;
  Json undefined = Json::object();
  for (std::size_t kind = 0; kind < totals.undefined.size(); ++kind)
    if (totals.undefined[kind].count > 0)
      undefined[mu::name(static_cast<mu::Undefined>(kind))] = {
          {"runs", totals.undefined[kind].count}, {"first_run", number_or_null(totals.undefined[kind].first)}};
  out["undefined_runs"] = std::move(undefined);
  const litmus::c::Tally& races = totals.undefined[static_cast<std::size_t>(mu::Undefined::Race)];
  out["racy_runs"] = races.count;
  out["first_racy_run"] = number_or_null(races.first);
  out["judged"] = totals.judged;
  out["inconsistent"] = totals.inconsistent.count;
  out["detector_disagreements"] = totals.disagreements.count;
  out["run_seconds"] = totals.seconds;
}

}  // namespace

Json value_json(const Test& test, mu::Value value) {
  return value.is_address() ? Json(test.program.spell(value)) : Json(value.number());
}

void add_mu(const MuReport& report, Json& out) {
  if (report.answer) add_answer(report, out);
  if (report.machine) add_machine(report.test, *report.machine, out);
}

}  // namespace heddle::cli
