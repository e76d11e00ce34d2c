#include "emulator/cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "emulator/cli/terminal.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
// Shorter work needs no progress; more frequent updates only flicker.
constexpr auto kMoment = std::chrono::milliseconds(500);
constexpr auto kBetween = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(std::size_t total, bool wanted)
    : total_(total),
      wanted_(wanted && is_terminal(STDERR_FILENO)),
      begin_(Clock::now()),
      last_(begin_) {}

void Progress::update(std::size_t done, const std::string& what) {
  const auto now = Clock::now();
  if (!wanted_ || now - begin_ < kMoment || now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r\x1b[K%zu/%zu %.60s", done, total_, what.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace heddle::cli
