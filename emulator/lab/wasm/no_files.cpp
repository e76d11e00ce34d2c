// The engine has no files: who opens one learns that it is not there. (What Emscripten has in its place without a file
// system says that all went well.)
#include <cerrno>
#include <cstdint>

extern "C" int __syscall_open(std::intptr_t, int, ...) {
  return -ENOENT;
}
