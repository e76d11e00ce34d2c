#pragma once

/// \file
/// Streams of nonsense that are well-formed: what a trace has to get across.

#include <cstdint>

#include "emulator/trace/listener.h"

namespace heddle::trace {

/// Tells `operations` operations and what goes with them; the same for the same seed.
void tell_random_stream(std::uint64_t seed, std::uint32_t operations, Listener& listener);

}  // namespace heddle::trace
