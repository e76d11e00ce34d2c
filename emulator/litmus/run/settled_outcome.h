#pragma once

/// \file
/// The final values that a run leads to.

#include "emulator/litmus/vulkan/program.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/run/runner.h"

namespace heddle::litmus {

/// The final values of a runner's last run; of variables those that memory settled on. Into
/// `outcome`, whose room is used again.
void settled_outcome(const TestProgram& program, const run::Runner& runner, Outcome& outcome);

}  // namespace heddle::litmus
