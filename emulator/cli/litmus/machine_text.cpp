#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "emulator/cli/litmus/report.h"
#include "emulator/cli/litmus/sentences.h"
#include "emulator/cli/table.h"
#include "emulator/cli/terminal.h"

namespace heddle::cli {
namespace {

/// A bar of block characters, of eighths of a column.
std::string bar(double share) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  constexpr double kColumns = 30;
  auto eighths = static_cast<unsigned>(std::lround(share * kColumns * 8));
  if (eighths == 0 && share > 0) eighths = 1;
  std::string out;
  for (unsigned i = 0; i < eighths / 8; ++i) out += "█";
  return out + kEighths[eighths % 8];
}

std::vector<Cell> head_of(const litmus::Test& test) {
  std::vector<Cell> head;
  for (const litmus::Observable& observable : test.observables) {
    head.push_back({observable.name, Colour::Bold, true});
  }
  return head;
}

std::vector<Cell> cells_of(const litmus::Outcome& values) {
  std::vector<Cell> out;
  for (const litmus::Integer value : values) {
    out.push_back({std::to_string(value), Colour::Plain, true});
  }
  return out;
}

bool is_weak(const MachineReport& report, const litmus::Outcome& values) {
  return report.interleaved && report.interleaved->count(values) == 0;
}

Cell remark(const MachineReport& report, std::size_t row) {
  const std::optional<bool> allowed = report.allowed[row];
  if (allowed && !*allowed) return {"FORBIDDEN by the memory model", Colour::Red};
  if (is_weak(report, report.totals.histogram[row].values)) return {"weak", Colour::Yellow};
  return {""};
}

std::string histogram(const litmus::Test& test, const MachineReport& report, const Painter& paint) {
  std::uint64_t all = 0;
  for (const litmus::HistogramRow& row : report.totals.histogram) all += row.count;
  if (all == 0 && report.never_seen.empty()) return "  (no run came to an end)\n";
  Table table;
  std::vector<Cell> head = head_of(test);
  head.push_back({"runs", Colour::Bold, true});
  head.push_back({"first", Colour::Bold, true});
  head.push_back({"share", Colour::Bold, true});
  table.add_row(std::move(head));
  for (std::size_t i = 0; i < report.totals.histogram.size(); ++i) {
    const litmus::HistogramRow& row = report.totals.histogram[i];
    const double share = static_cast<double>(row.count) / static_cast<double>(all);
    std::vector<Cell> cells = cells_of(row.values);
    cells.push_back({std::to_string(row.count), Colour::Plain, true});
    cells.push_back({std::to_string(row.first_run), Colour::Dim, true});
    cells.push_back({fmt::format("{:.2f} %", 100 * share), Colour::Plain, true});
    cells.push_back(remark(report, i));
    cells.push_back({bar(share), Colour::Cyan});
    table.add_row(std::move(cells));
  }
  for (std::size_t i = 0; i < report.never_seen.size(); ++i) {
    const litmus::Outcome& values = report.never_seen[i];
    const bool cannot = i < report.kept_back.size() && !report.kept_back[i].empty();
    std::vector<Cell> cells = cells_of(values);
    cells.push_back({"0", Colour::Dim, true});
    cells.push_back({"-", Colour::Dim, true});
    cells.push_back({"-", Colour::Dim, true});
    cells.push_back({fmt::format("{}, {}", is_weak(report, values) ? "weak" : "allowed",
                                 cannot ? "cannot come up here" : "never seen"),
                     Colour::Dim});
    table.add_row(std::move(cells));
  }
  return table.print(paint, "  ");
}

std::string judged(const litmus::RunTotals& totals, const Painter& paint) {
  if (totals.judged == 0) return {};
  if (totals.inconsistent > 0) {
    return "  " +
           paint(Colour::Red, fmt::format("{} of {} {} INCONSISTENT; the first is run {}. That is a bug of heddle.",
                                          totals.inconsistent, plural(totals.judged, "judged run"),
                                          totals.inconsistent == 1 ? "is" : "are", *totals.first_inconsistent_run)) +
           '\n';
  }
  std::string out = fmt::format("  {} judged: consistent.", plural(totals.judged, "run"));
  if (totals.detector_disagreements.value_or(0) > 0) {
    out += paint(Colour::Red, fmt::format(" In {} the race detector disagrees, first in run {}. "
                                          "That is a bug of heddle.",
                                          *totals.detector_disagreements, *totals.first_disagreement_run));
  }
  return out + '\n';
}

std::string races(const litmus::RunTotals& totals, const Painter& paint) {
  if (totals.watched == 0) return "  Data races were not looked for: --judge N does so, in N runs.\n";
  if (totals.racy_runs == 0) {
    return "  " + paint(Colour::Green, fmt::format("No data race in {}.", plural(totals.watched, "run"))) + '\n';
  }
  return "  " +
         paint(Colour::Red, fmt::format("{} of {} {} a data race; the first is run {}.", totals.racy_runs,
                                        plural(totals.watched, "run"), totals.racy_runs == 1 ? "has" : "have",
                                        *totals.first_racy_run)) +
         '\n';
}

std::string frees(const litmus::RunTotals& totals, const Painter& paint) {
  if (totals.judged == 0) return "  Accesses to freed memory were not looked for: --judge N does so, in N runs.\n";
  if (totals.freed_early == 0) {
    return "  " +
           paint(Colour::Green,
                 fmt::format("Memory is freed after all accesses in {}.", plural(totals.judged, "judged run"))) +
           '\n';
  }
  return "  " +
         paint(Colour::Red,
               fmt::format("In {} of {} an access does not happen before its memory is freed; the "
                           "first is run {}.",
                           totals.freed_early, plural(totals.judged, "judged run"), *totals.first_freed_early_run)) +
         '\n';
}

/// Why outcomes cannot come up, each reason once.
std::string kept_back(const litmus::Test& test, const MachineReport& report) {
  std::map<std::string, std::string> outcomes_of;
  for (std::size_t i = 0; i < report.kept_back.size(); ++i) {
    if (report.kept_back[i].empty()) continue;
    std::string& all = outcomes_of[report.kept_back[i]];
    if (!all.empty()) all += "; ";
    for (std::size_t k = 0; k < test.observables.size(); ++k)
      all += fmt::format("{}{} = {}", k == 0 ? "" : ", ", test.observables[k].name, report.never_seen[i][k]);
  }
  std::string out;
  for (const auto& [why, outcomes] : outcomes_of)
    out += fmt::format("  The memory model allows {}, and no run ends so: {}.\n", outcomes, why);
  return out;
}

std::string sums(const litmus::Test& test, const MachineReport& report, const Painter& paint) {
  const litmus::RunTotals& totals = report.totals;
  std::string out;
  if (totals.blocked > 0) {
    out += fmt::format("  In {} a thread waits or spins for ever.\n", plural(totals.blocked, "run"));
  }
  if (totals.cut > 0) {
    out += fmt::format("  {} went beyond the bound, or to a division by zero.\n", plural(totals.cut, "run"));
  }
  if (totals.filtered > 0) {
    out += fmt::format("  {} did not pass the filter.\n", plural(totals.filtered, "run"));
  }
  std::uint64_t weak = 0;
  for (const litmus::HistogramRow& row : totals.histogram)
    if (is_weak(report, row.values)) weak += row.count;
  if (weak > 0) {
    out += fmt::format("  {} ended as no interleaving of the threads does.\n", plural(weak, "run"));
  }
  out += kept_back(test, report);
  out += races(totals, paint);
  if (litmus::frees_memory(test)) out += frees(totals, paint);
  out += judged(totals, paint);
  return out + run_line(totals.runs, report.runs, report.policy, report.seed, totals.seconds, paint);
}

}  // namespace

std::string machine_text(const litmus::Test& test, const MachineReport& report, bool quiet, const Painter& paint) {
  if (report.replay) return replay_text(test, report, paint);
  return (quiet ? "" : '\n' + histogram(test, report, paint) + '\n') + sums(test, report, paint);
}

}  // namespace heddle::cli
