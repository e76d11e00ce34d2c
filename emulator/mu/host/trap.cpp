#include "emulator/mu/host/trap.h"

#include <fmt/format.h>

#include "runtime/code_place.h"

namespace heddle::mu::host {

Finding finding_of_trap(FindingKind kind, const void* instruction, std::size_t stack_bytes, std::string_view remedy) {
  Finding out;
  out.kind = kind;
  out.invocation.exact = false;
  out.message = kind == FindingKind::StackOverflow
                    ? fmt::format("the host thread needs more than its {} KiB of stack; {}", stack_bytes / 1024, remedy)
                    : "an integer was divided by zero, or the least integer by -1";
  if (const auto place = runtime::place_of_code(instruction)) {
    out.where = *place;
  } else {
    out.message += "; its line is known of programs with debug information, -g";
  }
  return out;
}

}  // namespace heddle::mu::host
