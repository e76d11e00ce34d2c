#include <fmt/format.h>

#include "emulator/cli/litmus/mu_machine.h"
#include "emulator/cli/litmus/mu_reasons.h"
#include "emulator/cli/litmus/sentences.h"
#include "emulator/cli/table.h"

namespace heddle::cli {
namespace {

using litmus::c::Test;
using mu::machine::End;

std::string runs(std::uint64_t count) {
  return plural(count, "run");
}

std::vector<Cell> cells_of(const Test& test, const litmus::c::Outcome& values) {
  std::vector<Cell> out;
  for (const mu::Value value : values) out.push_back({test.program.spell(value), Colour::Plain, true});
  return out;
}

std::string histogram(const Test& test, const MuMachineReport& report, const Painter& paint) {
  std::uint64_t all = 0;
  for (const litmus::c::HistogramRow& row : report.totals.histogram) all += row.count;
  if (all == 0 && report.never_seen.empty()) return "  (no run came to an end)\n";
  Table table;
  std::vector<Cell> head;
  for (const litmus::Observable& observable : test.observables) head.push_back({observable.name, Colour::Bold, true});
  for (const char* title : {"runs", "first", "share"}) head.push_back({title, Colour::Bold, true});
  table.add_row(std::move(head));
  for (std::size_t i = 0; i < report.totals.histogram.size(); ++i) {
    const litmus::c::HistogramRow& row = report.totals.histogram[i];
    std::vector<Cell> cells = cells_of(test, row.values);
    cells.push_back({std::to_string(row.count), Colour::Plain, true});
    cells.push_back({std::to_string(row.first_run), Colour::Dim, true});
    cells.push_back({fmt::format("{:.2f} %", 100 * static_cast<double>(row.count) / static_cast<double>(all)),
                     Colour::Plain, true});
    const bool forbidden = report.allowed[i] && !*report.allowed[i];
    cells.push_back(forbidden ? Cell{"FORBIDDEN by the memory model", Colour::Red} : Cell{""});
    table.add_row(std::move(cells));
  }
  for (const litmus::c::Outcome& values : report.never_seen) {
    std::vector<Cell> cells = cells_of(test, values);
    for (const char* cell : {"0", "-", "-"}) cells.push_back({cell, Colour::Dim, true});
    cells.push_back({"allowed, never seen", Colour::Dim});
    table.add_row(std::move(cells));
  }
  return table.print(paint, "  ");
}

std::string undefined(const litmus::c::RunTotals& totals, const Painter& paint) {
  static constexpr const char* kMeanings[] = {"a wrong address", "mixed accesses of one location", "a data race",
                                              "unordered operations on a stack"};
  std::string out;
  for (std::size_t kind = 0; kind < totals.undefined.size(); ++kind) {
    const litmus::c::Tally& tally = totals.undefined[kind];
    if (tally.count == 0) continue;
    out += "  " +
           paint(Colour::Red, fmt::format("{} of {} {} {}; the first is run {}.", tally.count, runs(totals.runs),
                                          tally.count == 1 ? "has" : "have", kMeanings[kind], *tally.first)) +
           '\n';
  }
  if (out.empty())
    out = "  " + paint(Colour::Green, fmt::format("No undefined behaviour in {}.", runs(totals.runs))) + '\n';
  return out;
}

std::string judged(const litmus::c::RunTotals& totals, const Painter& paint) {
  if (totals.judged == 0) return {};
  std::string out = fmt::format("  {} judged: ", runs(totals.judged));
  if (totals.inconsistent.count == 0)
    out += "consistent.";
  else
    out += paint(Colour::Red, fmt::format("{} INCONSISTENT; the first is run {}. That is a bug of heddle.",
                                          totals.inconsistent.count, *totals.inconsistent.first));
  if (totals.disagreements.count > 0)
    out += paint(Colour::Red, fmt::format(" In {} the detector disagrees, first in run {}. That is a bug of heddle.",
                                          totals.disagreements.count, *totals.disagreements.first));
  return out + '\n';
}

std::string sums(const MuMachineReport& report, const Painter& paint) {
  const litmus::c::RunTotals& totals = report.totals;
  std::string out;
  if (totals.blocked > 0) out += fmt::format("  In {} a thread waits on a futex for ever.\n", runs(totals.blocked));
  if (totals.cut > 0) out += fmt::format("  {} went beyond the bound.\n", runs(totals.cut));
  if (totals.faults > 0) out += fmt::format("  {} ended at a wrong address.\n", runs(totals.faults));
  if (totals.filtered > 0) out += fmt::format("  {} did not pass the filter.\n", runs(totals.filtered));
  out += undefined(totals, paint) + judged(totals, paint);
  return out + run_line(totals.runs, report.runs, report.policy, report.seed, totals.seconds, paint);
}

std::string step(const Test& test, const mu::Execution& execution, mu::EventIndex e) {
  const mu::Event& event = execution.events[e];
  const mu::ThreadCode& thread = test.program.threads[event.thread];
  const mu::Instruction& instruction = thread.code[event.instruction];
  std::string out = fmt::format("  {:4}  {}  ", e + 1, thread.name);
  switch (event.kind) {
    case mu::EventKind::ThreadBegin:
      return out + "begins";
    case mu::EventKind::FutexResume:
      return out + fmt::format("goes on, woken by step {}", event.waker + 1);
    case mu::EventKind::FutexExpire:
      return out + fmt::format("goes on: its wait of step {} ran out", event.wait + 1);
    default:
      out += instruction.text;
  }
  if (event.loads()) {
    const mu::EventIndex seen = execution.reads_from[e];
    out += fmt::format("  sees {}", test.program.spell(event.read));
    out += seen < execution.events.size() ? fmt::format(" of step {}", seen + 1) : " (the initial value)";
    if (seen < execution.events.size() && seen > e) out += ", which comes later: the load was answered late";
  }
  if (event.stores()) out += fmt::format("  stores {}", test.program.spell(event.written));
  if (event.kind == mu::EventKind::FutexWake || event.kind == mu::EventKind::FutexRequeue)
    out += fmt::format("  wakes {}", event.woken);
  return out;
}

std::string replay_text(const Test& test, const MuMachineReport& report, const Painter& paint) {
  const MuReplay& replay = *report.replay;
  std::string out =
      fmt::format("\n  run {} with the policy {}, seed {}\n", *report.replayed_run, report.policy, report.seed);
  for (mu::EventIndex e = 0; e < replay.execution.events.size(); ++e) out += step(test, replay.execution, e) + '\n';
  for (mu::LocationIndex location = 0; location < replay.execution.locations; ++location) {
    const std::vector<mu::EventIndex>& order = replay.execution.modification_order[location];
    if (order.empty()) continue;
    out += fmt::format("  modification order of {}: initial value", test.program.location_name(location));
    for (const mu::EventIndex e : order) out += fmt::format(", step {}", e + 1);
    out += '\n';
  }
  out += "  It ends with";
  for (std::size_t i = 0; i < test.observables.size(); ++i)
    out +=
        fmt::format("{} {} = {}", i == 0 ? "" : ",", test.observables[i].name, test.program.spell(replay.outcome[i]));
  out += replay.end == End::Finished ? ".\n" : "; not all threads finished.\n";
  for (const mu::UndefinedPair& pair : replay.undefined)
    out += "  " +
           paint(Colour::Red, fmt::format("Undefined behaviour ({}): {} and {}.", mu::name(pair.kind),
                                          event_name(test, replay.execution, pair.first),
                                          event_name(test, replay.execution, pair.second))) +
           '\n';
  for (const std::string& rule : replay.violations)
    out += "  " + paint(Colour::Red, fmt::format("It breaks the rule that {}. That is a bug of heddle.", rule)) + '\n';
  return out;
}

}  // namespace

std::string mu_machine_text(const Test& test, const MuMachineReport& report, bool quiet, const Painter& paint) {
  if (report.replay) return replay_text(test, report, paint);
  return (quiet ? "" : '\n' + histogram(test, report, paint) + '\n') + sums(report, paint);
}

}  // namespace heddle::cli
