#pragma once

/// \file
/// Answers for plain accesses to cells that have their accesses themselves: one or two, a write and two reads, the
/// parts of a word. Each returns whether the access is in order with all that the cell has, and stands in the cell;
/// if not, nothing happened.

#include "emulator/race/kernel_access.h"

namespace heddle::race {

/// Answers for an access to a whole word.
bool fits_at_once(Cell& cell, const NewAccess& now);
/// Answers for an access to a whole word, which may be atomic, as long as accesses are remembered one by one: of two.
bool stands_beside(Cell& cell, const NewAccess& now);
/// Answers for an access to a part of a word, where neighbours access neighbouring parts with one instruction.
bool joins_parts(Cell& cell, const WordAccess& now);

}  // namespace heddle::race
