#pragma once

/// \file
/// What an exploration shows of itself while it goes on, and Ctrl-C.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "emulator/host/interruptible.h"

namespace heddle::executions {

/// While it lives a terminal shows how far the exploration is, and Ctrl-C (SIGINT, SIGTERM) asks it to end.
class SearchDisplay {
 public:
  /// Null: shows nothing, and leaves the signals as they are.
  explicit SearchDisplay(std::FILE* print_to);
  ~SearchDisplay() { end(); }
  SearchDisplay(const SearchDisplay&) = delete;
  SearchDisplay& operator=(const SearchDisplay&) = delete;

  void show(std::uint64_t executions, std::uint64_t outcomes, std::uint64_t races);
  /// The signal that asked it to end; 0 for none.
  int interrupted_by() const { return interruptible_ ? detail::Interruptible::signal() : 0; }
  /// Shows nothing any more, and gives the signals back.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* const terminal_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_ = begin_;
  bool is_shown_ = false;
  std::optional<detail::Interruptible> interruptible_;
};

}  // namespace heddle::executions
