#pragma once

/// \file
/// One instruction in the second spelling: `r0 = atomicLoad(x, Acquire, Device, UniformMemory | MakeVisible)`.

#include "emulator/litmus/vulkan/instruction_parser.h"

namespace heddle::litmus {

/// Whether the instruction at which the cursor stands is spelled as a call.
bool is_call(const Cursor& cursor);

/// As parse_instruction, for an instruction that is spelled as a call.
Instruction parse_call(Cursor& cursor, CellContext context, Token& label);

}  // namespace heddle::litmus
