// A program that finds a race, and then ends as its argument says, or tries many seeds of which one does, if there is a
// second argument. For the tests of reports.
#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace heddle;

namespace {

constexpr auto increment = [](auto&, StorageBuffer<std::uint32_t> auto sum) { sum[0] += 1u; };

void race_on(Device& device, const std::string& name) {
  auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), name);
  device.dispatch(increment, 4, 1, sum);
}
void race_on(const std::string& name) {
  Device device(Mode::Emulated);
  race_on(device, name);
}

void tell_round() {
  const char line = '\n';
  if (write(STDOUT_FILENO, &line, 1) != 1) _exit(3);
}

/// Each round has a race on another buffer, and is told of when it is over.
[[noreturn]] void go_on() {
  for (int round = 0;; ++round) {
    race_on("sum" + std::to_string(round));
    tell_round();
  }
}

/// Each seed has such a round, on two threads; the sixth ends as `end` does.
void try_seeds(const std::function<void()>& end) {
  SeedOptions options;
  options.jobs = 2;
  constexpr std::uint64_t kMany = std::uint64_t{1} << 40;
  (void)explore_seeds(
      [&](Trial& trial) {
        race_on(trial.device(), "sum" + std::to_string(trial.seed()));
        tell_round();
        if (trial.seed() == 6) end();
      },
      kMany, options);
}

/// Races of so many lines, each of a call of its own.
template <std::size_t... lines>
void race_in_lines(std::index_sequence<lines...>) {
  Device device(Mode::Emulated);
  auto many = device.buffer(std::vector<std::uint32_t>(sizeof...(lines), 0), "many");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    const auto line = [](std::uint32_t number) {
      SourceLocation where = SourceLocation::current();
      where.line = 10000 + number;
      return where;
    };
    (inv.store(x[lines], inv.workgroup_id().x, line(lines)), ...);
  };
  device.dispatch(kernel, 2, 1, many);
}

void execute_true() {
  execl("/bin/true", "true", nullptr);
}

/// A child that ends at once, as one whose exec failed; the parent is killed behind it.
void fork_and_be_killed() {
  const pid_t child = fork();
  if (child == 0) _exit(127);
  waitpid(child, nullptr, 0);
  raise(SIGKILL);
}

/// A child that has a race of its own.
void fork_and_race() {
  const pid_t child = fork();
  if (child == 0) {
    race_on("of_child");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

/// Closes what it did not open, and finds one more race.
void close_all_and_race() {
  closefrom(3);
  race_on("after_close");
  _exit(0);
}

/// A device that is there when the process is doubled goes on in the child, which ends in this way.
void fork_and_go_on() {
  Device device(Mode::Emulated);
  race_on(device, "before");
  const pid_t child = fork();
  if (child == 0) {
    race_on(device, "in_child");
    std::abort();
  }
  waitpid(child, nullptr, 0);
}

/// A static object whose destructor runs a kernel; what the thread owns is gone by then.
void race_late() {
  struct Late {
    ~Late() { race_on("late"); }
  };
  static const Late late;
}

/// A static object that kernels use while it is destroyed.
void exit_in_kernel() {
  DeviceOptions options;
  options.mode = Mode::Native;
  // Where races are looked for there is one thread.
  options.races = false;
  static Device device(options);
  static auto x = device.buffer(std::vector<std::uint32_t>(1 << 16, 0), "x");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto y) {
        const std::uint32_t i = inv.global_invocation_id().x;
        if (i == 70) std::exit(7);
        for (int round = 0; round < 1000; ++round) y[i] += 1u;
      },
      (1 << 16) / 32, 32, x);
}

const std::map<std::string, std::function<void()>> kEnds = {
    {"return", [] {}},
    {"exit", [] { std::exit(5); }},
    {"quick_exit", [] { std::quick_exit(5); }},
    {"_exit", [] { _exit(5); }},
    {"_Exit", [] { std::_Exit(5); }},
    {"abort", [] { std::abort(); }},
    {"terminate", [] { std::terminate(); }},
    {"throw", [] { throw 1; }},
    {"signal", [] { raise(SIGSEGV); }},
    {"interrupt", [] { raise(SIGINT); }},
    {"terminated", [] { raise(SIGTERM); }},
    {"hang up", [] { raise(SIGHUP); }},
    {"broken pipe", [] { raise(SIGPIPE); }},
    {"kill", [] { raise(SIGKILL); }},
    {"exec", execute_true},
    {"many lines", [] { race_in_lines(std::make_index_sequence<100>()); }},
    {"fork and kill", fork_and_be_killed},
    {"fork and race", fork_and_race},
    {"fork and go on", fork_and_go_on},
    {"race late", race_late},
    {"close all", close_all_and_race},
    {"exit in kernel", exit_in_kernel},
};

}  // namespace

int main(int, char** arguments) {
  const std::string end = arguments[1];
  if (arguments[2]) {
    try_seeds(kEnds.at(end));
  } else if (end == "go on") {
    go_on();
  } else {
    race_on("sum");
    kEnds.at(end)();
  }
}
