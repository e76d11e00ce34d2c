#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/cli/litmus/reasons.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/cli/litmus/sentences.h"
#include "emulator/cli/litmus/termination.h"
#include "emulator/cli/table.h"
#include "emulator/cli/terminal.h"
#include "emulator/litmus/vulkan/names.h"

namespace heddle::cli {
namespace {

using litmus::Quantifier;

std::string indented(const std::string& text, const std::string& indent) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += indent + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return out;
}

/// The test, laid out as its format lays it out.
std::string program_table(const litmus::Test& test, const Painter& paint) {
  Table table(" | ");
  std::vector<Cell> head;
  std::size_t rows = 0;
  for (const litmus::Thread& thread : test.threads) {
    head.push_back({thread.name() + " @ " + litmus::spell_place(thread), Colour::Cyan});
    rows = std::max(rows, thread.cells.empty() ? thread.code.size() : thread.cells.size());
  }
  table.add_row(std::move(head));
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<Cell> row;
    for (const litmus::Thread& thread : test.threads) {
      // Columns of the host's side are shown as they are written.
      if (thread.kind != litmus::ThreadKind::Shader) {
        row.push_back({i < thread.cells.size() ? thread.cells[i] : ""});
      } else {
        row.push_back({i < thread.code.size() ? thread.code[i].text : ""});
      }
    }
    table.add_row(std::move(row));
  }
  return table.print(paint, "  ");
}

std::string declarations(const litmus::Test& test) {
  std::string out;
  std::map<std::uint32_t, std::string> owners;
  for (const litmus::Variable& variable : test.variables) {
    const auto [owner, first] = owners.emplace(variable.location, variable.name);
    out += out.empty() ? "  " : ";  ";
    out += first ? fmt::format("{} = {}", variable.name, variable.initial)
                 : fmt::format("{} aliases {}", variable.name, owner->second);
  }
  for (const litmus::Thread& thread : test.threads) {
    for (const litmus::Register& reg : thread.registers) {
      if (reg.initial != 0) {
        out += fmt::format("{}{}:{} = {}", out.empty() ? "  " : ";  ", thread.name(), reg.name, reg.initial);
      }
    }
  }
  const std::pair<const litmus::ThreadPairs*, std::string_view> relations[] = {
      {&test.system_synchronization, "system-synchronizes-with"},
      {&test.interlock_order, "comes first at the interlock with"},
      {&test.shader_inputs, "feeds"}};
  for (const auto& [pairs, relation] : relations) {
    for (const auto& pair : *pairs) {
      out += fmt::format("{}{} {} {}", out.empty() ? "  " : ";  ", test.threads[pair.first].name(), relation,
                         test.threads[pair.second].name());
    }
  }
  return out.empty() ? out : out + '\n';
}

std::string outcome_table(const VulkanReport& report, const Painter& paint) {
  const litmus::Answer& answer = *report.answer;
  if (answer.outcomes.empty()) return "  (no execution comes to an end)\n";
  Table table;
  std::vector<Cell> head;
  for (const litmus::Observable& observable : report.test.observables) {
    head.push_back({observable.name, Colour::Bold, true});
  }
  head.push_back({"executions", Colour::Bold, true});
  head.push_back({"racy", Colour::Bold, true});
  head.push_back({"", Colour::Plain});
  table.add_row(std::move(head));
  for (const litmus::OutcomeRow& row : answer.outcomes) {
    std::vector<Cell> cells;
    for (const litmus::Integer value : row.values) {
      cells.push_back({std::to_string(value), Colour::Plain, true});
    }
    cells.push_back({std::to_string(row.executions), Colour::Plain, true});
    cells.push_back({row.racy_executions == 0 ? "-" : std::to_string(row.racy_executions),
                     row.racy_executions == 0 ? Colour::Dim : Colour::Red, true});
    cells.push_back(verdict_of(report.test.quantifier, row.satisfies));
    table.add_row(std::move(cells));
  }
  return table.print(paint, "  ");
}

/// What an answer and a verdict have in common.
template <typename Answer>
std::string verdict(const litmus::Test& test, const Answer& answer, const Painter& paint) {
  std::string out;
  if (test.quantifier != Quantifier::None) {
    const std::string condition = litmus::spell(*test.assertion, test.observables);
    out += "  " +
           paint(answer.holds ? Colour::Green : Colour::Yellow,
                 assertion_sentence(test.quantifier, condition, answer.holds, answer.complete)) +
           '\n';
  }
  out += answer.racy ? "  " + paint(Colour::Red, "There is a data race.") + '\n'
                     : "  " + paint(Colour::Green, "There is no data race.") + '\n';
  if (answer.freed_early) {
    out += "  " + paint(Colour::Red, "Memory is freed that may still be accessed.") + '\n';
  }
  return out;
}

std::string verdict_of_all(const VulkanReport& report, std::uint64_t bound, const Painter& paint) {
  const litmus::Answer& answer = *report.answer;
  std::string out = verdict(report.test, answer, paint);
  const std::string_view at_least = answer.counted_others ? "" : "at least ";
  if (answer.blocked > 0) {
    out += fmt::format("  In {}{} more a thread waits or spins for ever.\n", at_least,
                       plural(answer.blocked, "execution"));
  }
  if (answer.cut > 0) {
    out += fmt::format("  {} more went beyond the bound of {}, or to a division by zero, and {} cut.\n",
                       (answer.counted_others ? "" : "At least ") + plural(answer.cut, "execution"),
                       plural(bound, "iteration"), answer.cut == 1 ? "was" : "were");
  }
  return out + search_end(answer.complete, answer.cancelled);
}

