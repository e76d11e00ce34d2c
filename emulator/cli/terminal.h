#pragma once

/// \file
/// What people see: colour on a terminal, nothing for pipes, and nowhere what a terminal would obey.

#include <cstdio>
#include <string>
#include <string_view>

namespace heddle::cli {

enum class Colour { Plain, Bold, Dim, Red, Green, Yellow, Cyan };

/// Whether a file descriptor is a terminal.
bool is_terminal(int descriptor);

/// Whether standard output takes colour: it is a terminal, TERM is not "dumb" and NO_COLOR is
/// empty.
bool wants_colour();

/// Prints lines that have names, paths or arguments in them, as readable text (runtime/text/readable.h).
void print_readable(std::FILE* to, std::string_view lines);

/// Paints text, or leaves it as it is.
class Painter {
 public:
  explicit Painter(bool coloured) : coloured_(coloured) {}
  std::string operator()(Colour colour, std::string_view text) const;
  bool colours() const { return coloured_; }

 private:
  bool coloured_;
};

/// Columns that a UTF-8 text takes: its characters, each counted as one.
std::size_t width(std::string_view text);

}  // namespace heddle::cli
