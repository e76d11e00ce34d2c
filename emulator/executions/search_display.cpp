#include "emulator/executions/search_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace heddle::executions {

SearchDisplay::SearchDisplay(std::FILE* print_to)
    : terminal_(print_to && isatty(fileno(print_to)) ? print_to : nullptr) {
  if (print_to) interruptible_.emplace();
}

void SearchDisplay::end() {
  interruptible_.reset();
  if (!std::exchange(is_shown_, false)) return;
  std::fputs("\r\x1b[K", terminal_);
  std::fflush(terminal_);
}

void SearchDisplay::show(std::uint64_t executions, std::uint64_t outcomes, std::uint64_t races) {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  // What is over at once shows nothing.
  if (now - shown_ < (is_shown_ ? kBetween : 5 * kBetween)) return;
  shown_ = now;
  is_shown_ = true;
  fmt::print(terminal_, "\r\x1b[K{} executions, {} outcomes, {} races, {:.0f} s", executions, outcomes, races,
             std::chrono::duration<double>(now - begin_).count());
  std::fflush(terminal_);
}

}  // namespace heddle::executions
