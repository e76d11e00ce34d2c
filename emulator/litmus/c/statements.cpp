#include "emulator/litmus/c/body_parser.h"

namespace heddle::litmus::c {

using mu::Op;

BodyParser::Nested::Nested(BodyParser& parser) : parser_(parser) {
  if (++parser_.depth_ > 256) parser_.lexer_.fail("this is nested more than 256 deep");
}

void BodyParser::body() {
  lexer_.set_in_body(true);
  block();
  lexer_.set_in_body(false);
  emit(Op::End);
}

void BodyParser::block() {
  const Nested nested(*this);
  lexer_.expect("{");
  while (!lexer_.accept("}")) {
    if (lexer_.peek().kind == TokenKind::End) lexer_.fail("`}` is missing before the end of the file");
    statement();
  }
}

void BodyParser::statement() {
  const Nested nested(*this);
  if (lexer_.accept(";")) return;
  const Token token = lexer_.peek();
  if (token.is("{")) return block();
  if (token.kind != TokenKind::Name) return expression_statement();
  if (token.text == "if") return if_statement();
  if (token.text == "while") return while_statement();
  if (token.text == "do") return do_statement();
  Lexer ahead = lexer_;
  ahead.next();
  if (token.text == "trap" && ahead.peek().is("{")) return trap_statement(lexer_.next());
  if (is_type_word(token.text)) return declaration();
  const Token after = ahead.next();
  // A name before a name is a type, or should be one.
  if (after.kind == TokenKind::Name) fail_at(token.place, described(token) + " is not a known type");
  if (after.is("=")) {
    lexer_.next();
    assignment(token);
    lexer_.expect(";");
    return;
  }
  expression_statement();
}

void BodyParser::declaration() {
  while (lexer_.peek().kind == TokenKind::Name && is_type_word(lexer_.peek().text)) lexer_.next();
  do {
    while (lexer_.accept("*")) {
    }
    const Token name = lexer_.expect_name("the name of a register");
    if (scope_.parameters.count(name.text) != 0)
      fail_at(name.place, described(name) + " is a parameter; a register needs another name");
    if (lexer_.peek().is("=")) {
      assignment(name);
    } else {
      scope_.reg(name.text);
    }
  } while (lexer_.accept(","));
  lexer_.expect(";");
}

void BodyParser::assignment(const Token& name) {
  if (scope_.parameters.count(name.text) != 0)
    fail_at(name.place, described(name) + " is a location; a store to it is `*" + std::string(name.text) + " = ...`");
  lexer_.expect("=");
  expression();
  const std::uint32_t index = scope_.reg(name.text);
  emit(Op::Set, index);
  scope_.assigned.insert(index);
}

void BodyParser::expression_statement() {
  const Token first = lexer_.peek();
  Lexer ahead = lexer_;
  ahead.next();
  // A call that gives nothing may stand alone.
  if (first.kind == TokenKind::Name && ahead.peek().is("(")) {
    lexer_.next();
    if (call(first)) emit(Op::Pop);
    lexer_.expect(";");
    return;
  }
  expression();
  if (lexer_.peek().is("=") && take_back_load()) {
    lexer_.next();
    expression();
    perform(Op::Store, first).order = MemoryOrder::NotAtomic;
  } else {
    emit(Op::Pop);
  }
  lexer_.expect(";");
}

void BodyParser::condition() {
  lexer_.expect("(");
  expression();
  close();
}

void BodyParser::if_statement() {
  lexer_.next();
  condition();
  const std::uint32_t test = here();
  emit(Op::JumpIfFalse);
  statement();
  if (!lexer_.accept("else")) {
    code()[test].target = here();
    return;
  }
  const std::uint32_t jump = here();
  emit(Op::Jump);
  code()[test].target = here();
  statement();
  code()[jump].target = here();
}

void BodyParser::while_statement() {
  lexer_.next();
  const std::uint32_t begin = here();
  condition();
  const std::uint32_t test = here();
  emit(Op::JumpIfFalse);
  statement();
  emit(Op::JumpBack, scope_.code.loops++).target = begin;
  code()[test].target = here();
}

void BodyParser::do_statement() {
  lexer_.next();
  const std::uint32_t begin = here();
  statement();
  lexer_.expect("while");
  condition();
  lexer_.expect(";");
  const std::uint32_t test = here();
  emit(Op::JumpIfFalse);
  emit(Op::JumpBack, scope_.code.loops++).target = begin;
  code()[test].target = here();
}

void BodyParser::trap_statement(const Token& word) {
  if (declarations_.format != Format::Mu) fail_at(word.place, "`trap` needs a file that begins with `Mu`");
  perform(Op::TrapEnter, word);
  block();
  perform(Op::TrapLeave, word).text = "trap { ... }";
}

void parse_body(Lexer& lexer, Declarations& declarations, ThreadScope& scope) {
  BodyParser(lexer, declarations, scope).body();
}

}  // namespace heddle::litmus::c
