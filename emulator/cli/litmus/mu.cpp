#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "emulator/cli/litmus/mu_reasons.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/cli/litmus/sentences.h"
#include "emulator/cli/table.h"
#include "emulator/litmus/c/forbidden.h"

namespace heddle::cli {
namespace {

using litmus::Quantifier;
using litmus::c::Test;
using mu::EventIndex;

std::string outcome_table(const MuReport& report, const Painter& paint) {
  const Test& test = report.test;
  if (report.answer->outcomes.empty()) return "  (no execution comes to an end)\n";
  Table table;
  std::vector<Cell> head;
  for (const litmus::Observable& observable : test.observables) head.push_back({observable.name, Colour::Bold, true});
  head.push_back({"executions", Colour::Bold, true});
  table.add_row(std::move(head));
  for (const litmus::c::OutcomeRow& row : report.answer->outcomes) {
    std::vector<Cell> cells;
    for (const mu::Value value : row.values) cells.push_back({test.program.spell(value), Colour::Plain, true});
    cells.push_back({std::to_string(row.executions), Colour::Plain, true});
    cells.push_back(verdict_of(test.quantifier, row.satisfies));
    table.add_row(std::move(cells));
  }
  return table.print(paint, "  ");
}

const char* meaning(mu::Undefined kind) {
  switch (kind) {
    case mu::Undefined::Address:
      return "a thread accesses an address outside of every location";
    case mu::Undefined::Mixed:
      return "a location has an atomic and a non-atomic access";
    case mu::Undefined::Race:
      return "there is a data race";
    case mu::Undefined::Stack:
      return "two operations on one stack are not ordered";
  }
  return "";
}

std::string verdict(const MuReport& report, std::uint64_t bound, const Painter& paint) {
  const litmus::c::Answer& answer = *report.answer;
  std::string out;
  if (report.test.quantifier != Quantifier::None)
    out += "  " +
           paint(answer.holds ? Colour::Green : Colour::Yellow,
                 assertion_sentence(report.test.quantifier, spell(*report.test.assertion, report.test), answer.holds,
                                    answer.complete)) +
           '\n';
  for (const mu::Undefined kind : answer.undefined)
    out += "  " + paint(Colour::Red, fmt::format("Undefined behaviour: {}.", meaning(kind))) + '\n';
  if (answer.undefined.empty()) out += "  " + paint(Colour::Green, "There is no undefined behaviour.") + '\n';
  if (answer.blocked > 0)
    out += fmt::format("  In {} more a thread waits on a futex for ever.\n", plural(answer.blocked, "execution"));
  if (answer.cut > 0)
    out += fmt::format("  {} more went beyond the bound of {}.\n", plural(answer.cut, "execution"),
                       plural(bound, "iteration"));
  return out + search_end(answer.complete, answer.cancelled);
}

std::string undefined_reasons(const MuReport& report, const Painter& paint) {
  std::string out;
  for (const litmus::c::Example& example : report.answer->undefined_examples)
    out += fmt::format("  {}\n    {}\n",
                       paint(Colour::Bold, fmt::format("Why undefined ({})", mu::name(example.pair->kind))),
                       undefined_text(report, example));
  return out;
}

/// What the loads of the closest execution see, and the rules that this breaks.
std::string forbidden_text(const Test& test, const litmus::c::ForbiddenOutcome& closest) {
  std::string out;
  const mu::Execution& execution = closest.execution;
  for (EventIndex e = 0; e < execution.events.size(); ++e) {
    const mu::Event& event = execution.events[e];
    if (!event.loads()) continue;
    out += fmt::format("    {} sees {}", event_name(test, execution, e),
                       event_name(test, execution, execution.reads_from[e]));
    out += fmt::format(" ({}).\n", test.program.spell(event.read));
  }
  for (const mu::Violation& violation : closest.violations) {
    out += fmt::format("    This breaks the rule that {}", mu::name(violation.rule));
    std::string where;
    for (const EventIndex e : violation.events) where += (where.empty() ? ": " : ", ") + event_name(test, execution, e);
    out += where + ".\n";
  }
  return out;
}

std::string forbidden_reasons(const MuReport& report, const TextOptions& options, const Painter& paint) {
  const bool none = (report.test.quantifier == Quantifier::Exists && !report.answer->holds) ||
                    (report.test.quantifier == Quantifier::NotExists && report.answer->holds);
  const bool all = report.test.quantifier == Quantifier::ForAll && report.answer->holds;
  if (!report.answer->complete || !(none || all)) return {};
  std::vector<litmus::c::ForbiddenOutcome> outcomes =
      litmus::c::find_forbidden_outcomes(report.test, options.question, *report.answer);
  std::erase_if(outcomes, [&](const auto& outcome) { return !is_asked(report.test, outcome.values); });
  const auto closest = std::min_element(outcomes.begin(), outcomes.end(), [](const auto& a, const auto& b) {
    return a.violations.size() < b.violations.size();
  });
  return "  " + paint(Colour::Bold, all ? "Why nothing else" : "Why forbidden") + '\n' +
         (closest == outcomes.end() ? "    No choice of what the loads see leads to these values.\n"
                                    : forbidden_text(report.test, *closest));
}

}  // namespace

std::string mu_text(const LitmusReport& report, const TextOptions& options, const Painter& paint) {
  const MuReport& mu = *report.mu;
  std::string out;
  if (!options.quiet) {
    if (mu.test.filter) out += "  filter " + spell(*mu.test.filter, mu.test) + '\n';
    if (mu.test.assertion)
      out += fmt::format("  {} {}\n", litmus::spell(mu.test.quantifier), spell(*mu.test.assertion, mu.test));
    if (!mu.verdict_only && !mu.machine) out += '\n' + outcome_table(mu, paint) + '\n';
  }
  if (mu.machine) {
    const std::string runs = mu_machine_text(mu.test, *mu.machine, options.quiet, paint);
    if (!mu.answer || mu.machine->replay) return out + runs;
    out += runs + "  Of all executions that the memory model allows:\n";
  }
  out += verdict(mu, report.bound, paint);
  if (!options.quiet && !mu.verdict_only)
    out += paint(Colour::Dim,
                 fmt::format("  {}, {:.1f} ms", plural(mu.answer->executions, "execution"), report.seconds * 1e3)) +
           '\n';
  if (options.why) out += undefined_reasons(mu, paint) + forbidden_reasons(mu, options, paint);
  return out;
}

}  // namespace heddle::cli
