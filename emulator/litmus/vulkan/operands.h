#pragma once

/// \file
/// The operands of instructions, in either spelling.

#include "emulator/litmus/vulkan/cursor.h"
#include "emulator/litmus/vulkan/instruction_parser.h"
#include "emulator/litmus/vulkan/names.h"

namespace heddle::litmus {

class Operands {
 public:
  Operands(Cursor& cursor, CellContext context) : cursor_(cursor), context_(context) {}

  std::uint32_t destination() {
    if (!is_register(cursor_.peek())) cursor_.fail("a register (r0, r1, ...)");
    return context_.registers.use(std::string(cursor_.take().text));
  }
  std::uint32_t variable() {
    if (!is_variable(cursor_.peek())) cursor_.fail("a variable");
    return context_.variables.use(cursor_.take());
  }
  Operand value() {
    if (is_register(cursor_.peek())) {
      return {true, context_.registers.use(std::string(cursor_.take().text)), 0};
    }
    const bool negative = cursor_.accept("-");
    if (cursor_.peek().kind != TokenKind::Number) cursor_.fail("a register or a number");
    return {false, 0, number(cursor_.take(), negative)};
  }
  /// What names something by its text alone.
  std::string id(std::string_view what) {
    const Token& token = cursor_.peek();
    if (token.kind != TokenKind::Word && token.kind != TokenKind::Number) cursor_.fail(what);
    return std::string(cursor_.take().text);
  }
  Token label() {
    if (!is_label(cursor_.peek())) cursor_.fail("a label (LC00, LC01, ...)");
    return cursor_.take();
  }
  void comma() { cursor_.expect(",", "between operands"); }

 private:
  Cursor& cursor_;
  CellContext context_;
};

}  // namespace heddle::litmus
