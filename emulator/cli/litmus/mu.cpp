#include "emulator/cli/litmus/mu.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "emulator/cli/litmus/sentences.h"
#include "emulator/cli/table.h"

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
  for (const litmus::c::Example& example : report.answer->undefined_examples) {
    const mu::UndefinedPair& pair = *example.pair;
    out += "  " + paint(Colour::Bold, fmt::format("Why undefined ({})", mu::name(pair.kind))) + '\n';
    if (pair.kind == mu::Undefined::Address) {
      const auto fault = std::find(example.ends.begin(), example.ends.end(), mu::explore::ThreadEnd::Fault);
      out += fmt::format(
          "    {} uses a number as an address, an address as a number, or an address outside of every location.\n",
          report.test.program.threads[static_cast<std::size_t>(fault - example.ends.begin())].name);
      continue;
    }
    const std::string first = event_name(report.test, example.execution, pair.first);
    const std::string second = event_name(report.test, example.execution, pair.second);
    if (pair.kind == mu::Undefined::Mixed)
      out += fmt::format("    {} and {} access one location; one is atomic, the other is not.\n", first, second);
    else
      out += fmt::format("    Neither {} nor {} happens before the other.\n", first, second);
  }
  return out;
}

/// The execution that ends as the assertion forbids, and breaks the fewest rules.
class Forbidden {
 public:
  explicit Forbidden(const Test& test) : test_(test) {}

  bool look(const mu::explore::Found& found) {
    if (!found.complete() || ++seen_ > 20000) return seen_ <= 20000;
    const bool negated = test_.quantifier == Quantifier::ForAll;
    const auto outcomes = litmus::c::outcomes_of(test_, found.judgement, found.registers);
    const bool asked = std::any_of(outcomes.begin(), outcomes.end(), [&](const litmus::c::Outcome& outcome) {
      return satisfies(outcome, *test_.assertion) != negated && (!test_.filter || satisfies(outcome, *test_.filter));
    });
    if (!asked) return true;
    std::vector<mu::Violation> violations = found.judgement.violations();
    if (violations.empty() || (best_ && best_->size() <= violations.size())) return true;
    best_ = std::move(violations);
    execution_ = found.execution;
    return best_->size() > 1;
  }
  std::string text() const;

 private:
  const Test& test_;
  std::uint64_t seen_ = 0;
  std::optional<std::vector<mu::Violation>> best_;
  mu::Execution execution_;
};

std::string Forbidden::text() const {
  if (!best_) return "    No choice of what the loads see leads to these values.\n";
  std::string out;
  for (EventIndex e = 0; e < execution_.events.size(); ++e) {
    const mu::Event& event = execution_.events[e];
    if (!event.loads()) continue;
    out += fmt::format("    {} sees {}", event_name(test_, execution_, e),
                       event_name(test_, execution_, execution_.reads_from[e]));
    out += fmt::format(" ({}).\n", test_.program.spell(event.read));
  }
  for (const mu::Violation& violation : *best_) {
    out += fmt::format("    This breaks the rule that {}", mu::name(violation.rule));
    std::string where;
    for (const EventIndex e : violation.events)
      where += (where.empty() ? ": " : ", ") + event_name(test_, execution_, e);
    out += where + ".\n";
  }
  return out;
}

std::string forbidden_reasons(const MuReport& report, const TextOptions& options, const Painter& paint) {
  const bool none = (report.test.quantifier == Quantifier::Exists && !report.answer->holds) ||
                    (report.test.quantifier == Quantifier::NotExists && report.answer->holds);
  const bool all = report.test.quantifier == Quantifier::ForAll && report.answer->holds;
  if (!report.answer->complete || !(none || all)) return {};
  mu::explore::Options search = litmus::c::explorer_options(report.test, options.question);
  search.inconsistent = true;
  Forbidden forbidden(report.test);
  try {
    mu::explore::explore(report.test.program, search,
                         [&](const mu::explore::Found& found) { return forbidden.look(found); });
  } catch (const mu::explore::TooLong&) {
    // What breaks rules has more choices than what the answer is made of.
  }
  return "  " + paint(Colour::Bold, all ? "Why nothing else" : "Why forbidden") + '\n' + forbidden.text();
}

}  // namespace

std::string event_name(const Test& test, const mu::Execution& execution, EventIndex event) {
  if (event >= execution.events.size()) return "the initial value";
  const mu::Event& known = execution.events[event];
  const mu::ThreadCode& thread = test.program.threads[known.thread];
  const mu::Instruction& i = thread.code[known.instruction];
  return fmt::format("{}'s `{}` (line {})", thread.name, i.text, i.line);
}

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
