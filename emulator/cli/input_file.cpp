#include "emulator/cli/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "emulator/cli/interrupt.h"

namespace heddle::cli {
namespace {

/// An open file, closed when it goes out of scope.
class OpenFile {
 public:
  // O_NONBLOCK makes the open return at once: that of a pipe would wait for a writer, and hear of no signal that
  // another thread takes.
  explicit OpenFile(const std::string& file)
      : descriptor_(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Waits until there are bytes, or an end; false if an interrupt comes first. (A pipe that had no writer yet has
/// neither.)
bool wait_for_bytes(int file) {
  std::array<pollfd, 2> awaited = {{{file, POLLIN, 0}, {interrupt_descriptor(), POLLIN, 0}}};
  while (poll(awaited.data(), awaited.size(), -1) < 0 && errno == EINTR) {
  }
  return awaited[1].revents == 0;
}

}  // namespace

std::string read_input(const std::string& file, std::size_t most_bytes) {
  const auto fail = [&](const std::string& why) { throw InputError(file + ": " + why); };
  const OpenFile in(file);
  if (in.descriptor() < 0) fail(std::strerror(errno));
  std::string bytes;
  std::array<char, 1 << 16> some;
  while (bytes.size() < most_bytes) {
    if (!wait_for_bytes(in.descriptor())) fail("interrupted before it was read to its end");
    const ssize_t count = read(in.descriptor(), some.data(), std::min(some.size(), most_bytes - bytes.size()));
    if (count == 0) break;
    if (count > 0) {
      bytes.append(some.data(), static_cast<std::size_t>(count));
    } else if (errno == EISDIR) {
      fail("is a directory");
    } else if (errno != EINTR && errno != EAGAIN) {
      fail(std::strerror(errno));
    }
  }
  return bytes;
}

}  // namespace heddle::cli
