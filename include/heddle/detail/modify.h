#pragma once

/// \file
/// How an atomic changes its bytes.

namespace heddle::emulation {

/// Makes the new bytes of an atomic from the old ones; false if nothing is to be written.
using Modify = bool (*)(void* context, const void* old, void* fresh);

}  // namespace heddle::emulation
