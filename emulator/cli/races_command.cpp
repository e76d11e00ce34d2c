#include "emulator/cli/races_command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

namespace heddle::cli {
namespace {

/// A file that is gone when it goes out of scope.
class TemporaryFile {
 public:
  TemporaryFile() {
    const int file = mkstemp(path_);
    if (file >= 0) close(file);
  }
  ~TemporaryFile() { std::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* path() const { return path_; }
  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  char path_[32] = "/tmp/heddle-races-XXXXXX";
};

/// The program's exit status; nothing if it could not be started.
int run_program(const std::vector<std::string>& program) {
  std::vector<char*> arguments;
  for (const std::string& argument : program) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "heddle: cannot run '%s': %s\n", arguments[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

RacesCommand::RacesCommand(CLI::App& program) {
  command_ = program.add_subcommand(
      "races", "Run a program and report the data races of its kernels");
  command_->add_option("--format", format_, "text, sarif, junit or github")
      ->check(CLI::IsMember({"text", "sarif", "junit", "github"}));
  command_->add_flag("--json", json_, "one JSON object a race, one line each");
  command_->add_option("--memory", memory_, "the policy of the device's memory (sequential)");
  command_->add_option("--seed", seed_, "of everything that is left to chance (1)");
  command_->add_option("--output", output_, "where the report goes (standard output)");
  command_->add_option("program", program_, "the program and its arguments")->required();
  command_->prefix_command();
  command_->positionals_at_end();
}

std::string RacesCommand::format() const {
  if (json_) return "json";
  if (format_ != "text") return format_;
  if (std::getenv("GITHUB_ACTIONS")) return "github";
  const bool colour = output_.empty() && isatty(STDOUT_FILENO) != 0 && !std::getenv("NO_COLOR");
  return colour ? "colour" : "text";
}

ExitCode RacesCommand::run() const {
  std::vector<std::string> program = program_;
  for (const std::string& more : command_->remaining()) program.push_back(more);
  const TemporaryFile report;
  setenv("HEDDLE_RACES", format().c_str(), 1);
  setenv("HEDDLE_RACES_FILE", report.path(), 1);
  if (!memory_.empty()) setenv("HEDDLE_MEMORY", memory_.c_str(), 1);
  if (!seed_.empty()) setenv("HEDDLE_SEED", seed_.c_str(), 1);
  const int status = run_program(program);
  if (status == 127) return ExitCode::BadInput;
  const std::string text = report.text();
  if (!output_.empty()) {
    std::ofstream(output_, std::ios::binary) << text;
  } else {
    std::fputs(text.c_str(), stdout);
  }
  if (!text.empty()) return ExitCode::Finding;
  if (status != 0) std::fprintf(stderr, "heddle: the program ended with %d\n", status);
  return status == 0 ? ExitCode::Fine : ExitCode::Finding;
}

}  // namespace heddle::cli
