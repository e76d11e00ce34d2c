#pragma once

/// \file
/// A line on standard error that says how far long work has come.

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace heddle::cli {

/// Shows itself only on a terminal, and only when the work takes longer than a moment.
class Progress {
 public:
  Progress(std::size_t total, bool wanted);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of the total are done.
  void update(std::size_t done, const std::string& what);
  /// For work of an amount that is not known: `line` says it all. It is asked for only when it is shown.
  void tell(const std::function<std::string()>& line);
  /// Takes the line away, so that something else can be printed.
  void clear();

 private:
  bool is_due();
  void show(const std::string& line);

  std::size_t total_;
  bool wanted_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace heddle::cli
