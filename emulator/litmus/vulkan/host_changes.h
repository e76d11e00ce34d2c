#pragma once

/// \file
/// Changes of the calls and commands of a host test that mend a race, each tried on the whole test.

#include <string>
#include <vector>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

struct HostChange {
  std::string text;
  Test changed;
};

/// The changes that leave the test without a race between these two accesses, in any execution: what the first missing
/// link names is added, a bit, a barrier, a flush, an invalidation or a wait. Best first: those without any race.
std::vector<HostChange> host_changes(const Test& test, const Question& question, const RaceExample& race);

}  // namespace heddle::litmus
