#pragma once

/// \file
/// The door of accesses that have a record each, for all that have no quicker way.

#include <heddle/detail/emulation.h>

namespace heddle::emulation {

/// One door for all emulators: an access is done by the emulator of its agent.
RecordedAccesses& recorded_accesses();

}  // namespace heddle::emulation
