#include "emulator/cli/litmus/spelled.h"

#include <cstdio>

#include "emulator/cli/input_file.h"
#include "emulator/cli/terminal.h"
#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

/// Whether it is a test; what is wrong with it goes to standard error.
bool print_one(const std::string& file, litmus::Spelling wanted, const Texts& texts) {
  try {
    const auto changed = texts.find(file);
    const std::string source = changed == texts.end() ? read_input(file, litmus::kLongestSource + 1) : changed->second;
    const litmus::VulkanParse parse = litmus::parse_vulkan(source);
    if (!parse.test) throw InputError(litmus::describe(file, parse.errors.front()));
    const std::string why_not = why_not_spelled(*parse.test, wanted);
    if (!why_not.empty()) throw InputError(file + ": " + why_not);
    print_readable(stdout, spelling_of(*parse.test) == wanted ? source : spell(*parse.test, wanted));
    return true;
  } catch (const InputError& error) {
    print_readable(stderr, std::string(error.what()) + '\n');
    return false;
  }
}

}  // namespace

ExitCode print_spelled(const std::vector<std::string>& files, const std::string& spelling, const Texts& texts) {
  const litmus::Spelling wanted = spelling == "calls" ? litmus::Spelling::Calls : litmus::Spelling::Tags;
  ExitCode code = ExitCode::Fine;
  for (const std::string& file : files)
    if (!print_one(file, wanted, texts)) code = ExitCode::BadInput;
  return code;
}

}  // namespace heddle::cli
