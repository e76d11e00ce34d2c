#include "emulator/cli/input_file.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/litmus/token.h"
#include "runtime/text/readable.h"

namespace heddle::cli {

LitmusReport report_on(const std::string& file, const litmus::Question& question,
                       const std::optional<MachineOptions>& machine) {
  try {
    // One byte more than the parsers take at most.
    return report_on_text(file, read_input(file, litmus::kLongestSource + 1), question, machine);
  } catch (const InputError& error) {
    LitmusReport report;
    report.file = text::readable(file);
    report.name = text::readable(stem_of(file));
    report.bound = question.bound;
    report.error = text::readable(error.what());
    return report;
  }
}

}  // namespace heddle::cli
