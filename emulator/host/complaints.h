#pragma once

/// \file
/// What is wrong with an access of a kernel, as findings.

#include "emulator/host/emulator.h"
#include "emulator/run/access_faults.h"

namespace heddle::emulation {

/// Whether an access is at a multiple of its alignment, a power of two.
inline bool is_aligned(const Access& access) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(access.binding->allocation->bytes) + access.operation.locations.offset_bytes;
  return (address & (access.alignment_bytes - 1)) == 0;
}

/// The access, as far as the checks look at it.
[[gnu::always_inline]] inline run::CheckedAccess checked(const Access& access) {
  const Binding& binding = *access.binding;
  return {binding.allocation->freed, is_aligned(access), access.offset_bytes(), access.size_bytes(),
          binding.size_bytes};
}

/// Raises what is wrong with the access, if anything is: its memory was freed, it is out of bounds, or misaligned.
void complain(const Agent& agent, const Access& access);

/// Raises that the access reads what was never written. Where races are looked for, and another invocation may write
/// it, the dispatch goes on: the finding is raised when it ends.
void complain_of_missing(const Agent& agent, const Access& access);

/// Raises that the access read bytes as they were before anybody wrote them, though somebody has written them since:
/// `missing` is the first one.
void complain_of_stale(const Agent& agent, const Access& access, std::uint64_t missing);

/// "element 3 of StorageBuffer 'x'".
std::string object_of(const Access& access);
/// That `decided` depends on an undefined value. `origin` says where that comes from; `access` is null where there is
/// none.
Finding undefined_finding(const Agent& agent, const Access* access, const std::string& decided,
                          const std::string& origin, const SourceLocation& where);
[[noreturn]] void complain_of_undefined(const Agent& agent, const Access* access, const std::string& decided,
                                        const std::string& origin, const SourceLocation& where);

/// Raises that all invocations that can go on read the same again and again.
[[noreturn]] void complain_of_standstill(Emulator& emulator, const Agent& agent, const Access& access);

}  // namespace heddle::emulation
