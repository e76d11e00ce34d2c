#pragma once

/// \file
/// Atomics that are all mutually ordered: a few in their cell, or a crowd of its shadow.

#include "emulator/race/kernel_access.h"

namespace heddle::race {

/// Answers for an atomic: true if it stands among those of one instruction that are all mutually ordered, in the place
/// of whatever the word had before a barrier of the workgroup. If not, it is not remembered.
//= vk:memory-model-atomic-operation
bool joins_crowd(Shadow& shadow, Cell& cell, const WordAccess& now);
/// Answers for a plain access to a whole word: true if a barrier of the workgroup ordered the atomics of its crowd
/// before it; then it stands in their place. If not, nothing happened.
bool leaves_crowd(Shadow& shadow, Cell& cell, const NewAccess& now);
/// Before an access that is not answered quickly: a crowd that a barrier ordered before it keeps two of its atomics,
/// or nothing.
void leave_crowd_in_full(Shadow& shadow, Cell& cell, const WordAccess& now);
/// The few that the cell has become a crowd.
void make_crowd_of_few(Shadow& shadow, Cell& cell);

}  // namespace heddle::race
