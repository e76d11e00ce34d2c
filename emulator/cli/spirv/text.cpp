#include <fmt/format.h>

#include "emulator/cli/spirv/report.h"
#include "emulator/cli/table.h"

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
  return out;
}

std::string verdict(const SpirvReport& report, const Painter& paint) {
  if (!report.answer) return "not explored";
  const spirv::Answer& answer = *report.answer;
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
    cells.push_back({std::to_string(row.executions), Colour::Dim, true});
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
  if (report.runs) out += runs(report, paint);
  if (!report.answer) return out;
  if (!report.inquiry.verdict_only) {
    out += fmt::format("  {} execution{}\n", report.answer->executions, end_of(report.answer->executions, "", "s"));
    out += outcomes(report, paint);
  }
  for (const std::uint32_t at : report.answer->faults)
    out += fmt::format("  undefined behaviour at line {}: {}\n", dispatch.code().commands[at].line,
                       spirv::describe_fault(dispatch, at));
  if (report.answer->race) out += "  a data race:\n" + race(report);
  return out;
}

}  // namespace heddle::cli
