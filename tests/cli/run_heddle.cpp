#include "tests/cli/run_heddle.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace heddle::cli {
namespace {

pid_t start(const std::vector<std::string>& arguments, const std::string& out, const std::string& err) {
  std::vector<std::string> all = {HEDDLE_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& argument : all) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kFlags, 0600);
  pid_t child = 0;
  const int failed = posix_spawn(&child, HEDDLE_PROGRAM, &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " HEDDLE_PROGRAM);
  return child;
}

Run finish(pid_t child, const std::string& out, const std::string& err) {
  int status = 0;
  waitpid(child, &status, 0);
  Run run;
  // A signal that ended it counts as no exit code.
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  run.out = read_all(out);
  run.err = read_all(err);
  return run;
}

}  // namespace

Run run_heddle(const std::vector<std::string>& arguments, const std::string& elsewhere) {
  const TemporaryDirectory directory;
  const std::string out = directory.path("out");
  const std::string err = directory.path("err");
  return finish(start(arguments, elsewhere.empty() ? out : elsewhere, err), out, err);
}

Run run_and_interrupt(const std::vector<std::string>& arguments, int signal) {
  const TemporaryDirectory directory;
  const std::string out = directory.path("out");
  const std::string err = directory.path("err");
  const pid_t child = start(arguments, out, err);
  for (int i = 0; i < 1000 && read_all(out).find('\n') == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, signal);
  return finish(child, out, err);
}

Run run_with_silent_pipe(const std::vector<std::string>& arguments, const std::string& pipe, int signal) {
  const TemporaryDirectory directory;
  const std::string out = directory.path("out");
  const std::string err = directory.path("err");
  const pid_t child = start(arguments, out, err);
  // Waits for a reader.
  const int writer = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
  kill(child, signal);
  Run run = finish(child, out, err);
  close(writer);
  return run;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "heddle-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(path_ / name, std::ios::binary) << bytes;
  return path(name);
}

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace heddle::cli
