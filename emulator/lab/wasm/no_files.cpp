// The engine has no files: who opens one, or asks about one, learns that it is not there. (What Emscripten has in its
// place without a file system says that all went well.)
#include <cerrno>
#include <cstdint>

extern "C" {

int __syscall_openat(int, std::intptr_t, int, std::intptr_t) {
  return -ENOENT;
}

int __syscall_stat64(std::intptr_t, std::intptr_t) {
  return -ENOENT;
}
}
