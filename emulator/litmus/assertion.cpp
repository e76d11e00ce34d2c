#include "emulator/litmus/assertion.h"

#include <algorithm>

namespace heddle::litmus {
namespace {

Integer value(std::span<const Integer> outcome, const Assertion::Term& term) {
  return term.observed ? outcome[term.observable] : term.constant;
}

std::string spell(const Assertion::Term& term, std::span<const Observable> observables) {
  return term.observed ? observables[term.observable].name : std::to_string(term.constant);
}

bool needs_parentheses(const Assertion& operand, Assertion::Kind around) {
  if (around == Assertion::Kind::Not) return true;
  return operand.kind == Assertion::Kind::Any ||
         (operand.kind == Assertion::Kind::All && around == Assertion::Kind::All);
}

}  // namespace

bool satisfies(std::span<const Integer> outcome, const Assertion& assertion) {
  const auto holds_here = [&](const Assertion& operand) { return satisfies(outcome, operand); };
  switch (assertion.kind) {
    case Assertion::Kind::All:
      return std::all_of(assertion.operands.begin(), assertion.operands.end(), holds_here);
    case Assertion::Kind::Any:
      return std::any_of(assertion.operands.begin(), assertion.operands.end(), holds_here);
    case Assertion::Kind::Not:
      return !holds_here(assertion.operands.front());
    case Assertion::Kind::Compare:
      return compare(assertion.comparison, value(outcome, assertion.left), value(outcome, assertion.right));
  }
  return false;
}

std::string spell(const Assertion& assertion, std::span<const Observable> observables) {
  if (assertion.kind == Assertion::Kind::Compare) {
    return spell(assertion.left, observables) + ' ' + symbol(assertion.comparison) + ' ' +
           spell(assertion.right, observables);
  }
  std::string out;
  for (const Assertion& operand : assertion.operands) {
    if (!out.empty()) out += assertion.kind == Assertion::Kind::All ? " /\\ " : " \\/ ";
    if (assertion.kind == Assertion::Kind::Not) out += '~';
    const std::string inner = spell(operand, observables);
    out += needs_parentheses(operand, assertion.kind) ? '(' + inner + ')' : inner;
  }
  return out;
}

const char* spell(Quantifier quantifier) {
  switch (quantifier) {
    case Quantifier::None:
      return "";
    case Quantifier::Exists:
      return "exists";
    case Quantifier::NotExists:
      return "~exists";
    case Quantifier::ForAll:
      return "forall";
  }
  return "";
}

bool holds(Quantifier quantifier, std::size_t satisfied, std::size_t outcomes) {
  switch (quantifier) {
    case Quantifier::None:
      return true;
    case Quantifier::Exists:
      return satisfied > 0;
    case Quantifier::NotExists:
      return satisfied == 0;
    case Quantifier::ForAll:
      return satisfied == outcomes;
  }
  return true;
}

}  // namespace heddle::litmus
