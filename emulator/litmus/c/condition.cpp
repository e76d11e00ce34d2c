#include <algorithm>

#include "emulator/litmus/c/test.h"

namespace heddle::litmus::c {
namespace {

Value value_of(const Outcome& outcome, const Condition::Term& term) {
  return term.observable ? outcome[*term.observable] : term.constant;
}

// Addresses are equal or not; no order is known of them.
bool compare_values(Comparison comparison, Value left, Value right) {
  if (comparison == Comparison::Equal) return left == right;
  if (comparison == Comparison::NotEqual) return left != right;
  return !left.is_address() && !right.is_address() && compare(comparison, left.number(), right.number());
}

}  // namespace

bool satisfies(const Outcome& outcome, const Condition& condition) {
  const auto holds = [&](const Condition& operand) { return satisfies(outcome, operand); };
  const std::vector<Condition>& operands = condition.operands;
  switch (condition.kind) {
    case Condition::Kind::All:
      return std::all_of(operands.begin(), operands.end(), holds);
    case Condition::Kind::Any:
      return std::any_of(operands.begin(), operands.end(), holds);
    case Condition::Kind::Not:
      return !holds(operands.front());
    case Condition::Kind::Compare:
      return compare_values(condition.comparison, value_of(outcome, condition.left),
                            value_of(outcome, condition.right));
  }
  return false;
}

std::string spell(const Condition& condition, const Test& test) {
  const auto term = [&](const Condition::Term& t) {
    return t.observable ? test.observables[*t.observable].name : test.program.spell(t.constant);
  };
  if (condition.kind == Condition::Kind::Compare)
    return term(condition.left) + ' ' + symbol(condition.comparison) + ' ' + term(condition.right);
  if (condition.kind == Condition::Kind::Not) return "~(" + spell(condition.operands.front(), test) + ')';
  const bool all = condition.kind == Condition::Kind::All;
  if (condition.operands.empty()) return all ? "true" : "false";
  std::string out;
  for (const Condition& operand : condition.operands) {
    const bool inner = operand.kind == Condition::Kind::All || operand.kind == Condition::Kind::Any;
    out += (out.empty() ? ""
            : all       ? " /\\ "
                        : " \\/ ") +
           (inner ? '(' + spell(operand, test) + ')' : spell(operand, test));
  }
  return out;
}

}  // namespace heddle::litmus::c
