#include "emulator/litmus/diagnostic.h"

namespace heddle::litmus {

std::string describe(std::string_view file, const Diagnostic& diagnostic) {
  return std::string(file) + ':' + std::to_string(diagnostic.place.line) + ':' +
         std::to_string(diagnostic.place.column) + ": " + diagnostic.message;
}

}  // namespace heddle::litmus
