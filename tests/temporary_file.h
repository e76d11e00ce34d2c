#pragma once

/// \file
/// A file that lives as long as a test.

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace heddle {

/// A file that no other test has, gone when this is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes = "")
      : path_((std::filesystem::temp_directory_path() / "heddle-test-XXXXXX").string()) {
    const int made = mkstemp(path_.data());
    if (made < 0) throw std::system_error(errno, std::generic_category(), "no temporary file");
    close(made);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

 private:
  std::string path_;
};

}  // namespace heddle
