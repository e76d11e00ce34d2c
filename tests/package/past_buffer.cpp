// Kernels that write past the ends of a buffer, natively, and what AddressSanitizer says of each: element `index` of
// buffers of several sizes and element types is written in a process of its own. Says "fine" if each write that is
// outside is reported with a line of this file, and no other is reported.

#include <heddle/heddle.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

using namespace heddle;

namespace {

template <int floats>
struct Element {
  float parts[floats];
};

template <int floats>
void write(std::uint64_t size, std::int64_t index) {
  Device device(Mode::Native);
  // What is outside of the one is not outside of everything.
  std::vector<Buffer<Element<floats>>> buffers;
  for (int i = 0; i < 9; ++i) buffers.push_back(device.buffer<Element<floats>>(size));
  const auto kernel = [](auto&, StorageBuffer<Element<floats>> auto x, std::int64_t i) { x[i] = Element<floats>{}; };
  device.dispatch(kernel, {1}, {1}, buffers[4], index);
}

/// What `run` writes to standard error, and whether it ends well, in a process of its own.
template <typename Run>
std::pair<std::string, bool> told_by(const Run& run) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    run();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char some[4096];
  for (ssize_t count = 0; (count = read(ends[0], some, sizeof some)) > 0;) text.append(some, count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {text, status == 0};
}

/// Whether the elements inside are written in silence, and each of the three on either side is reported.
template <int floats>
bool told_rightly(std::int64_t size) {
  bool right = true;
  for (const std::int64_t index : {std::int64_t{-3}, std::int64_t{-1}, std::int64_t{0}, size - 1, size, size + 2}) {
    const auto [text, ended] = told_by([&] { write<floats>(size, index); });
    const bool inside = index >= 0 && index < size;
    const bool told =
        text.find("ERROR: AddressSanitizer") != std::string::npos && text.find("past_buffer.cpp") != std::string::npos;
    if (told != inside && ended == inside) continue;
    std::printf("element %lld of %lld of %d floats: %s\n", static_cast<long long>(index), static_cast<long long>(size),
                floats, text.empty() ? "nothing is told" : text.c_str());
    right = false;
  }
  return right;
}

}  // namespace

int main() {
  bool right = true;
  for (const std::int64_t size : {5, 16}) {
    right &= told_rightly<1>(size);
    right &= told_rightly<16>(size);
    right &= told_rightly<64>(size);
  }
  right &= told_rightly<1>(1 << 20);
  std::puts(right ? "fine" : "wrong");
  return right ? 0 : 1;
}
