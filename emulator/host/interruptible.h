#pragma once

/// \file
/// Ctrl-C in a program that searches: the search ends, and says what it found until then.

#include <array>
#include <csignal>

namespace heddle::detail {

/// While one lives the first Ctrl-C (SIGINT) or SIGTERM asks to stop; the second one ends the program at once. Of
/// several the first has the signals.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// The signal that asked to stop; 0 for none.
  static int signal();
  /// Raises that signal, with the action that it has now. Where that ends the program, the program's last words are
  /// said first (runtime/last_words.h).
  static void raise_again(int signal);

 private:
  struct Handler {
    int signal;
    struct sigaction before;
  };
  const bool has_signals_;
  std::array<Handler, 2> handlers_{{{SIGINT, {}}, {SIGTERM, {}}}};
};

}  // namespace heddle::detail
