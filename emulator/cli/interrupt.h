#pragma once

/// \file
/// Ctrl-C.

#include <atomic>

namespace heddle::cli {

/// From now on Ctrl-C (SIGINT) and SIGTERM make `interrupted()` true; a second one ends the program
/// at once, as without this call.
void watch_for_interrupt();

/// Lock-free, and set by a signal handler.
const std::atomic<bool>& interrupted();

/// A descriptor that can be read, for ever, from when `interrupted()` becomes true; -1 before `watch_for_interrupt`.
/// Nobody reads it: who waits for something else polls it as well.
int interrupt_descriptor();

}  // namespace heddle::cli
