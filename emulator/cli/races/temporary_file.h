#pragma once

/// \file
/// Files that programs that are run leave something in.

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace heddle::cli {

/// A file that is gone when it goes out of scope.
class TemporaryFile {
 public:
  TemporaryFile() {
    const int file = mkstemp(path_);
    if (file < 0) throw std::runtime_error("no temporary file can be made in /tmp");
    close(file);
  }
  ~TemporaryFile() { std::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* path() const { return path_; }
  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Whether there is still room in it: whatever wrote to it could.
  bool has_room() const {
    const std::string page(4096, '\n');
    std::ofstream out(path_, std::ios::binary | std::ios::app);
    out << page;
    out.close();
    return out.good();
  }

 private:
  char path_[32] = "/tmp/heddle-races-XXXXXX";
};

}  // namespace heddle::cli
