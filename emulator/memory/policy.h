#pragma once

/// \file
/// Makes the memory that a policy asks for.

#include <heddle/choice.h>
#include <heddle/memory_policy.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace heddle::memory {

class Memory;

/// The policy that memory_policy returns; null where no policy has that name.
const MemoryPolicy* find_policy(std::string_view name);

/// Clocks have room for so many slots.
inline constexpr unsigned kClockSlots = 16;

/// How many agents of a submission the memory tells apart when it decides what it may no longer hold back. Small
/// limits give more order than the model demands, and never an outcome that it forbids.
struct ClockLimits {
  /// 1 to kClockSlots: the first one is shared by agents, and by sets of their tags, that find no other one.
  unsigned slots = kClockSlots;
  /// If more agents than that access what is remembered, all share one slot from then on: the slots of the first ones
  /// would cost more than they tell.
  std::uint32_t agents = 128;
};

/// Memory that does as the policy says. The choice must outlive it.
std::unique_ptr<Memory> make_memory(const MemoryPolicy& policy, Choice& choice, ClockLimits limits = {});

}  // namespace heddle::memory
