// Programs in which heddle finds a race, and that end by a fault, or by an error that the sanitizer finds. Says "fine"
// if the report has the race by the time when the program has ended, and the program ends as it would without a report.

#include <heddle/heddle.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <thread>

using namespace heddle;

#ifdef HEDDLE_THREAD_SANITIZER
extern "C" const char* __tsan_default_options() {
  return "halt_on_error=1";
}
#endif

namespace {

void race() {
  Device device(Mode::Emulated);
  auto sum = device.buffer({0u}, "sum");
  device.dispatch([](auto&, StorageBuffer<std::uint32_t> auto x) { x[0] += 1u; }, 4, 1, sum);
}

[[maybe_unused]] void fault() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

/// Something that the sanitizer of this program finds, whichever it is.
void error() {
  auto freed = std::make_unique<int>(std::numeric_limits<int>::max());
  volatile int* volatile value = freed.get();
  std::thread other([&] { *value = *value + 1; });
  *value = *value + 1;
  other.join();
  freed.reset();
  *value = 1;
}

/// How a process ends, and what its report has by then.
struct Ended {
  int status = 0;
  std::string report;
};

Ended end_by(void (*how)(), bool has_report) {
  const std::string file = "ended_by_sanitizer." + std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    setenv("HEDDLE_RACES", has_report ? "json" : "0", 1);
    setenv("HEDDLE_RACES_FILE", file.c_str(), 1);
    race();
    how();
    _exit(0);
  }
  Ended ended;
  waitpid(child, &ended.status, 0);
  std::ifstream in(file);
  ended.report.assign(std::istreambuf_iterator<char>(in), {});
  std::remove(file.c_str());
  return ended;
}

bool told_rightly(const char* name, void (*how)()) {
  const auto [status, report] = end_by(how, true);
  const bool same = status != 0 && status == end_by(how, false).status;
  const bool has_race = report.find("\"sum\"") != std::string::npos;
  const bool is_whole = report.find("\"summary\"") != std::string::npos;
  if (!same) std::printf("%s: the program ends with status %d, otherwise than without a report\n", name, status);
  if (!has_race || !is_whole) std::printf("%s: the report lacks the race or its end: %s\n", name, report.c_str());
  return same && has_race && is_whole;
}

}  // namespace

int main() {
  bool right = told_rightly("error", error);
  // ThreadSanitizer may fault again while it tells of a fault, and ends the program then without a word to anybody.
#ifndef HEDDLE_THREAD_SANITIZER
  right &= told_rightly("fault", fault);
#endif
  std::puts(right ? "fine" : "wrong");
  return right ? 0 : 1;
}
