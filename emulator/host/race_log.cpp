#include "emulator/host/race_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "emulator/report/records.h"

namespace heddle::detail {
namespace {

RaceLog* g_log = nullptr;
std::terminate_handler g_terminate = nullptr;

// An exception that nobody catches ends a program before its devices end.
[[noreturn]] void report_and_terminate() {
  g_log->finish();
  if (g_terminate) g_terminate();
  std::abort();
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

RaceLog::RaceLog(RaceOutput output) : output_(output), file_(output_file()) {
  const char* path = std::getenv("HEDDLE_RACES_SUPPRESS");
  if (!output_.records && path && *path) suppressions_ = report::Suppressions(path);
}

report::RunId RaceLog::new_run() {
  const std::lock_guard lock(mutex_);
  return static_cast<report::RunId>(getpid()) << 32 | ++runs_;
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
template void RaceLog::add(report::RunId run, const report::OrderingUse& finding);
template void RaceLog::add(report::RunId run, const report::RecordedRuns& finding);
template void RaceLog::add(report::RunId run, const report::Remark& finding);

// One write to the end of the file: several threads and processes may do so.
void RaceLog::write(const std::string& text) const {
  const int file =
      file_.empty() ? dup(STDERR_FILENO) : open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  std::size_t done = 0;
  while (file >= 0 && done < text.size()) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  if (done < text.size())
    std::fprintf(stderr, "heddle: cannot write HEDDLE_RACES_FILE '%s'\n", file_.c_str());
  if (file >= 0) close(file);
}

void RaceLog::finish() {
  const std::lock_guard lock(mutex_);
  if (finished_ || output_.records || !collector_.has_runs()) return;
  finished_ = true;
  write(to_text(collector_.report(suppressions_), output_.format));
}

}  // namespace heddle::detail
