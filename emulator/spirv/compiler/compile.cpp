#include "emulator/spirv/compiler/compile.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "emulator/spirv/module.h"

extern char** environ;

namespace heddle::spirv {
namespace {

/// A directory that is gone when this is.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-spirv-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error({}, "there is no room for temporary files at " + name);
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Runs a program whose output goes to a file. Its status, or -1 if there is no such program.
int run_quietly(std::vector<std::string> program, const std::string& output) {
  std::vector<char*> arguments;
  for (std::string& each : program) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

bool is_glsl(const std::string& file) {
  return file.ends_with(".comp") || file.ends_with(".glsl");
}

std::string compile_glsl(const std::string& file) {
  if (bytes_of(file).starts_with("\xef\xbb\xbf"))
    throw Error({},
                "it begins with a byte order mark, which compilers of GLSL do not take: save it as UTF-8 without one");
  const ScratchDirectory scratch;
  const std::string module = scratch.file("module.spv");
  const std::string messages = scratch.file("messages");
  int status = run_quietly(
      {"glslangValidator", "-V", "-g", "--target-env", "vulkan1.2", "-S", "comp", "-o", module, file}, messages);
  // A program that the shell does not find ends with 127 where starting it does not fail at once.
  if (status == -1 || status == 127)
    status =
        run_quietly({"glslc", "-g", "--target-env=vulkan1.2", "-fshader-stage=compute", "-o", module, file}, messages);
  if (status == -1 || status == 127)
    throw Error({}, "GLSL needs a compiler: install the package glslang-tools (or glslc)");
  if (status != 0) throw Error({}, "the compiler says:\n" + bytes_of(messages));
  return bytes_of(module);
}

}  // namespace heddle::spirv
