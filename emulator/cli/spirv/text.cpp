#include <fmt/format.h>

#include <limits>

#include "emulator/cli/spirv/report.h"
#include "emulator/cli/spirv/termination.h"
#include "emulator/cli/table.h"
#include "emulator/spirv/source.h"

namespace heddle::cli {
namespace {

const char* end_of(std::uint64_t count, const char* one, const char* more) {
  return count == 1 ? one : more;
}

std::string runs(const SpirvReport& report, const Painter& paint) {
  const spirv::RunTotals& totals = *report.runs;
  std::string out = fmt::format("  {} runs on the machine \"{}\" with the seed {}; {} of them racy\n", totals.runs,
                                report.policy, report.seed, totals.racy_runs);
  for (const spirv::HistogramRow& row : totals.histogram) {
    out += fmt::format("    {:>10}", row.count);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const spirv::Observable& observable = report.dispatch->question.observables[i];
      out += fmt::format("  {} = {}", observable.name, spell_value(observable.location.type, row.values[i]));
    }
    if (!report.allows(row.values).value_or(true)) out += paint(Colour::Red, "  which the memory model does not allow");
    out += '\n';
  }
  if (totals.blocked > 0) out += fmt::format("    {:>10}  came to no end\n", totals.blocked);
  if (totals.cut > 0) out += fmt::format("    {:>10}  were cut by the bound\n", totals.cut);
  return out;
}

std::string what_runs_found(const SpirvReport& report, const Painter& paint) {
  std::string out;
  for (const spirv::RunFinding& each : report.runs->findings) {
    Finding told = each.finding;
    told.replay = fmt::format("--machine {} --no-explore --seed {} --replay {} ({} run{} of {})", report.policy,
                              report.seed, each.first_run, each.runs, end_of(each.runs, "", "s"), report.runs->runs);
    out += paint(Colour::Red, to_string(told)) + '\n';
  }
  for (const DataRace& race : report.runs->races) out += to_string(race, paint.colours()) + '\n';
  return out;
}

std::string advice(const SpirvReport& report, const Painter& paint) {
  const spirv::RunTotals& totals = *report.runs;
  if (totals.advised + totals.advice_left_out == 0) return "";
  std::string out = fmt::format("  {} of {} runs were asked which orderings they did not need{}\n", totals.advised,
                                totals.advised + totals.advice_left_out,
                                totals.advice_left_out > 0 ? "; the others have a race, or are too long" : "");
  for (const OrderingAdvice& each : totals.advice)
    out += fmt::format("    {}:{}: {}: {}\n", each.where.file, each.where.line, paint(Colour::Cyan, each.operation),
                       each.enough);
  if (totals.advised > 0 && totals.advice.empty()) out += "    each was needed as strong as it is\n";
  return out;
}

std::string buffers(const SpirvReport& report, const Painter& paint) {
  if (!report.compared) return "";
  if (report.differences.empty())
    return "  " + paint(Colour::Green, "The first run leaves in buffers what was expected.") + '\n';
  std::string out;
  for (const BufferDifference& each : report.differences)
    out +=
        "  " +
        paint(Colour::Red, fmt::format("The first run leaves something else in buffer {}: {} of {} words differ, the "
                                       "first at byte {}: {}, not {}.",
                                       each.name, each.words, each.of, each.offset, each.found, each.wanted)) +
        '\n';
  return out;
}

/// "line 7", or the instruction where no line is known.
std::string place_of(const spirv::Dispatch& dispatch, std::uint32_t at) {
  const spirv::Command& command = dispatch.code().commands[at];
  return command.line != 0 ? fmt::format("line {}", command.line) : text_of(dispatch, command);
}

std::string faults(const spirv::Dispatch& dispatch, const spirv::Faults& faults) {
  std::string out;
  for (const auto& [at, fault] : faults)
    out += fmt::format("  undefined behaviour at {}: {}\n", place_of(dispatch, at),
                       spirv::describe_fault(dispatch, fault));
  return out;
}

std::string verdict(const SpirvReport& report, const Painter& paint) {
  if (!report.answer && report.termination) {
    const std::optional<bool>& ends = report.termination->terminates;
    if (!ends) return paint(Colour::Yellow, "it is not known whether it ends");
    return *ends ? paint(Colour::Green, "it ends") : paint(Colour::Red, "it need not end");
  }
  if (!report.answer && report.runs && report.runs->racy_runs > 0) return paint(Colour::Red, "there is a data race");
  if (!report.answer) return "no run has a data race (not explored)";
  const spirv::Answer& answer = *report.answer;
  if (answer.is_empty()) return paint(Colour::Yellow, "nothing was found out: no execution came to its end");
  std::string out;
  if (report.dispatch->question.condition) {
    const bool exists = report.dispatch->question.quantifier == spirv::Quantifying::Exists;
    out += paint(answer.holds ? Colour::Green : Colour::Red,
                 answer.holds ? "the condition holds" : "the condition does not hold");
    if (exists && !answer.holds && !answer.complete) out += " within the bound";
    out += "; ";
  }
  out += answer.racy ? paint(Colour::Red, "there is a data race") : paint(Colour::Green, "there is no data race");
  if (!answer.complete) out += paint(Colour::Yellow, " (not all was looked at)");
  return out;
}

std::string race(const SpirvReport& report) {
  const spirv::RaceSeen& seen = *report.answer->race;
  std::string out;
  for (const model::OperationIndex index : {seen.first, seen.second}) {
    const Operation& op = seen.execution.operations[index];
    out += fmt::format("    invocation {}: {}, line {}\n", static_cast<std::uint32_t>(op.agent), op.where.function,
                       op.where.line);
  }
  return out;
}

std::string prints(const spirv::RunTotals& totals) {
  std::string out;
  for (const spirv::Print& each : totals.prints)
    out += fmt::format("  invocation {} prints: {}\n", each.agent, each.text);
  return out;
}

std::string count_of_executions(std::uint64_t executions) {
  return executions == std::numeric_limits<std::uint64_t>::max() ? "2^64 or more" : std::to_string(executions);
}

std::string outcomes(const SpirvReport& report, const Painter& paint) {
  const auto& observables = report.dispatch->question.observables;
  if (observables.empty() || report.answer->rows.empty()) return "";
  Table table;
  std::vector<Cell> head;
  for (const spirv::Observable& each : observables) head.push_back({each.name, Colour::Cyan, true});
  head.push_back({"executions", Colour::Dim, true});
  table.add_row(std::move(head));
  for (const spirv::Row& row : report.answer->rows) {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < row.values.size(); ++i)
      cells.push_back({spell_value(observables[i].location.type, row.values[i]), Colour::Plain, true});
    cells.push_back({count_of_executions(row.executions), Colour::Dim, true});
    table.add_row(std::move(cells));
  }
  return table.print(paint, "    ");
}

}  // namespace

