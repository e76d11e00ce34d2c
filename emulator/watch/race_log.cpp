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
#include <type_traits>

#include "emulator/report/records.h"
#include "emulator/watch/running_kernel.h"
#include "runtime/last_words.h"
#include "runtime/text/readable.h"

namespace heddle::watch {
namespace {

/// Within VariantsOfARun; 0 until the first of them has asked for its number.
thread_local std::optional<report::RunId> t_run;

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

}  // namespace

RaceLog* RaceLog::of_process() {
  // Never destroyed: devices may be the last to go.
  static RaceLog* const log = []() -> RaceLog* {
    const std::optional<RaceOutput> output = wanted_output();
    return output ? new RaceLog(*output) : nullptr;
  }();
  return log;
}

VariantsOfARun::VariantsOfARun() {
  t_run = 0;
}
VariantsOfARun::~VariantsOfARun() {
  t_run.reset();
}

RaceLog::RaceLog(RaceOutput output) : records_(output.records), output_{output.format, output_file(), {}} {
  if (!output_.file.empty()) check_writable(output_.file);
  hear_of_end();
  if (records_) return;
  const char* path = std::getenv("HEDDLE_RACES_SUPPRESS");
  if (path && *path) output_.suppressions = report::Suppressions(path);
  reporter_ = std::make_unique<report::Reporter>(output_);
}

report::RunId RaceLog::new_run() {
  if (t_run && *t_run != 0) return *t_run;
  const std::lock_guard lock(mutex_);
  const report::RunId run = static_cast<report::RunId>(getpid()) << 32 | ++runs_;
  if (t_run) t_run = run;
  return run;
}

void RaceLog::add(report::RunId run) {
  write(report::record(run), std::nullopt);
}

template <typename Finding>
void RaceLog::add(report::RunId run, const Finding& finding) {
  constexpr bool kIsFound = std::is_same_v<Finding, DataRace> || std::is_same_v<Finding, report::FailedDispatch>;
  write(report::record(run, finding), kIsFound ? std::optional(run) : std::nullopt);
}
template void RaceLog::add(report::RunId run, const DataRace& finding);
template void RaceLog::add(report::RunId run, const report::Revised& finding);
template void RaceLog::add(report::RunId run, const report::OrderingUse& finding);
template void RaceLog::add(report::RunId run, const report::RecordedRuns& finding);
template void RaceLog::add(report::RunId run, const report::Remark& finding);
template void RaceLog::add(report::RunId run, const report::Relied& finding);
template void RaceLog::add(report::RunId run, const report::FailedDispatch& finding);
template void RaceLog::add(report::RunId run, const report::Looked& finding);

void RaceLog::hear_of_end() {
  process_ = getpid();
  last_words_.reset();
  last_words_.emplace([](void*) { RunningKernel::tell_all(); }, nullptr);
}

void RaceLog::add_at_end(std::string_view record) const {
  if (records_) {
    report::append_to(output_.file, record);
  } else if (reporter_) {
    reporter_->add(record);
  }
}

// One write to the end of the file: several threads and processes may do so. A process that fork has made has no
// reporter yet; runs that began before are in its report once they find something.
bool RaceLog::hand_over(const std::string& record, std::optional<report::RunId> finds) {
  if (process_ != getpid()) hear_of_end();
  if (records_) return report::append_to(output_.file, record);
  if (!reporter_->is_here()) {
    reporter_.reset();
    reporter_ = std::make_unique<report::Reporter>(output_);
    runs_since_fork_.emplace();
  }
  if (finds && runs_since_fork_ && runs_since_fork_->insert(*finds).second) reporter_->add(report::record(*finds));
  return reporter_->add(record);
}

// What cannot be handed over is not lost. Where another thread waits for the report, and ends the process then, the
// thread that found something more goes no further.
void RaceLog::write(const std::string& record, std::optional<report::RunId> finds) {
  const std::lock_guard lock(mutex_);
  if (hand_over(record, finds)) return;
  while (runtime::ends_at_once()) pause();
  const char* const why = std::strerror(errno);
  if (records_) {
    std::fprintf(stderr, "heddle: cannot write HEDDLE_RACES_FILE '%s' (%s); it would have had this:\n",
                 text::readable(output_.file).c_str(), why);
  } else {
    std::fprintf(stderr, "heddle: the process that reports on races is gone (%s); it would have had this:\n", why);
  }
  report::append_to("", record);
}

}  // namespace heddle::watch
