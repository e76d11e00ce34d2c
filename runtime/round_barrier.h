#pragma once

/// \file
/// A barrier of those of a workgroup who come to it.

#include <heddle/detail/runtime.h>

namespace heddle::runtime {

/// Waits until all other invocations of the workgroup wait, in this call or elsewhere, or have finished. Then those in
/// it at this place go on; of several places the one that stands first in the program. The observer is told that they
/// meet, they first, and those that have finished with them.
void round_barrier(const SourceLocation& where);

}  // namespace heddle::runtime
