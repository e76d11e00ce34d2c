#include "emulator/litmus/diagnostic.h"

#include "runtime/text/readable.h"

namespace heddle::litmus {

std::string describe(std::string_view file, const Diagnostic& diagnostic) {
  return text::readable(file) + ':' + std::to_string(diagnostic.place.line) + ':' +
         std::to_string(diagnostic.place.column) + ": " + text::readable_lines(diagnostic.message);
}

}  // namespace heddle::litmus
