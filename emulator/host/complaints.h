#pragma once

/// \file
/// What is wrong with an access of a kernel, as findings.

#include "emulator/host/emulator.h"

namespace heddle::emulation {

/// Whether an access is at a multiple of its alignment, a power of two.
inline bool is_aligned(const Access& access) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(access.binding->allocation->bytes) + access.operation.locations.offset_bytes;
  return (address & (access.alignment_bytes - 1)) == 0;
}

/// Raises what is wrong with the access, if anything is: its memory was freed, it is out of bounds, or misaligned.
void complain(const Agent& agent, const Access& access);

/// Raises that the access reads what was never written. Where races are looked for, and another invocation may write
/// it, the dispatch goes on: the finding is raised when it ends.
void complain_of_missing(const Agent& agent, const Access& access);

/// Raises that all invocations that can go on read the same again and again.
[[noreturn]] void complain_of_standstill(Emulator& emulator, const Agent& agent, const Access& access);

}  // namespace heddle::emulation
