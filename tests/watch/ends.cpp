// What has been found is in the report, whatever ends the program.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/how_many.h"
#include "tests/temporary_file.h"

extern char** environ;

namespace {

using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// As the system wants them, with a null behind.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// A program that runs, and what it writes.
class Program {
 public:
  /// With these arguments, and these variables besides those that there are.
  Program(std::vector<std::string> command, std::vector<std::string> variables) {
    std::array<int, 2> out{}, err{};
    REQUIRE(pipe2(out.data(), O_CLOEXEC) == 0);
    REQUIRE(pipe2(err.data(), O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    command.insert(command.begin(), HEDDLE_ENDS);
    for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
    const std::vector<char*> arguments = pointers_to(command);
    const std::vector<char*> environment = pointers_to(variables);
    REQUIRE(posix_spawn(&process_, HEDDLE_ENDS, &actions, nullptr, arguments.data(), environment.data()) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Program() {
    close(out_);
    close(err_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Waits for so many bytes on its standard output.
  void await_bytes(std::size_t count) {
    char byte = 0;
    while (bytes_ < count && read(out_, &byte, 1) == 1) ++bytes_;
  }
  void kill(int signal) const { ::kill(process_, signal); }
  /// Its status, as waitpid has it; a core file that the system may write changes nothing.
  int await_end() const {
    int status = 0;
    waitpid(process_, &status, 0);
    return status & ~WCOREFLAG;
  }
  /// What it wrote to standard error, until nobody has that any more.
  std::string await_error() const {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t size = 0; (size = read(err_, part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(size));
    return text;
  }
  /// How many bytes it wrote to standard output; it has ended.
  std::size_t bytes() {
    await_bytes(~std::size_t{0});
    return bytes_;
  }

 private:
  pid_t process_ = 0;
  int out_ = -1;
  int err_ = -1;
  std::size_t bytes_ = 0;
};

/// The status, as waitpid has it, of a program that gets this signal. AddressSanitizer handles SIGSEGV, and exits.
int status_of_end_by(int signal) {
#if defined(__SANITIZE_ADDRESS__)
  if (signal == SIGSEGV) return W_EXITCODE(1, 0);
#endif
  return W_EXITCODE(0, signal);
}

/// All that is found has a place in a file that is there at once where the program ends by itself.
struct Ended {
  int status = 0;
  std::string at_once;
  std::string later;
};

Ended run(const std::string& end, const std::string& format) {
  const heddle::TemporaryFile report;
  const Program program({end}, {"HEDDLE_RACES=" + format, "HEDDLE_RACES_FILE=" + report.path()});
  Ended ended;
  ended.status = program.await_end();
  ended.at_once = report.bytes();
  INFO(program.await_error());
  ended.later = report.bytes();
  return ended;
}

/// How many times the one race came that the report has, in all buffers; the summary must be there.
std::uint64_t races_in(const std::string& report) {
  std::uint64_t count = 0;
  bool has_summary = false;
  std::istringstream in(report);
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line);
    if (json.at("kind") == "summary") has_summary = true;
    if (json.at("kind") == "data race") count += json.at("other_objects").size() + 1;
  }
  CHECK(has_summary);
  return count;
}

}  // namespace

TEST_CASE("however a program ends, it ends as it would without a report, and the report is there by then") {
  struct End {
    std::string how;
    int status;
  };
  for (const End& end :
       {End{"return", W_EXITCODE(0, 0)}, End{"exit", W_EXITCODE(5, 0)}, End{"quick_exit", W_EXITCODE(5, 0)},
        End{"_exit", W_EXITCODE(5, 0)}, End{"_Exit", W_EXITCODE(5, 0)}, End{"abort", status_of_end_by(SIGABRT)},
        End{"terminate", status_of_end_by(SIGABRT)}, End{"throw", status_of_end_by(SIGABRT)},
        End{"signal", status_of_end_by(SIGSEGV)}, End{"interrupt", status_of_end_by(SIGINT)},
        End{"terminated", status_of_end_by(SIGTERM)}, End{"hang up", status_of_end_by(SIGHUP)},
        End{"broken pipe", status_of_end_by(SIGPIPE)}}) {
    CAPTURE(end.how);
    const Ended ended = run(end.how, "json");
    CHECK(ended.status == end.status);
    CHECK(races_in(ended.at_once) == 1);
    CHECK(ended.later == ended.at_once);
  }
}

TEST_CASE("a kernel that calls exit ends the program with that code, while other threads are in the kernel") {
  for (int i = 0; i < 10; ++i) {
    const Ended ended = run("exit in kernel", "json");
    CHECK(WIFEXITED(ended.status));
    CHECK(WEXITSTATUS(ended.status) == 7);
    CHECK(races_in(ended.at_once) == 1);
  }
}

TEST_CASE("every format has what was found by a program that was killed, or became another one") {
  for (const char* format : {"text", "colour", "json", "sarif", "junit", "github"})
    for (const char* how : {"kill", "exec", "fork and kill"}) {
      CAPTURE(format, how);
      CHECK(has(run(how, format).later, "sum"));
    }
}

TEST_CASE("who called the helpers of very many lines that race is in the report") {
  const heddle::TemporaryFile report;
  const Program program({"many lines"}, {"HEDDLE_RACES=json", "HEDDLE_RACES_FILE=" + report.path()});
  CHECK(program.await_end() == 0);
  const std::string all = report.bytes();
  for (int line = 10000; line < 10100; ++line) CHECK(has(all, "\"line\":" + std::to_string(line)));
}

TEST_CASE("a child has a report of its own, and one that finds nothing has none") {
  const std::string both = run("fork and race", "text").at_once;
  INFO(both);
  CHECK(has(both, "data race on of_child[0]"));
  CHECK(has(both, "data race on sum[0]"));
  std::size_t reports = 0;
  for (std::size_t at = 0; (at = both.find("1 data race in 1 run", at)) != std::string::npos; ++at) ++reports;
  CHECK(reports == 2);
  const std::string one = run("fork and kill", "text").later;
  CHECK(one.find("data race on sum") == one.rfind("data race on sum"));
}

TEST_CASE("a child that goes on with a device of its parent has what that finds in a report") {
  const std::string both = run("fork and go on", "text").at_once;
  INFO(both);
  // All race in one line.
  CHECK(has(both, "objects sum 18 times, before 18 times"));
  CHECK(has(both, "data race on in_child[0]"));
}

TEST_CASE("a kernel that a destructor of a static object runs is one like any other") {
  const auto told = run("race late", "text");
  INFO(told.at_once);
  // Both race in one line.
  CHECK(has(told.at_once, "objects sum 18 times, late 18 times"));
}

TEST_CASE("a program that closes all of its files still has all that it finds in a report") {
  const std::string report = run("close all", "text").later;
  CHECK(has(report, "data race on sum[0]"));
  CHECK(has(report, "data race on after_close[0]"));
}

namespace {

/// How many races are in a text of records, and maybe of other lines.
std::size_t recorded_races(const std::string& text) {
  std::size_t races = 0;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (text[begin] != '{') continue;
    const Json record = Json::parse(text.substr(begin, end - begin));
    if (record.at("record") == "race") ++races;
  }
  return races;
}

/// Kills the program at a moment of the seed, and compares what it had found by then with what its report has: with
/// `heddle races`, which reads records, and without.
void kill_and_look(std::uint64_t seed, const std::vector<std::string>& command) {
  CAPTURE(seed);
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  constexpr std::array kSignals = {SIGINT, SIGTERM, SIGABRT, SIGSEGV, SIGKILL};
  const int signal = kSignals[seed % kSignals.size()];
  const bool by_heddle = seed / kSignals.size() % 2 == 1;
  const heddle::TemporaryFile report;
  Program program(command,
                  {by_heddle ? "HEDDLE_RACES=records" : "HEDDLE_RACES=json", "HEDDLE_RACES_FILE=" + report.path()});
  program.await_bytes(random() % 8);
  // Somewhere in a round of some hundred microseconds.
  for (std::uint32_t turns = random() % 200000; turns > 0; --turns) asm volatile("");
  program.kill(signal);
  CHECK(program.await_end() == status_of_end_by(signal));
  const std::size_t rounds = program.bytes();
  if (signal == SIGKILL) program.await_error();
  if (by_heddle) {
    CHECK(recorded_races(report.bytes()) >= rounds);
  } else if (rounds > 0) {
    CHECK(races_in(report.bytes()) >= rounds);
  }
}

}  // namespace

TEST_CASE("a program that is killed at any moment has what it had found before in its report", "[nightly]") {
  const std::uint64_t times = heddle::how_many("HEDDLE_KILLS", 15, 1000);
  for (std::uint64_t i = 0; i < times; ++i) kill_and_look(heddle::first_seed() + i, {"go on"});
}

TEST_CASE("a program of many seeds that is killed at any moment has what each of them had found in its report",
          "[nightly]") {
  const std::uint64_t times = heddle::how_many("HEDDLE_KILLS", 10, 1000);
  for (std::uint64_t i = 0; i < times; ++i) kill_and_look(heddle::first_seed() + i, {"return", "of seeds"});
}

TEST_CASE("however one of many seeds ends the program, what the others had found is in its report") {
  for (const char* end : {"exit", "quick_exit", "_exit", "abort", "signal", "interrupt"}) {
    CAPTURE(end);
    const heddle::TemporaryFile report;
    Program program({end, "of seeds"}, {"HEDDLE_RACES=json", "HEDDLE_RACES_FILE=" + report.path()});
    program.await_end();
    const std::size_t rounds = program.bytes();
    // Where other threads go on while the program exits, what they find behind the report is told there.
    const std::string error = program.await_error();
    INFO(error);
    CHECK(rounds >= 1);
    CHECK(races_in(report.bytes()) + recorded_races(error) >= rounds);
    if (end != std::string("exit")) CHECK(recorded_races(error) == 0);
  }
}
