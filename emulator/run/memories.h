#pragma once

/// \file
/// Memories for runs whose agents are stepped one operation at a time.

#include <heddle/choice.h>
#include <heddle/memory_policy.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "emulator/memory/memory.h"

namespace heddle::run {

/// Operations after which a write must have left its cache (MemoryPolicy::longest_wait). More than all operations of a
/// litmus test without spinning threads, so that only those ever get to it; and not many more, because executions with
/// thousands of spins are of no use to anybody.
inline constexpr std::uint32_t kLongestWait = 64;

/// Makes memories that do as the policy says, but for kLongestWait: a runner gives up waiting for what a memory holds
/// back longer.
std::function<std::unique_ptr<memory::Memory>(Choice&)> memory_of(const MemoryPolicy& policy);

}  // namespace heddle::run
