#include "emulator/watch/race_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "emulator/report/records.h"
#include "runtime/text/readable.h"

namespace heddle::watch {
namespace {

RaceLog* g_log = nullptr;
std::terminate_handler g_terminate = nullptr;

/// Within VariantsOfARun; 0 until the first of them has asked for its number.
thread_local std::optional<report::RunId> t_run;

// An exception that is not caught ends a program before its devices end.
[[noreturn]] void report_and_terminate() {
  g_log->finish();
  if (g_terminate) g_terminate();
  std::abort();
}

int open_to_append(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

// Before the program has run in vain. (The reader of a pipe must not hear of this.)
void check_writable(const std::string& path) {
  struct stat known {};
  const bool exists = stat(path.c_str(), &known) == 0;
  if (exists && !S_ISREG(known.st_mode) && !S_ISDIR(known.st_mode)) return;
  const int file = open_to_append(path);
  if (file < 0)
    throw std::invalid_argument(fmt::format("HEDDLE_RACES_FILE is '{}', which cannot be written: {}",
                                            text::readable(path), std::strerror(errno)));
  close(file);
}

/// False, and errno says why, if not all of it could be written.
bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

RaceLog* RaceLog::of_process() {
  // Never destroyed: devices may be the last to go.
  static RaceLog* const log = []() -> RaceLog* {
    const std::optional<RaceOutput> output = wanted_output();
    if (!output) return nullptr;
    g_log = new RaceLog(*output);
    std::atexit([] { g_log->finish(); });
    g_terminate = std::set_terminate(report_and_terminate);
    return g_log;
  }();
  return log;
}

VariantsOfARun::VariantsOfARun() {
  t_run = 0;
}
VariantsOfARun::~VariantsOfARun() {
  t_run.reset();
}

RaceLog::RaceLog(RaceOutput output) : output_(output), file_(output_file()) {
  if (!file_.empty()) check_writable(file_);
  const char* path = std::getenv("HEDDLE_RACES_SUPPRESS");
  if (!output_.records && path && *path) suppressions_ = report::Suppressions(path);
}

report::RunId RaceLog::new_run() {
  if (t_run && *t_run != 0) return *t_run;
  const std::lock_guard lock(mutex_);
  const report::RunId run = static_cast<report::RunId>(getpid()) << 32 | ++runs_;
  if (t_run) t_run = run;
  return run;
}

void RaceLog::add(report::RunId run) {
  const std::lock_guard lock(mutex_);
  if (output_.records) {
    write(report::record(run));
  } else {
    collector_.add(run);
  }
}

template <typename Finding>
void RaceLog::add(report::RunId run, const Finding& finding) {
  const std::lock_guard lock(mutex_);
  if (output_.records) {
    write(report::record(run, finding));
  } else {
    collector_.add(run, finding);
  }
}
template void RaceLog::add(report::RunId run, const DataRace& finding);
template void RaceLog::add(report::RunId run, const report::Revised& finding);
template void RaceLog::add(report::RunId run, const report::OrderingUse& finding);
template void RaceLog::add(report::RunId run, const report::RecordedRuns& finding);
template void RaceLog::add(report::RunId run, const report::Remark& finding);

// One write to the end of the file: several threads and processes may do so. What cannot be written there is not
// lost.
void RaceLog::write(const std::string& text) const {
  if (file_.empty()) {
    write_all(STDERR_FILENO, text);
    return;
  }
  const int file = open_to_append(file_);
  if (file < 0 || !write_all(file, text)) {
    std::fprintf(stderr, "heddle: cannot write HEDDLE_RACES_FILE '%s' (%s); it would have had this:\n",
                 text::readable(file_).c_str(), std::strerror(errno));
    write_all(STDERR_FILENO, text);
  }
  if (file >= 0) close(file);
}

void RaceLog::finish() {
  const std::lock_guard lock(mutex_);
  if (finished_ || output_.records || !collector_.has_runs()) return;
  finished_ = true;
  write(to_text(collector_.report(suppressions_), output_.format));
}

}  // namespace heddle::watch
