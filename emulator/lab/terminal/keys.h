#pragma once

/// \file
/// The keys that faces know, whatever the terminal sends for them.

namespace heddle::lab::terminal {

/// A printable character is itself.
enum Key : int {
  kKeyNone = 0,
  kKeyInterrupt = 3,
  kKeyTab = 9,
  kKeyEnter = 10,
  kKeyEscape = 27,
  kKeyBackspace = 127,
  kKeyUp = 1000,
  kKeyDown,
  kKeyLeft,
  kKeyRight,
  kKeyPageUp,
  kKeyPageDown,
  kKeyHome,
  kKeyEnd,
  kKeyResize,
};

}  // namespace heddle::lab::terminal
