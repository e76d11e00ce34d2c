#include "emulator/host/twin.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace heddle::detail {

/// Memory of both processes.
struct Twin::Log {
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  std::atomic<std::uint64_t> beats{0};
  std::uint64_t steps = 0;
  End end = End::Unknown;
  std::array<Step, kMost> all;
};

namespace {

// The second process is given up that shows no sign of life for so long: an undefined value made it loop, or another
// thread held what it needs when it began.
constexpr int kPatienceMilliseconds = 500;
constexpr int kSilences = 10;

/// What it writes goes nowhere, and what it reads has ended.
void see_no_files(int but) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  std::vector<int> files;
  if (DIR* const all = opendir("/proc/self/fd")) {
    while (const dirent* const one = readdir(all)) {
      const int file = std::atoi(one->d_name);
      if (one->d_name[0] != '.' && file != but && file != nothing && file != dirfd(all)) files.push_back(file);
    }
    closedir(all);
  }
  for (const int file : files) dup2(nothing, file);
}

void reap(pid_t process) {
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

}  // namespace

Twin::~Twin() {
  give_up();
}

void Twin::give_up() {
  role_ = Role::None;
  if (log_) munmap(log_, sizeof(Log));
  log_ = nullptr;
}

bool Twin::begin() {
  void* const room =
      mmap(nullptr, sizeof(Log), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  std::array<int, 2> pipe_ends{};
  if (room == MAP_FAILED) return false;
  // Its bytes are zero, which is what a log begins with: none of its pages is touched before there are steps.
  log_ = static_cast<Log*>(room);
  taken_ = 0;
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return give_up(), false;
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    see_no_files(pipe_ends[1]);
    role_ = Role::Second;
    return true;
  }
  close(pipe_ends[1]);
  if (process > 0) wait_for(process, pipe_ends[0]);
  close(pipe_ends[0]);
  if (process < 0 || (log_->steps == 0 && log_->end == End::Unknown)) return give_up(), false;
  role_ = Role::First;
  return true;
}

void Twin::wait_for(int process, int end_of_pipe) {
  std::uint64_t beats = 0;
  for (int silent = 0; silent < kSilences;) {
    pollfd end{end_of_pipe, POLLIN, 0};
    const int ended = poll(&end, 1, kPatienceMilliseconds);
    if (ended > 0) return reap(process);
    const std::uint64_t now = log_->beats.load(std::memory_order_relaxed);
    silent = now == beats ? silent + 1 : 0;
    beats = now;
  }
  kill(process, SIGKILL);
  reap(process);
}

void Twin::draw(std::uint64_t seed, std::uint64_t n, std::span<std::byte> value) const {
  std::uint64_t state = mixed(seed) + n * 0x9e3779b97f4a7c15u;
  for (std::size_t at = 0; at < value.size(); at += sizeof state) {
    state += 0x9e3779b97f4a7c15u;
    const std::uint64_t bits = is_second() ? ~mixed(state) : mixed(state);
    std::memcpy(&value[at], &bits, std::min(sizeof bits, value.size() - at));
  }
}

Twin::Difference Twin::take(const Step& step) {
  if (is_second()) {
    if (log_->steps == Log::kMost) second_ends(End::Unknown);
    log_->all[log_->steps++] = step;
    beat();
    return Difference::None;
  }
  if (taken_ == log_->steps) {
    const bool known = log_->end != End::Unknown;
    give_up();
    return known ? Difference::Course : Difference::None;
  }
  const Step& other = log_->all[taken_++];
  if (other.agent != step.agent || other.line != step.line || other.event != step.event) return Difference::Course;
  if (other.allocation != step.allocation || other.offset_bytes != step.offset_bytes) return Difference::Place;
  return other.value == step.value ? Difference::None : Difference::Value;
}

void Twin::beat() {
  log_->beats.fetch_add(1, std::memory_order_relaxed);
}

void Twin::second_ends(End end) {
  log_->end = end;
  _exit(0);
}

bool Twin::ends() {
  const bool as_the_other = taken_ == log_->steps && log_->end != End::Failed;
  const bool is_known = taken_ < log_->steps || log_->end != End::Unknown;
  give_up();
  return as_the_other || !is_known;
}

}  // namespace heddle::detail
