#include "emulator/litmus/c/condition_parser.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace heddle::litmus::c {

ConditionParser::ConditionParser(Lexer& lexer, Test& test) : lexer_(lexer), test_(test) {
  const mu::Program& program = test.program;
  for (std::size_t i = 0; i < program.arrays.size(); ++i) arrays_.emplace(program.arrays[i].name, i);
  for (const mu::ThreadCode& thread : program.threads) {
    auto& registers = registers_.emplace_back();
    for (std::uint32_t i = 0; i < thread.registers.size(); ++i) registers.emplace(thread.registers[i], i);
  }
}

void ConditionParser::parse() {
  while (lexer_.peek().kind != TokenKind::End) part();
  sort_observables();
}

void ConditionParser::part() {
  const Token word = lexer_.next();
  if (word.is(";")) return;
  if (word.is("locations")) return skip_locations();
  if (word.is("filter")) {
    if (test_.filter) fail_at(word.place, "there are two filters");
    test_.filter = any();
    return;
  }
  Quantifier quantifier = Quantifier::None;
  if (word.is("exists")) quantifier = Quantifier::Exists;
  if (word.is("forall")) quantifier = Quantifier::ForAll;
  if ((word.is("~") || word.is("not")) && lexer_.accept("exists")) quantifier = Quantifier::NotExists;
  if (quantifier == Quantifier::None)
    fail_at(word.place,
            described(word) + " is neither a thread nor `locations`, `filter`, `exists`, `~exists` or `forall`");
  if (test_.assertion) fail_at(word.place, "there are two assertions");
  test_.quantifier = quantifier;
  test_.assertion = any();
}

void ConditionParser::skip_locations() {
  lexer_.expect("[");
  for (int depth = 1; depth > 0;) {
    const Token token = lexer_.next();
    if (token.kind == TokenKind::End) fail_at(token.place, "`]` is missing before the end of the file");
    if (token.is("[")) ++depth;
    if (token.is("]")) --depth;
  }
}

Condition ConditionParser::any() {
  Condition first = all();
  if (!lexer_.peek().is("\\/") && !lexer_.peek().is("||")) return first;
  Condition out;
  out.kind = Condition::Kind::Any;
  out.operands.push_back(std::move(first));
  while (lexer_.accept("\\/") || lexer_.accept("||")) out.operands.push_back(all());
  return out;
}

Condition ConditionParser::all() {
  Condition first = negation();
  if (!lexer_.peek().is("/\\") && !lexer_.peek().is("&&")) return first;
  Condition out;
  out.operands.push_back(std::move(first));
  while (lexer_.accept("/\\") || lexer_.accept("&&")) out.operands.push_back(negation());
  return out;
}

Condition ConditionParser::negation() {
  if (depth_ > 256) lexer_.fail("this is nested more than 256 deep");
  ++depth_;
  Condition out;
  if (lexer_.accept("~") || lexer_.accept("not") || lexer_.accept("!")) {
    out.kind = Condition::Kind::Not;
    out.operands.push_back(negation());
  } else if (lexer_.accept("(")) {
    out = any();
    lexer_.expect(")");
  } else if (lexer_.accept("false")) {
    out.kind = Condition::Kind::Any;
  } else if (!lexer_.accept("true")) {
    out = compare();
  }
  --depth_;
  return out;
}

Condition ConditionParser::compare() {
  static constexpr std::array<std::pair<std::string_view, Comparison>, 7> kKnown{{{"=", Comparison::Equal},
                                                                                  {"==", Comparison::Equal},
                                                                                  {"!=", Comparison::NotEqual},
                                                                                  {"<", Comparison::Less},
                                                                                  {"<=", Comparison::LessEqual},
                                                                                  {">", Comparison::Greater},
                                                                                  {">=", Comparison::GreaterEqual}}};
  Condition out;
  out.kind = Condition::Kind::Compare;
  out.left = term();
  const Token mark = lexer_.next();
  const auto* const found =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const auto& known) { return mark.is(known.first); });
  if (found == kKnown.end()) fail_at(mark.place, described(mark) + " is not a comparison");
  out.comparison = found->second;
  out.right = term();
  return out;
}

