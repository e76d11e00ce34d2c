#pragma once

/// \file
/// Changes of a litmus test with which what it asks about does not come.

#include <cstdint>
#include <vector>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/changes.h"

namespace heddle::litmus {

/// Looks for changes that order two accesses of a test which race in an execution that ends as the assertion asks
/// (`is_asked`), and with which no execution ends so, while some still do otherwise, and none waits for ever if none
/// did. A race that is left is in TestChange::other_race. Best first: those that leave no race, and then those that
/// change least. None where nothing is asked, where no such execution has a race, and where no change was found.
/// `answer` is the answer to this question. Looks at no more than `most_graphs` graphs of the explorer.
std::vector<TestChange> changes_that_forbid(const Test& test, const Question& question, const Answer& answer,
                                            std::uint64_t most_graphs = 100000);

}  // namespace heddle::litmus