std::string spirv_text(const SpirvReport& report, bool quiet, const Painter& paint) {
  if (report.error) return *report.error + '\n';
  std::string out = paint(Colour::Bold, report.file) + ": " + verdict(report, paint) + '\n';
  if (quiet) return out;
  const spirv::Dispatch& dispatch = *report.dispatch->dispatch;
  out += fmt::format("  {} invocation{}; {} memory model\n", dispatch.agents(), end_of(dispatch.agents(), "", "s"),
                     dispatch.code().glsl450 ? "GLSL450" : "Vulkan");
  for (const std::string& warning : report.warnings) out += "  " + paint(Colour::Yellow, "warning: ") + warning + '\n';
  if (report.runs)
    out += runs(report, paint) + prints(*report.runs) + buffers(report, paint) + what_runs_found(report, paint) +
           advice(report, paint);
  if (report.termination) {
    out += termination_text(told(*report.dispatch->analysis, *report.termination), report.progress, paint);
    if (!report.answer) out += faults(dispatch, report.termination->faults);
  }
  if (!report.answer) return out;
  if (!report.inquiry.verdict_only) {
    out += fmt::format("  {} execution{}\n", count_of_executions(report.answer->executions),
                       end_of(report.answer->executions, "", "s"));
    out += outcomes(report, paint);
  }
  if (report.answer->cut > 0)
    out += fmt::format("  {} execution{} cut: some loop goes round more often than --bound {} lets it\n",
                       report.answer->cut, end_of(report.answer->cut, " was", "s were"), report.inquiry.bound);
  if (report.is_undecided() && !report.runs)
    out +=
        "  Run it instead (--races, or --machine random), or choose a larger --bound or fewer invocations (--local, "
        "--groups).\n";
  out += faults(dispatch, report.answer->faults);
  if (report.answer->race) out += "  a data race:\n" + race(report);
  return out;
}

}  // namespace heddle::cli
