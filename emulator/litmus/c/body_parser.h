#pragma once

/// \file
/// Compiles the statements of a thread.

#include <optional>
#include <string>
#include <vector>

#include "emulator/litmus/c/scope.h"

namespace heddle::litmus::c {

class BodyParser {
 public:
  BodyParser(Lexer& lexer, Declarations& declarations, ThreadScope& scope)
      : lexer_(lexer), declarations_(declarations), scope_(scope) {}
  void body();

 private:
  using Code = std::vector<mu::Instruction>;
  /// Counts how deep parentheses and blocks are nested.
  class Nested {
   public:
    explicit Nested(BodyParser& parser);
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    BodyParser& parser_;
  };

  void block();
  void statement();
  void declaration();
  void assignment(const Token& name);
  void expression_statement();
  void if_statement();
  void while_statement();
  void do_statement();
  void trap_statement(const Token& word);
  void condition();

  void expression();
  void binary(int level);
  void unary();
  void address_of();
  void postfix();
  void primary();
  void name(const Token& token);
  /// Whether the call gives a value.
  bool call(const Token& name);

  // The operations, each behind its `(` and up to its `)`.
  bool load(const Token& name, bool ordered);
  bool store(const Token& name, bool ordered);
  bool exchange(const Token& name, bool ordered);
  bool fetch(const Token& name, std::string_view operation, bool ordered);
  bool compare_exchange(const Token& name, bool weak, bool ordered);
  bool value_compare_exchange(const Token& name);
  bool fence(const Token& name);
  bool pass(mu::Op op);
  bool new_thread(const Token& name);
  bool futex(const Token& name);
  bool stack(const Token& name);
  bool define(const Token& name);
  bool call_function(const Token& name);

  MemoryOrder order(Ordered operation);
  /// Without an order SEQ_CST.
  MemoryOrder order(Ordered operation, bool ordered);
  void comma() { lexer_.expect(","); }
  void close() { lexer_.expect(")"); }
  std::uint32_t here() const { return static_cast<std::uint32_t>(code().size()); }
  Code& code() const { return scope_.code.code; }
  mu::Instruction& emit(mu::Op op, std::uint32_t index = 0);
  /// An operation, with its place and its text.
  mu::Instruction& perform(mu::Op op, const Token& first);
  void push(Value value);
  std::uint32_t keep();  ///< pops into a nameless register
  void get(std::uint32_t index) { emit(mu::Op::Get, index); }
  /// Whether what was compiled last is a plain load, which then is taken back: its address stays.
  bool take_back_load();

  Lexer& lexer_;
  Declarations& declarations_;
  ThreadScope& scope_;
  int depth_ = 0;
};

}  // namespace heddle::litmus::c
