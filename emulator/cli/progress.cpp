#include "emulator/cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "emulator/cli/terminal.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
// Shorter work needs no progress; more frequent updates only flicker.
constexpr auto kMoment = std::chrono::milliseconds(500);
constexpr auto kBetween = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(std::size_t total, bool wanted)
    : total_(total), wanted_(wanted && is_terminal(STDERR_FILENO)), begin_(Clock::now()), last_(begin_) {}

bool Progress::is_due() {
  if (!wanted_) return false;
  const auto now = Clock::now();
  if (now - begin_ < kMoment || now - last_ < kBetween) return false;
  last_ = now;
  return true;
}

void Progress::show(const std::string& line) {
  shown_ = true;
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

void Progress::update(std::size_t done, const std::string& what) {
  if (is_due())
    show(std::to_string(done) + '/' + std::to_string(total_) + ' ' +
         std::string(text::beginning(text::readable(what), 60)));
}

void Progress::tell(const std::function<std::string()>& line) {
  if (is_due()) show(line());
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace heddle::cli
