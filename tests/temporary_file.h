#pragma once

/// \file
/// A file, or a directory, that lives as long as a test.

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

/// An empty directory that no other test has, gone with all that is in it when this is.
class TemporaryPlace {
 public:
  TemporaryPlace() : path_((std::filesystem::temp_directory_path() / "heddle-test-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw std::system_error(errno, std::generic_category(), "no temporary directory");
  }
  ~TemporaryPlace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heddle
