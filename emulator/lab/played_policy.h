#pragma once

/// \file
/// The machine that is played.

#include <heddle/memory_policy.h>

namespace heddle::lab {

/// The policy of the machine that is played: it moves nothing of its own accord but what a spinning thread waits for,
/// and asks for every answer.
MemoryPolicy played_policy();

}  // namespace heddle::lab
