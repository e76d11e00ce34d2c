#pragma once

/// \file
/// The program as a user runs it.

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::cli {

struct Run {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs the program with these arguments; standard output and error are files, not terminals. `elsewhere`: where
/// standard output goes instead.
Run run_heddle(const std::vector<std::string>& arguments, const std::string& elsewhere = "");

/// Runs heddle with a signal sent as soon as the first line has been written.
Run run_and_interrupt(const std::vector<std::string>& arguments, int signal);

/// Runs heddle, which reads this named pipe, and sends it a signal once it has begun to: nothing is written to the
/// pipe.
Run run_with_silent_pipe(const std::vector<std::string>& arguments, const std::string& pipe, int signal);

/// A new empty directory that is gone when this is.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Writes a file in it, and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const;
  std::string path(const std::string& name = "") const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string read_all(const std::string& path);

}  // namespace heddle::cli
