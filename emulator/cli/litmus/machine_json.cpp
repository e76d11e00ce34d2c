#include "emulator/cli/litmus/machine_json.h"

namespace heddle::cli {
namespace {

Json object_of(const litmus::Test& test, const litmus::Outcome& values) {
  Json out = Json::object();
  for (std::size_t i = 0; i < test.observables.size(); ++i) {
    out[test.observables[i].name] = values[i];
  }
  return out;
}

Json or_null(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json replay_of(const litmus::Test& test, const Replay& replay) {
  Json out;
  out["outcome"] = object_of(test, replay.outcome);
  static constexpr const char* kEnds[] = {"terminated", "blocked", "cut"};
  out["end"] = kEnds[static_cast<std::size_t>(replay.end)];
  out["passes_filter"] = replay.passes_filter;
  out["consistent"] = replay.consistent;
  out["races"] = replay.races;
  if (!replay.freed_early.empty()) out["freed_early"] = replay.freed_early;
  Json events = Json::array();
  for (const ReplayEvent& event : replay.events) {
    Json one;
    one["step"] = or_null(event.step);
    if (event.thread) one["thread"] = test.threads[*event.thread].name();
    if (!event.instruction.empty()) one["instruction"] = event.instruction;
    if (!event.effect.empty()) one["effect"] = event.effect;
    if (event.stale) one["stale"] = true;
    events.push_back(std::move(one));
  }
  out["events"] = std::move(events);
  return out;
}

}  // namespace

void add_machine(const litmus::Test& test, const MachineReport& report, Json& out) {
  const litmus::RunTotals& totals = report.totals;
  out["policy"] = report.policy;
  if (report.replay) {
    out["seed"] = report.seed;
    out["run"] = *report.replayed_run;
    out["replay"] = replay_of(test, *report.replay);
    return;
  }
  out["runs"] = totals.runs;
  out["seed"] = report.seed;
  Json rows = Json::array();
  for (std::size_t i = 0; i < totals.histogram.size(); ++i) {
    Json row;
    row["outcome"] = object_of(test, totals.histogram[i].values);
    row["count"] = totals.histogram[i].count;
    row["allowed"] = report.allowed[i] ? Json(*report.allowed[i]) : Json(nullptr);
    row["weak"] = report.interleaved ? Json(report.interleaved->count(totals.histogram[i].values) == 0) : Json(nullptr);
    row["first_run"] = totals.histogram[i].first_run;
    rows.push_back(std::move(row));
  }
  out["histogram"] = std::move(rows);
  Json never_seen = Json::array();
  for (const litmus::Outcome& values : report.never_seen) never_seen.push_back(object_of(test, values));
  out["never_seen"] = std::move(never_seen);
  Json cannot = Json::array();
  for (std::size_t i = 0; i < report.kept_back.size(); ++i)
    if (!report.kept_back[i].empty())
      cannot.push_back({{"outcome", object_of(test, report.never_seen[i])}, {"reason", report.kept_back[i]}});
  out["cannot_come_up"] = std::move(cannot);
  out["blocked"] = totals.blocked;
  out["cut"] = totals.cut;
  out["filtered"] = totals.filtered;
  // Null where it was not looked for.
  out["racy_runs"] = totals.watched > 0 ? Json(totals.racy_runs) : Json(nullptr);
  out["first_racy_run"] = or_null(totals.first_racy_run);
  out["watched"] = totals.watched;
  out["judged"] = totals.judged;
  out["inconsistent"] = totals.inconsistent;
  // What the judged runs freed.
  if (litmus::frees_memory(test)) {
    out["freed_early_runs"] = totals.freed_early;
    out["first_freed_early_run"] = or_null(totals.first_freed_early_run);
  }
  out["detector_disagreements"] = or_null(totals.detector_disagreements);
  out["run_seconds"] = totals.seconds;
}

}  // namespace heddle::cli
