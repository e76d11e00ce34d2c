#pragma once

/// \file
/// Random kernels in the shape of real ones: what a sequential memory tells of one dispatch of thousands of accesses.

#include <cstdint>

#include "emulator/trace/listener.h"

namespace heddle::race {

/// What is wrong in a kernel: one instruction that synchronizes, in all rounds of the outer loop or in one.
enum class Mistake : std::uint8_t {
  None,
  /// A control barrier that no invocation comes to.
  BarrierLeftOut,
  /// A barrier or an atomic that does not acquire, does not release, makes nothing available or nothing visible.
  OrderWeakened,
  /// Memory scope Workgroup where Device was needed, or Subgroup where Workgroup was.
  ScopeNarrowed,
  /// A storage class that the mask lacks.
  ClassMissing,
};
inline constexpr std::uint32_t kMistakes = 5;

/// What was told.
struct RandomKernel {
  Mistake mistake = Mistake::None;
  std::uint64_t accesses = 0;
};

/// Tells `listener` of one dispatch, the same for the same seed: 2 to 4 workgroups of 8 invocations, or 2 of 16, run
/// one program, an outer loop of rounds with inner loops over elements, in a random interleaving on a memory in which
/// each read takes the last write. Buffers are storage buffers, Workgroup memory and, in one kernel of four, images.
/// Rounds have two to four of these: an exchange between neighbours of a workgroup or subgroup, or one in which the
/// accesses themselves make available and visible, a broadcast, a histogram, messages around a ring of workgroups, a
/// barrier of all workgroups, a lock, a look back to the workgroup before, and work that the last workgroup does.
/// Without a mistake no two accesses race. There are at least two rounds, and as many more as it takes to come to
/// `least_accesses`. Each access is to one word of 4 bytes, and an instruction is a line of its own.
RandomKernel tell_random_kernel(std::uint64_t seed, std::uint64_t least_accesses, trace::Listener& listener);

}  // namespace heddle::race
