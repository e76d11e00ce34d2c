#pragma once

/// \file
/// Which of two racing accesses a program comes to first.

#include "emulator/advice/history.h"

namespace heddle::advice {

/// Whether the second access of the history stands before the first one in the program: the invocation of the first one
/// had been at the second one's line before; or none had been at the other one's, and the source has the second one's
/// line above the first one's, in one function. False where the invocation of the second one had been at the first
/// one's line before: then the program comes to them in the order of the history.
bool second_stands_first(const History& history);

}  // namespace heddle::advice
