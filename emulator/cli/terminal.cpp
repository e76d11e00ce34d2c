#include "emulator/cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/text/readable.h"

namespace heddle::cli {

bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

bool wants_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* const terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return is_terminal(STDOUT_FILENO);
}

void print_readable(std::FILE* to, std::string_view lines) {
  std::fputs(text::readable_lines(lines).c_str(), to);
}

std::string Painter::operator()(Colour colour, std::string_view text) const {
  if (!coloured_ || colour == Colour::Plain) return std::string(text);
  const char* code = "";
  switch (colour) {
    case Colour::Plain:
      break;
    case Colour::Bold:
      code = "1";
      break;
    case Colour::Dim:
      code = "2";
      break;
    case Colour::Red:
      code = "31";
      break;
    case Colour::Green:
      code = "32";
      break;
    case Colour::Yellow:
      code = "33";
      break;
    case Colour::Cyan:
      code = "36";
      break;
  }
  return "\x1b[" + std::string(code) + 'm' + std::string(text) + "\x1b[0m";
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace heddle::cli
