#include "emulator/litmus/vulkan/assertion_parser.h"

#include "emulator/litmus/vulkan/names.h"

namespace heddle::litmus {

Assertion AssertionParser::disjunction(int depth) {
  if (depth > kDeepestNesting) {
    throw ParseError(cursor_.peek().place, fmt::format("nested more than {} deep", kDeepestNesting));
  }
  Assertion first = conjunction(depth);
  if (!cursor_.sees("\\/") && !cursor_.sees("||")) return first;
  Assertion all;
  all.kind = Assertion::Kind::Any;
  all.operands.push_back(std::move(first));
  while (cursor_.accept("\\/") || cursor_.accept("||")) all.operands.push_back(conjunction(depth));
  return all;
}

Assertion AssertionParser::conjunction(int depth) {
  Assertion first = negation(depth);
  if (!cursor_.sees("/\\") && !cursor_.sees("&&")) return first;
  Assertion all;
  all.kind = Assertion::Kind::All;
  all.operands.push_back(std::move(first));
  while (cursor_.accept("/\\") || cursor_.accept("&&")) all.operands.push_back(negation(depth));
  return all;
}

Assertion AssertionParser::negation(int depth) {
  bool negated = false;
  while (cursor_.accept("~") || cursor_.accept("not") || cursor_.accept("!")) negated = !negated;
  Assertion inner;
  if (cursor_.accept("(")) {
    inner = disjunction(depth + 1);
    cursor_.expect(")", "after a condition");
  } else {
    inner = comparison();
  }
  if (!negated) return inner;
  Assertion outer;
  outer.kind = Assertion::Kind::Not;
  outer.operands.push_back(std::move(inner));
  return outer;
}

Assertion AssertionParser::comparison() {
  Assertion out;
  out.kind = Assertion::Kind::Compare;
  out.left = term();
  out.comparison = comparison_sign();
  out.right = term();
  return out;
}

Comparison AssertionParser::comparison_sign() {
  if (cursor_.accept("=") || cursor_.accept("==")) return Comparison::Equal;
  if (cursor_.accept("!=")) return Comparison::NotEqual;
  if (cursor_.accept("<")) return Comparison::Less;
  if (cursor_.accept("<=")) return Comparison::LessEqual;
  if (cursor_.accept(">")) return Comparison::Greater;
  if (cursor_.accept(">=")) return Comparison::GreaterEqual;
  cursor_.fail("a comparison (==, !=, <, <=, >, >=)");
}

Assertion::Term AssertionParser::observe(Observable observable) {
  const auto [place, added] = by_name_.emplace(observable.name, observables_.size());
  if (added) observables_.push_back(std::move(observable));
  Assertion::Term out;
  out.observed = true;
  out.observable = place->second;
  return out;
}

Assertion::Term AssertionParser::register_of_thread(const Token& thread) {
  const auto id = thread_name(thread);
  const auto found = id ? threads_.find(*id) : threads_.end();
  if (found == threads_.end()) {
    throw ParseError(thread.place, fmt::format("there is no thread {}", shown(thread)));
  }
  cursor_.expect(":");
  if (!is_register(cursor_.peek())) cursor_.fail("a register (r0, r1, ...)");
  const Token& token = cursor_.take();
  const std::string name(token.text);
  if (!registers_[found->second].has(name))
    variables_.warnings().push_back(
        {token.place, fmt::format("register {} of thread {}{} is in no instruction: it is 0", shown(token),
                                  letter(id->first), id->second)});
  Observable observable;
  observable.kind = Observable::Kind::Register;
  observable.thread = found->second;
  observable.index = registers_[found->second].use(name);
  observable.name = fmt::format("{}{}:{}", letter(id->first), id->second, name);
  return observe(std::move(observable));
}

Assertion::Term AssertionParser::term() {
  const Token& token = cursor_.peek();
  if (cursor_.sees(":", 1)) return register_of_thread(cursor_.take());
  if (token.kind == TokenKind::Number || token.is("-")) {
    const bool negative = cursor_.accept("-");
    if (cursor_.peek().kind != TokenKind::Number) cursor_.fail("a number after '-'");
    Assertion::Term out;
    out.constant = number(cursor_.take(), negative);
    return out;
  }
  const bool bracket = cursor_.accept("[");
  if (!is_variable(cursor_.peek())) {
    cursor_.fail(bracket ? "a variable" : "a register (P0:r0), a variable or a number");
  }
  const Token& name = cursor_.take();
  if (bracket) {
    cursor_.expect("]", "after the variable");
  } else if (cursor_.accept("[")) {
    if (cursor_.peek().kind != TokenKind::Number || number(cursor_.peek()) != 0) {
      cursor_.fail("'0' (a variable has one element)");
    }
    cursor_.take();
    cursor_.expect("]", "after the index");
  }
  Observable observable;
  observable.kind = Observable::Kind::Variable;
  observable.index = variables_.use(name);
  observable.name = std::string(name.text);
  return observe(std::move(observable));
}

}  // namespace heddle::litmus
