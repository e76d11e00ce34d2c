#include <fmt/format.h>

#include "emulator/cli/litmus/report.h"
#include "emulator/cli/table.h"
#include "emulator/cli/terminal.h"

namespace heddle::cli {
namespace {

std::string steps(const litmus::Test& test, const Replay& replay, const Painter& paint) {
  Table table;
  std::vector<Cell> head{{"step", Colour::Bold, true}};
  for (const litmus::Thread& thread : test.threads) head.push_back({thread.name(), Colour::Bold});
  head.push_back({"memory", Colour::Bold});
  table.add_row(std::move(head));
  for (const ReplayEvent& event : replay.events) {
    std::vector<Cell> row;
    row.push_back({event.step ? std::to_string(*event.step) : "", Colour::Dim, true});
    for (std::uint32_t thread = 0; thread < test.threads.size(); ++thread) {
      row.push_back({event.thread == thread ? event.instruction : ""});
    }
    const Colour colour = event.stale ? Colour::Yellow : event.step ? Colour::Plain : Colour::Cyan;
    row.push_back({event.effect, colour});
    table.add_row(std::move(row));
  }
  return table.print(paint, "  ");
}

std::string ending(const litmus::Test& test, const Replay& replay) {
  std::string out = "  ";
  switch (replay.end) {
    case run::RunEnd::Terminated:
      out += "It ends with";
      break;
    case run::RunEnd::Blocked:
      out += "A thread waits or spins for ever, with";
      break;
    case run::RunEnd::Cut:
      out += "It is cut by the bound or a division by zero, with";
      break;
  }
  for (std::size_t i = 0; i < test.observables.size(); ++i) {
    out += fmt::format("{} {} = {}", i == 0 ? "" : ",", test.observables[i].name, replay.outcome[i]);
  }
  if (test.observables.empty()) out += " nothing to observe";
  return out + (replay.passes_filter ? ".\n" : ", which the filter discards.\n");
}

}  // namespace

std::string replay_text(const litmus::Test& test, const MachineReport& report, const Painter& paint) {
  const Replay& replay = *report.replay;
  std::string out =
      fmt::format("\n  Run {} with the policy {}, seed {}\n\n", *report.replayed_run, report.policy, report.seed);
  out += steps(test, replay, paint) + '\n' + ending(test, replay);
  if (!replay.consistent) {
    out += "  " + paint(Colour::Red, "The judge finds it inconsistent, which is a bug of heddle: " + replay.violation) +
           '\n';
  } else {
    out += "  The judge finds it consistent.\n";
  }
  for (const std::string& access : replay.freed_early)
    out += "  " + paint(Colour::Red, "Freed too early: ") + access + '\n';
  if (replay.races.empty()) return out + "  " + paint(Colour::Green, "There is no data race.") + '\n';
  for (std::string race : replay.races) {
    if (!race.empty() && race.back() == '\n') race.pop_back();
    for (std::size_t at = 0; (at = race.find('\n', at)) != std::string::npos; at += 5) race.replace(at, 1, "\n    ");
    out += "  " + paint(Colour::Red, "Data race: ") + race + '\n';
  }
  return out;
}

}  // namespace heddle::cli
