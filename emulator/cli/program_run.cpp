#include "emulator/cli/program_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace heddle::cli {
namespace {

volatile sig_atomic_t g_signal = 0;

extern "C" void on_signal_of_run(int signal) {
  g_signal = signal;
}

/// As long as it lives, Ctrl-C and SIGTERM interrupt system calls and do no more.
class SignalsCaught {
 public:
  SignalsCaught() {
    struct sigaction action = {};
    action.sa_handler = on_signal_of_run;
    sigaction(SIGINT, &action, &old_[0]);
    sigaction(SIGTERM, &action, &old_[1]);
  }
  ~SignalsCaught() { restore(); }
  SignalsCaught(const SignalsCaught&) = delete;
  SignalsCaught& operator=(const SignalsCaught&) = delete;
  void restore() const {
    sigaction(SIGINT, &old_[0], nullptr);
    sigaction(SIGTERM, &old_[1], nullptr);
  }

 private:
  std::array<struct sigaction, 2> old_ = {};
};

// Never returns. The pipe tells why the program cannot be started; starting it closes it.
[[noreturn]] void become(std::vector<char*>& arguments, int pipe_end) {
  execvp(arguments[0], arguments.data());
  const int error = errno;
  if (write(pipe_end, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

// On a terminal the program has had the signal already, and ends; else it gets it from here.
int wait_for(pid_t child) {
  int status = 0;
  int told = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    constexpr useconds_t kPatience = 200000;
    if (g_signal == 0 || told == g_signal) continue;
    usleep(kPatience);
    if (waitpid(child, &status, WNOHANG) == child) break;
    told = g_signal;
    kill(child, told);
  }
  return status;
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& program) {
  ProgramEnd end;
  std::vector<char*> arguments;
  for (const std::string& argument : program)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    end.error = std::strerror(errno);
    return end;
  }
  g_signal = 0;
  const SignalsCaught caught;
  const pid_t child = fork();
  if (child == 0) {
    caught.restore();
    become(arguments, ends[1]);
  }
  close(ends[1]);
  int error = child < 0 ? errno : 0;
  if (child > 0 && read(ends[0], &error, sizeof error) != sizeof error) error = 0;
  close(ends[0]);
  if (child > 0) {
    const int status = wait_for(child);
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  if (error != 0) end.error = std::strerror(error);
  end.interrupted = g_signal != 0;
  return end;
}

}  // namespace heddle::cli
