#include <array>

#include "emulator/litmus/c/body_parser.h"

namespace heddle::litmus::c {

using mu::Binary;
using mu::Op;
using mu::Unary;

namespace {

struct Operator {
  std::string_view mark;
  int level;
  Binary binary;
};

/// By how tightly they bind: 1 and 2 are `||` and `&&`.
constexpr std::array<Operator, 16> kOperators{{{"|", 3, Binary::Or},
                                               {"^", 4, Binary::Xor},
                                               {"&", 5, Binary::And},
                                               {"==", 6, Binary::Equal},
                                               {"!=", 6, Binary::NotEqual},
                                               {"<", 7, Binary::Less},
                                               {"<=", 7, Binary::LessEqual},
                                               {">", 7, Binary::Greater},
                                               {">=", 7, Binary::GreaterEqual},
                                               {"<<", 8, Binary::ShiftLeft},
                                               {">>", 8, Binary::ShiftRight},
                                               {"+", 9, Binary::Add},
                                               {"-", 9, Binary::Subtract},
                                               {"*", 10, Binary::Multiply},
                                               {"/", 10, Binary::Divide},
                                               {"%", 10, Binary::Remainder}}};
constexpr int kTightest = 10;

std::optional<Binary> operator_of(const Token& token, int level) {
  for (const Operator& known : kOperators)
    if (known.level == level && token.is(known.mark)) return known.binary;
  return std::nullopt;
}

}  // namespace

mu::Instruction& BodyParser::emit(Op op, std::uint32_t index) {
  mu::Instruction instruction;
  instruction.op = op;
  instruction.index = index;
  code().push_back(std::move(instruction));
  return code().back();
}

mu::Instruction& BodyParser::perform(Op op, const Token& first) {
  mu::Instruction& instruction = emit(op);
  instruction.line = first.place.line;
  instruction.column = first.place.column;
  instruction.text = lexer_.text_from(first);
  return instruction;
}

void BodyParser::push(Value value) {
  emit(Op::Push).value = value;
}

std::uint32_t BodyParser::keep() {
  const std::uint32_t index = scope_.nameless();
  emit(Op::Set, index);
  return index;
}

bool BodyParser::take_back_load() {
  if (code().empty() || code().back().op != Op::Load || is_atomic(code().back().order)) return false;
  code().pop_back();
  return true;
}

void BodyParser::expression() {
  const Nested nested(*this);
  binary(1);
  if (!lexer_.accept("?")) return;
  const std::uint32_t branch = here();
  emit(Op::SelectBranch);
  expression();
  const std::uint32_t jump = here();
  emit(Op::Jump);
  code()[branch].target = here();
  lexer_.expect(":");
  expression();
  code()[jump].target = here();
  emit(Op::SelectEnd);
}

void BodyParser::binary(int level) {
  if (level > kTightest) return unary();
  binary(level + 1);
  for (;;) {
    const Token token = lexer_.peek();
    if ((level == 1 && token.is("||")) || (level == 2 && token.is("&&"))) {
      lexer_.next();
      const std::uint32_t branch = here();
      emit(level == 1 ? Op::Or : Op::And);
      binary(level + 1);
      emit(Op::LogicalEnd);
      code()[branch].target = here();
      continue;
    }
    const auto known = operator_of(token, level);
    if (!known) return;
    lexer_.next();
    binary(level + 1);
    emit(Op::Binary).binary = *known;
  }
}

void BodyParser::unary() {
  const Nested nested(*this);
  const Token token = lexer_.peek();
  if (token.is("!") || token.is("~") || token.is("-")) {
    lexer_.next();
    unary();
    emit(Op::Unary).unary = token.is("!") ? Unary::Not : token.is("~") ? Unary::Complement : Unary::Negate;
    return;
  }
  if (lexer_.accept("+")) return unary();
  if (token.is("*")) {
    lexer_.next();
    unary();
    perform(Op::Load, token).order = MemoryOrder::NotAtomic;
    return;
  }
  if (token.is("&")) return address_of();
  if (token.is("(")) {
    Lexer ahead = lexer_;
    ahead.next();
    if (ahead.peek().kind == TokenKind::Name && is_type_word(ahead.peek().text)) {
      while (lexer_.next().text != ")")
        if (const Token word = lexer_.peek(); !word.is("*") && !word.is(")") && !is_type_word(word.text))
          fail_at(word.place, described(word) + " is not a known type");
      return unary();
    }
  }
  postfix();
}

void BodyParser::address_of() {
  const Token mark = lexer_.next();
  const Token operand = lexer_.peek();
  unary();
  if (take_back_load()) return;
  const mu::Instruction& last = code().back();
  if (last.op != Op::Push || !last.value.is_address())
    fail_at(mark.place, "only a location has an address; " + described(operand) + " is none");
}

void BodyParser::postfix() {
  const Token first = lexer_.peek();
  primary();
  while (lexer_.accept("[")) {
    expression();
    lexer_.expect("]");
    emit(Op::Binary).binary = Binary::Add;
    perform(Op::Load, first).order = MemoryOrder::NotAtomic;
  }
}

void BodyParser::primary() {
  const Token token = lexer_.next();
  if (token.kind == TokenKind::Number) return push(Value::number(number_of(token)));
  if (token.is("(")) {
    expression();
    return close();
  }
  if (token.kind != TokenKind::Name) fail_at(token.place, described(token) + " does not begin an expression");
  if (lexer_.peek().is("(")) {
    if (!call(token)) fail_at(token.place, "`" + std::string(token.text) + "` gives no value");
    return;
  }
  name(token);
}

void BodyParser::name(const Token& token) {
  if (scope_.parameters.count(token.text) != 0) return push(Value::address(declarations_.array(token.text), 0));
  const auto known = scope_.registers.find(token.text);
  if (known == scope_.registers.end())
    fail_at(token.place, described(token) + " is neither a parameter nor a register that has a value");
  if (scope_.assigned.count(known->second) == 0)
    fail_at(token.place, "the register " + described(token) + " is read before it has a value");
  get(known->second);
}

}  // namespace heddle::litmus::c
