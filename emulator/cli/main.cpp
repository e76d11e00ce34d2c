#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"
#include "emulator/cli/lab/command.h"
#include "emulator/cli/litmus/command.h"
#include "emulator/cli/mutate/command.h"
#include "emulator/cli/races/command.h"
#include "emulator/cli/spirv/command.h"
#include "emulator/cli/step/command.h"
#include "emulator/cli/terminal.h"
#include "emulator/cli/test/command.h"
#include "emulator/cli/trace/command.h"
#include "emulator/cli/unknown_words.h"

namespace {

using heddle::cli::ExitCode;

ExitCode run(int argc, char** argv) {
  CLI::App program("heddle: SIMT kernels on memory as weak as the Vulkan memory model allows", "heddle");
  program.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  program.require_subcommand(1);
  const heddle::cli::LitmusCommand litmus(program);
  const heddle::cli::RacesCommand races(program);
  const heddle::cli::TestCommand test(program);
  const heddle::cli::MutateCommand mutate(program);
  const heddle::cli::SpirvCommand spirv(program);
  const heddle::cli::TraceCommand trace(program);
  const heddle::cli::StepCommand step(program);
  const heddle::cli::LabCommand lab(program);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  races.separate_program(arguments);
  mutate.separate_program(arguments);
  if (const std::string unknown = heddle::cli::unknown_word(program, arguments); !unknown.empty()) {
    heddle::cli::print_readable(stderr, "heddle: " + unknown + '\n');
    return ExitCode::BadInput;
  }
  // So it wants them.
  std::reverse(arguments.begin(), arguments.end());
  try {
    program.parse(arguments);
  } catch (const CLI::ParseError& error) {
    // Help and version come this way as well, with 0.
    std::ostringstream out;
    std::ostringstream problems;
    const bool fine = program.exit(error, out, problems) == 0;
    heddle::cli::print_readable(stdout, out.str());
    heddle::cli::print_readable(stderr, problems.str());
    return fine ? ExitCode::Fine : ExitCode::BadInput;
  }
  if (races.chosen()) return races.run();
  if (test.chosen()) return test.run();
  if (mutate.chosen()) return mutate.run();
  if (spirv.chosen()) return spirv.run();
  if (step.chosen()) return step.run();
  if (lab.chosen()) return lab.run();
  return trace.chosen() ? trace.run() : litmus.run();
}

ExitCode not_printed() {
  std::fprintf(stderr, "heddle: cannot write to standard output: %s\n", std::strerror(errno));
  return ExitCode::BadInput;
}

// What was printed has to be there: the disk may be full.
ExitCode printed(ExitCode code) {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? code : not_printed();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return static_cast<int>(printed(run(argc, argv)));
  } catch (const std::bad_alloc&) {
    // What is known already is worth as much as before.
    std::fflush(stdout);
    std::fputs("heddle: out of memory\n", stderr);
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return static_cast<int>(not_printed());
    heddle::cli::print_readable(stderr, std::string("heddle: internal error: ") + error.what() + '\n');
  } catch (...) {
    std::fputs("heddle: internal error\n", stderr);
  }
  return static_cast<int>(ExitCode::InternalError);
}