std::string reasons(const std::string& source, const VulkanReport& report, const litmus::Question& question,
                    const Painter& paint) {
  std::string out;
  const litmus::Answer& answer = *report.answer;
  if (answer.race) {
    const judge::Judgement judgement(answer.race->execution, litmus::explorer_options(question).model);
    out += "  " + paint(Colour::Bold, "Why racy") + '\n' +
           indented(explain_race(report.test, judgement, *answer.race,
                                 name_operations(report.test, answer.race->execution)) +
                        explain_changes(source, report.test, question, answer),
                    "    ");
  }
  if (answer.early_free) {
    const auto name_of = name_operations(report.test, answer.early_free->execution);
    out += "  " + paint(Colour::Bold, "Why freed early") + '\n' +
           indented(fmt::format("{} does not happen-before {}.\n", name_of(answer.early_free->first),
                                name_of(answer.early_free->second)),
                    "    ");
  }
  const Quantifier quantifier = report.test.quantifier;
  const bool none_satisfies =
      (quantifier == Quantifier::Exists && !answer.holds) || (quantifier == Quantifier::NotExists && answer.holds);
  const bool all_satisfy = quantifier == Quantifier::ForAll && answer.holds;
  if (answer.complete && (none_satisfies || all_satisfy)) {
    out += "  " + paint(Colour::Bold, all_satisfy ? "Why nothing else" : "Why forbidden") + '\n' +
           indented(explain_forbidden(report.test, question, all_satisfy), "    ");
  }
  return out;
}

std::string vulkan_text(const LitmusReport& report, const TextOptions& options, const Painter& paint) {
  const VulkanReport& vulkan = *report.vulkan;
  std::string out;
  if (!options.quiet) {
    out += declarations(vulkan.test) + program_table(vulkan.test, paint);
    if (vulkan.test.filter) {
      out += "  filter " + litmus::spell(*vulkan.test.filter, vulkan.test.observables) + '\n';
    }
    if (vulkan.test.assertion) {
      out += fmt::format("  {} {}\n", litmus::spell(vulkan.test.quantifier),
                         litmus::spell(*vulkan.test.assertion, vulkan.test.observables));
    }
    if (vulkan.answer && !vulkan.machine) out += '\n' + outcome_table(vulkan, paint);
    if (!vulkan.machine) out += '\n';
  }
  if (vulkan.termination)
    out += termination_text(told(vulkan.test, *vulkan.termination), *options.question.progress, paint);
  if (vulkan.verdict || vulkan.termination) {
    if (vulkan.verdict)
      out += verdict(vulkan.test, *vulkan.verdict, paint) +
             search_end(vulkan.verdict->complete, vulkan.verdict->cancelled);
    if (!options.quiet) out += paint(Colour::Dim, fmt::format("  {:.1f} ms", report.seconds * 1e3)) + '\n';
    return out;
  }
  if (vulkan.machine) {
    const std::string what = machine_text(vulkan.test, *vulkan.machine, options.quiet, paint);
    if (!vulkan.answer || vulkan.machine->replay) return out + what;
    out += what + "  Of all executions that the memory model allows:\n";
  }
  out += verdict_of_all(vulkan, report.bound, paint);
  if (!options.quiet) {
    out += paint(Colour::Dim,
                 fmt::format("  {}, {:.1f} ms", plural(vulkan.answer->executions, "execution"), report.seconds * 1e3)) +
           '\n';
  }
  if (options.why) out += reasons(report.source, vulkan, options.question, paint);
  return out;
}

std::string khronos_text(const LitmusReport& report, const TextOptions& options, const Painter& paint) {
  const KhronosReport& khronos = *report.khronos;
  Table table;
  for (std::size_t i = 0; i < khronos.test.claims.size(); ++i) {
    const litmus::khronos::ClaimAnswer& claim = khronos.answer.claims[i];
    table.add_row({{claim.holds ? "holds" : "fails", claim.holds ? Colour::Green : Colour::Red},
                   {khronos.test.claims[i].text},
                   {claim.decided ? "" : "(not decided: the search is not complete)"}});
  }
  std::string out = table.print(paint, "  ");
  if (table.empty()) out += "  (the file claims nothing)\n";
  if (khronos.verdict_only) {
    out += options.quiet ? "" : fmt::format("  {:.1f} ms\n", report.seconds * 1e3);
  } else if (!options.quiet) {
    out += fmt::format("  {}, {} of them racy, {:.1f} ms\n", plural(khronos.answer.executions, "consistent execution"),
                       khronos.answer.racy_executions, report.seconds * 1e3);
  }
  return out;
}

}  // namespace

std::string to_text(const LitmusReport& report, const TextOptions& options) {
  const Painter paint(options.coloured);
  std::string out;
  if (report.error) return paint(Colour::Red, *report.error) + '\n';
  out += paint(Colour::Bold, report.name) + "  " + paint(Colour::Dim, report.file) + '\n';
  for (const std::string& warning : report.warnings) {
    out += "  " + paint(Colour::Yellow, "warning: " + warning) + '\n';
  }
  out += report.vulkan ? vulkan_text(report, options, paint)
         : report.mu   ? mu_text(report, options, paint)
                       : khronos_text(report, options, paint);
  return out + (options.quiet ? "" : "\n");
}

}  // namespace heddle::cli
