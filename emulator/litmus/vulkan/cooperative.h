#pragma once

/// \file
/// Cooperative matrix accesses: one thread performs them for all, and it is not known which.

#include <vector>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// By thread and instruction: whether the thread executes it. Without an entry for a thread it executes
/// all.
using Performers = std::vector<std::vector<bool>>;

/// All choices of who performs the cooperative accesses of a test; one, of everything, if it has none.
//= vk:memory-model-cooperative-matrix
std::vector<Performers> choices_of_performers(const Test& test);

/// Throws ParseError for a cooperative access in a loop, where it would have several dynamic instances of
/// one name, for a thread that has a name twice, and for more choices than anybody would wait for.
void check_cooperative(const Test& test);

}  // namespace heddle::litmus
