#pragma once

/// \file
/// One cell of a litmus test.

#include <string>
#include <string_view>

#include "emulator/litmus/vulkan/cursor.h"
#include "emulator/litmus/vulkan/symbols.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// What a cell means depends on: the test's variables and its thread's registers.
struct CellContext {
  Variables& variables;
  Registers& registers;
};

/// Takes one instruction other than a label; the cursor stands at its first word. A branch has no
/// target yet: its label is returned in `label`. Throws ParseError.
Instruction parse_instruction(Cursor& cursor, CellContext context, Token& label);

/// A cell as it is shown: blanks reduced to single spaces.
std::string text_of_cell(std::string_view text);

}  // namespace heddle::litmus
