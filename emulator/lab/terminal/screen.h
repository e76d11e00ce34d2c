#pragma once

/// \file
/// The terminal, taken over as a whole.

#include <stdexcept>

#include "emulator/lab/terminal/face.h"

namespace heddle::lab::terminal {

/// The terminal cannot be used; what() says why, and what to do.
class NoTerminal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Shows the face until the user leaves, and puts the terminal back as it was. Colour only where `coloured` and the
/// terminal has some. Throws NoTerminal.
void show(Face& face, bool coloured);

}  // namespace heddle::lab::terminal
