#include "emulator/cli/litmus/mu_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/cli/litmus/report.h"

namespace heddle::cli {

std::string event_name(const litmus::c::Test& test, const mu::Execution& execution, mu::EventIndex event) {
  if (event >= execution.events.size()) return "the initial value";
  const mu::Event& known = execution.events[event];
  const mu::ThreadCode& thread = test.program.threads[known.thread];
  const mu::Instruction& i = thread.code[known.instruction];
  return fmt::format("{}'s `{}` (line {})", thread.name, i.text, i.line);
}

std::string undefined_text(const MuReport& report, const litmus::c::Example& example) {
  const mu::UndefinedPair& pair = *example.pair;
  if (pair.kind == mu::Undefined::Address) {
    const auto fault = std::find(example.ends.begin(), example.ends.end(), mu::explore::ThreadEnd::Fault);
    return fmt::format(
        "{} uses a number as an address, an address as a number, or an address outside of every location.",
        report.test.program.threads[static_cast<std::size_t>(fault - example.ends.begin())].name);
  }
  const std::string first = event_name(report.test, example.execution, pair.first);
  const std::string second = event_name(report.test, example.execution, pair.second);
  return pair.kind == mu::Undefined::Mixed
             ? fmt::format("{} and {} access one location; one is atomic, the other is not.", first, second)
             : fmt::format("Neither {} nor {} happens before the other.", first, second);
}

}  // namespace heddle::cli
