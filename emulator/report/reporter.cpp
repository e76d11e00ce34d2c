// The process that reports is there before anything is found, and then only reads. So whatever a dying thread was in
// the middle of, it holds no lock that the report needs: the thread shuts its end of the connection, and waits until
// the other one is closed.

#include "emulator/report/reporter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

#include "emulator/report/collector.h"
#include "emulator/report/records.h"
#include "runtime/text/readable.h"

namespace heddle::report {
namespace {

/// This process's end of the connection, for whatever thread dies. A program may close what it did not open, and open
/// something else by the same number: what it is says its node.
struct Link {
  std::atomic<int> file{-1};
  std::atomic<ino_t> node{0};
  std::atomic<pid_t> process{0};
};
constinit Link g_link;

/// -1 if there is none.
int link_of_this_process() {
  const int file = g_link.file.load();
  struct stat known {};
  const bool is_here = file >= 0 && g_link.process.load() == getpid() && fstat(file, &known) == 0 &&
                       S_ISSOCK(known.st_mode) && known.st_ino == g_link.node.load();
  return is_here ? file : -1;
}

// Where the parent lives on, or is killed, its reporter hears of that.
void close_in_child() {
  const int file = g_link.file.exchange(-1);
  if (file >= 0) close(file);
}

/// All signals of this thread wait meanwhile: none finds a child that is not yet what it is going to be.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

/// Keeps standard error and the connection, whose number it returns, and nothing else that the program has open; hears
/// of no signal that is meant for the program.
int leave_program(int link) {
  setsid();
  prctl(PR_SET_NAME, "heddle-report");
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  constexpr int kFirstFree = 4;
  const int high = fcntl(link, F_DUPFD, kFirstFree);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) dup2(nowhere, stream);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0) dup2(nowhere, STDERR_FILENO);
  dup2(high, kFirstFree - 1);
  closefrom(kFirstFree);
  return kFirstFree - 1;
}

/// What is wrong with one record does not keep the others back.
void read_lines(const std::string& lines, Collector& collector) {
  for (std::size_t begin = 0, end = 0; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = lines.substr(begin, end + 1 - begin);
    try {
      read_records(line, collector);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "heddle: the report on races lacks something that cannot be read (%s): %s",
                   text::readable(error.what()).c_str(), line.c_str());
    }
  }
}

/// Adds the whole lines of what comes, until nothing comes any more.
void collect(int link, Collector& collector) {
  std::string text;
  std::array<char, 1 << 16> part{};
  for (;;) {
    const ssize_t size = read(link, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    text.append(part.data(), static_cast<std::size_t>(size));
    const std::size_t end = text.rfind('\n') + 1;
    if (end == 0) continue;
    read_lines(text.substr(0, end), collector);
    text.erase(0, end);
  }
}

void write_report(const Collector& collector, const ReportOutput& output) {
  if (!collector.has_runs()) return;
  Suppressions suppressions = output.suppressions;
  const bool is_text = output.format == ReportFormat::Text || output.format == ReportFormat::ColouredText;
  const std::string text =
      to_text(collector.report(suppressions), output.format) + (is_text ? collector.how_it_looked(true) : "");
  if (append_to(output.file, text) || output.file.empty()) return;
  const char* const why = std::strerror(errno);
  std::fprintf(stderr, "heddle: cannot write HEDDLE_RACES_FILE '%s' (%s); it would have had this:\n",
               text::readable(output.file).c_str(), why);
  append_to("", text);
}

[[noreturn]] void be_reporter(int link, const ReportOutput& output) {
  Collector collector;
  try {
    collect(leave_program(link), collector);
    write_report(collector, output);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle: the report on races cannot be made: %s\n", text::readable(error.what()).c_str());
  }
  std::fflush(stderr);
  _exit(0);
}

constexpr std::size_t kReporterStackBytes = std::size_t{8} << 20;

/// Who asks for a reporter may be a kernel, whose stack is small.
[[noreturn]] void be_reporter_on_own_stack(int link, const ReportOutput& output) {
  static int its_link = link;
  static const ReportOutput* its_output = &output;
  void* const stack =
      mmap(nullptr, kReporterStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  ucontext_t context;
  if (stack == MAP_FAILED || getcontext(&context) != 0) be_reporter(link, output);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = kReporterStackBytes;
  context.uc_link = nullptr;
  makecontext(
      &context, [] { be_reporter(its_link, *its_output); }, 0);
  setcontext(&context);
  be_reporter(link, output);
}

/// Its parent is gone at once, so that it is no child of the program, which may wait for all that it has.
void start_reporter(int link, const ReportOutput& output) {
  const SignalsWait signals_wait;
  const pid_t parent = fork();
  if (parent < 0)
    throw std::system_error(errno, std::generic_category(), "heddle: no process can be made for a report");
  if (parent == 0) {
    if (fork() == 0) be_reporter_on_own_stack(link, output);
    _exit(0);
  }
  while (waitpid(parent, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Reporter::Reporter(const ReportOutput& output) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "heddle: no connection can be made for a report");
  // Out of the way of a program that counts on the numbers of its own files.
  constexpr int kOutOfTheWay = 200;
  const int high = fcntl(ends[0], F_DUPFD_CLOEXEC, kOutOfTheWay);
  const int own = high < 0 ? ends[0] : high;
  if (high >= 0) close(ends[0]);
  static const bool closes_in_child = pthread_atfork(nullptr, nullptr, close_in_child) == 0;
  static_cast<void>(closes_in_child);
  g_link.file.store(own);
  try {
    start_reporter(ends[1], output);
  } catch (...) {
    close_in_child();
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  struct stat known {};
  fstat(own, &known);
  g_link.node.store(known.st_ino);
  g_link.process.store(getpid());
  last_words_.emplace(&Reporter::say, nullptr);
}

Reporter::~Reporter() {
  if (is_here()) close_in_child();
}

bool Reporter::is_here() const {
  return link_of_this_process() >= 0;
}

bool Reporter::add(std::string_view records) const {
  const int link = link_of_this_process();
  std::size_t done = 0;
  while (done < records.size()) {
    const ssize_t sent = send(link, records.data() + done, records.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

void Reporter::say(void*) {
  const int link = link_of_this_process();
  if (link < 0) return;
  shutdown(link, SHUT_WR);
  char end = 0;
  while (read(link, &end, 1) < 0 && errno == EINTR) {
  }
}

bool append_to(const std::string& file, std::string_view text) {
  const int to = file.empty() ? STDERR_FILENO : open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  bool whole = to >= 0;
  for (std::size_t done = 0; whole && done < text.size();) {
    const ssize_t written = write(to, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    whole = written > 0;
    if (whole) done += static_cast<std::size_t>(written);
  }
  const int why = errno;
  if (!file.empty() && to >= 0) close(to);
  errno = why;
  return whole;
}

}  // namespace heddle::report
