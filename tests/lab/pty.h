#pragma once

/// \file
/// A program on a terminal of its own, as a user sees it.

#include <string>
#include <vector>

namespace heddle::lab {

/// Runs a program on a pseudo terminal of the type vt100, and keeps what it would show.
class Pty {
 public:
  /// `environment` is added to ours, "NAME=value".
  Pty(const std::vector<std::string>& command, int rows, int columns, const std::vector<std::string>& environment = {});
  ~Pty();
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  /// As if they were typed.
  void type(const std::string& keys);
  void resize(int rows, int columns);
  /// Reads on until the screen has that text; false after ten seconds, or at the end of the program.
  bool shows(const std::string& text);
  /// The screen, row by row.
  std::string screen() const;
  /// Everything that was written, with its escapes.
  const std::string& written() const { return written_; }
  /// Waits for the end; the exit code, or -1 where it does not end within ten seconds.
  int exit_code();

 private:
  bool read_some(int milliseconds);
  void put(char c);
  void escape(const std::string& sequence);

  int terminal_ = -1;
  int process_ = -1;
  int rows_;
  int columns_;
  int row_ = 0;
  int column_ = 0;
  std::vector<std::string> lines_;
  std::string written_;
  /// What has come of an escape sequence that has begun.
  std::string sequence_;
};

}  // namespace heddle::lab
