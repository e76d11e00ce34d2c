#include "emulator/cli/races/program_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace heddle::cli {
namespace {

extern "C" void ignore_signal(int) {}

/// As long as it lives, Ctrl-C, SIGTERM and the end of a child wait until somebody asks for them: none of them
/// comes too early to be noticed.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&held_, signal);
    // One that is ignored need not wait.
    struct sigaction action = {};
    action.sa_handler = ignore_signal;
    sigaction(SIGCHLD, &action, &old_action_);
    pthread_sigmask(SIG_BLOCK, &held_, &old_mask_);
  }
  ~SignalsHeld() { restore(); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  void restore() const {
    sigaction(SIGCHLD, &old_action_, nullptr);
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  /// The next one; waits for it.
  int next() const {
    int signal = 0;
    sigwait(&held_, &signal);
    return signal;
  }
  /// The next one; 0 if none came until then.
  int next_until(std::chrono::steady_clock::time_point end) const {
    using namespace std::chrono;
    const auto left = std::max(duration_cast<nanoseconds>(end - steady_clock::now()), nanoseconds(0));
    constexpr std::int64_t kSecond = 1000000000;
    const timespec time{static_cast<time_t>(left.count() / kSecond), static_cast<long>(left.count() % kSecond)};
    return std::max(sigtimedwait(&held_, nullptr, &time), 0);
  }
  /// Whether Ctrl-C or SIGTERM waits, which is done with then.
  bool take_interrupt() const {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    for (const int signal : {SIGINT, SIGTERM}) sigaddset(&interrupts, signal);
    constexpr timespec kAtOnce = {};
    bool taken = false;
    while (sigtimedwait(&interrupts, nullptr, &kAtOnce) > 0) taken = true;
    return taken;
  }

 private:
  sigset_t held_;
  sigset_t old_mask_;
  struct sigaction old_action_ = {};
};

// Never returns. The pipe tells why the program cannot be started; starting it closes it.
[[noreturn]] void become(std::vector<char*>& arguments, int pipe_end) {
  execvp(arguments[0], arguments.data());
  const int error = errno;
  if (write(pipe_end, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

int wait_for(pid_t child, const SignalsHeld& signals, bool& interrupted) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    const int signal = signals.next();
    if (signal == SIGCHLD) continue;
    interrupted = true;
    // On a terminal the program has had the signal already, and ends; else it gets it from here.
    constexpr useconds_t kPatience = 200000;
    usleep(kPatience);
    if (waitpid(child, &status, WNOHANG) == child) break;
    kill(child, signal);
  }
  // The signal may have come as the program ended.
  if (signals.take_interrupt()) interrupted = true;
  return status;
}

// As wait_for, with no patience.
int wait_until(pid_t child, const SignalsHeld& signals, std::chrono::steady_clock::time_point time, ProgramEnd& end) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    const int signal = signals.next_until(time);
    if (signal == SIGCHLD) continue;
    end.interrupted = end.interrupted || signal != 0;
    end.too_late = signal == 0;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    break;
  }
  if (signals.take_interrupt()) end.interrupted = true;
  return status;
}

/// Told once, and killed if that does not help.
class ToldToEnd {
 public:
  explicit ToldToEnd(pid_t child) : child_(child) {}
  void tell() {
    if (is_told_) return;
    is_told_ = true;
    told_at_ = std::chrono::steady_clock::now();
    kill(child_, SIGINT);
  }
  void insist() const {
    constexpr auto kPatience = std::chrono::seconds(2);
    if (is_told_ && std::chrono::steady_clock::now() - told_at_ > kPatience) kill(child_, SIGKILL);
  }

 private:
  pid_t child_;
  bool is_told_ = false;
  std::chrono::steady_clock::time_point told_at_;
};

int wait_and_tick(pid_t child, const SignalsHeld& signals, std::optional<std::chrono::steady_clock::time_point> until,
                  const std::function<void()>& tick, ProgramEnd& end) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kBetween = std::chrono::milliseconds(100);
  ToldToEnd told(child);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    const int signal = signals.next_until(Clock::now() + kBetween);
    if (signal != 0 && signal != SIGCHLD) end.interrupted = true;
    if (until && Clock::now() >= *until) end.too_late = true;
    if (end.interrupted || end.too_late) told.tell();
    told.insist();
    tick();
  }
  if (signals.take_interrupt()) end.interrupted = true;
  return status;
}

/// What the program reads from, and writes to.
void take_streams_away(const char* writes_to) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int out = open(writes_to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(nothing, STDIN_FILENO);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(out < 0 ? nothing : out, stream);
}

/// Waits for a child, and returns its status.
using Wait = std::function<int(pid_t, const SignalsHeld&, ProgramEnd&)>;

/// `writes_to` is null for this process's standard streams.
ProgramEnd run(const std::vector<std::string>& program, const char* writes_to, const Wait& wait) {
  ProgramEnd end;
  std::vector<char*> arguments;
  for (const std::string& argument : program) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    end.error = std::strerror(errno);
    return end;
  }
  const SignalsHeld signals;
  const pid_t child = fork();
  if (child == 0) {
    signals.restore();
    if (writes_to) take_streams_away(writes_to);
    become(arguments, ends[1]);
  }
  close(ends[1]);
  int error = child < 0 ? errno : 0;
  if (child > 0 && read(ends[0], &error, sizeof error) != sizeof error) error = 0;
  close(ends[0]);
  if (child > 0) {
    const int status = wait(child, signals, end);
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  if (error != 0) end.error = std::strerror(error);
  return end;
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& program) {
  return run(program, nullptr, [](pid_t child, const SignalsHeld& signals, ProgramEnd& end) {
    return wait_for(child, signals, end.interrupted);
  });
}

ProgramEnd run_into(const std::vector<std::string>& program, const std::string& file,
                    std::optional<std::chrono::steady_clock::time_point> until, const std::function<void()>& tick) {
  return run(program, file.c_str(), [&](pid_t child, const SignalsHeld& signals, ProgramEnd& end) {
    return wait_and_tick(child, signals, until, tick, end);
  });
}

ProgramEnd run_quietly(const std::vector<std::string>& program, std::chrono::steady_clock::time_point until) {
  return run(program, "/dev/null", [&](pid_t child, const SignalsHeld& signals, ProgramEnd& end) {
    return wait_until(child, signals, until, end);
  });
}

}  // namespace heddle::cli
