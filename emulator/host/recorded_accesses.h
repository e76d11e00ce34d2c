#pragma once

/// \file
/// Accesses with records, as whoever has no quicker way has them done.

#include <heddle/detail/emulation.h>

namespace heddle::emulation {

/// One door for all emulators: an access is done by the emulator of its agent.
RecordedAccesses& recorded_accesses();

}  // namespace heddle::emulation