Condition::Term ConditionParser::term() {
  const bool negative = lexer_.accept("-");
  const Token token = lexer_.next();
  if (token.kind == TokenKind::Number) {
    if (!negative && lexer_.accept(":")) return register_of('P' + std::string(token.text), token);
    const std::int64_t n = number_of(token);
    return {{}, Value::number(negative ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(n)) : n)};
  }
  if (negative) fail_at(token.place, described(token) + " is not a number");
  if (token.is("[")) {
    const Condition::Term out = variable(lexer_.expect_name("the name of a location"));
    lexer_.expect("]");
    return out;
  }
  if (token.is("&")) {
    const Token name = lexer_.expect_name("the name of a location");
    const LocationIndex at = location(name);
    const std::size_t array = arrays_.at(name.text);
    return {{}, Value::address(static_cast<std::int32_t>(array), at - test_.program.arrays[array].first)};
  }
  if (token.kind != TokenKind::Name) fail_at(token.place, described(token) + " is not a value");
  if (lexer_.accept(":")) return register_of(std::string(token.text), token);
  return variable(token);
}

Condition::Term ConditionParser::register_of(const std::string& thread, const Token& where) {
  const Token name = lexer_.expect_name("the name of a register");
  auto& threads = test_.program.threads;
  const auto owner =
      std::find_if(threads.begin(), threads.end(), [&](const mu::ThreadCode& t) { return t.name == thread; });
  if (owner == threads.end()) fail_at(where.place, "there is no thread `" + thread + '`');
  Observable out;
  out.kind = Observable::Kind::Register;
  out.thread = static_cast<std::uint32_t>(owner - threads.begin());
  out.name = thread + ':' + std::string(name.text);
  auto& registers = registers_[out.thread];
  // Its thread never assigns a register that is not known: it keeps its initial value.
  const auto [reg, fresh] = registers.emplace(name.text, owner->register_count);
  if (fresh) {
    ++owner->register_count;
    owner->initial.push_back(Value::number(0));
  }
  out.index = reg->second;
  return observe(std::move(out));
}

ConditionParser::LocationIndex ConditionParser::location(const Token& name) {
  const auto known = arrays_.find(name.text);
  if (known == arrays_.end()) fail_at(name.place, "there is no location " + described(name));
  const mu::Array& array = test_.program.arrays[known->second];
  if (!lexer_.accept("[")) return array.first;
  const Token cell = lexer_.next();
  const std::int64_t n = number_of(cell);
  if (n < 0 || n >= array.cells)
    fail_at(cell.place, "`" + array.name + "` has " + std::to_string(array.cells) + " cells");
  lexer_.expect("]");
  return array.first + static_cast<LocationIndex>(n);
}

Condition::Term ConditionParser::variable(const Token& name) {
  Observable out;
  out.index = location(name);
  out.name = test_.program.location_name(out.index);
  return observe(std::move(out));
}

Condition::Term ConditionParser::observe(Observable observable) {
  const auto [known, fresh] = observed_.emplace(observable.name, test_.observables.size());
  if (fresh) test_.observables.push_back(std::move(observable));
  return {known->second, {}};
}

namespace {

void renumber(Condition& condition, const std::vector<std::size_t>& places) {
  for (Condition& operand : condition.operands) renumber(operand, places);
  for (Condition::Term* term : {&condition.left, &condition.right})
    if (term->observable) term->observable = places[*term->observable];
}

}  // namespace

void ConditionParser::sort_observables() {
  std::vector<std::size_t> order(test_.observables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return test_.observables[a].name < test_.observables[b].name; });
  std::vector<std::size_t> places(order.size());
  std::vector<Observable> sorted;
  for (const std::size_t from : order) {
    places[from] = sorted.size();
    sorted.push_back(test_.observables[from]);
  }
  test_.observables = std::move(sorted);
  if (test_.filter) renumber(*test_.filter, places);
  if (test_.assertion) renumber(*test_.assertion, places);
}

}  // namespace heddle::litmus::c
