#pragma once

/// \file
/// The outcomes that the end of a game may have.

#include <vector>

#include "emulator/lab/world.h"

namespace heddle::lab {

/// The outcomes of a game that has come to its end: the one that memory settled on, and then, in ascending order, those
/// that the judge allows beside it. Where two writes of a variable are not ordered, either may be the last one.
std::vector<Outcome> final_outcomes(const World& world);

/// What the judge says of everything that has happened in a world.
bool is_consistent(const World& world);

}  // namespace heddle::lab
