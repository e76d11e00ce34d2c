#pragma once

/// \file
/// What becomes of the values that the loads of a test read, and which of them no access races with: what a search for
/// a verdict may leave out.

#include <span>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/model/place.h"

namespace heddle::litmus {

/// The use of the value of each instruction of a thread. What the filter names decides whether an execution counts;
/// what the assertion names is shown. Of anything but a load: Decides.
std::vector<explore::ValueUse> value_uses(const Test& test, std::uint32_t thread);

/// By location: whether all accesses to it are atomics that are mutually ordered with each other. `places` has one
/// for each thread.
std::vector<bool> mutually_ordered_locations(const Test& test, std::span<const model::Place> places);

}  // namespace heddle::litmus
