#pragma once

/// \file
/// What all devices of this program found, handed over as it is found.

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "emulator/report/collector.h"
#include "emulator/report/reporter.h"
#include "emulator/watch/ordering_watch.h"
#include "emulator/watch/race_settings.h"
#include "runtime/last_words.h"

namespace heddle::watch {

/// As long as it lives, all devices that this thread makes count as one run: they try variants of a run.
class VariantsOfARun {
 public:
  VariantsOfARun();
  ~VariantsOfARun();
  VariantsOfARun(const VariantsOfARun&) = delete;
  VariantsOfARun& operator=(const VariantsOfARun&) = delete;
};

/// Where devices hand in their findings if HEDDLE_RACES is set: what has been handed in is in the report, whatever ends
/// the program from then on. Thread-safe.
class RaceLog {
 public:
  /// The one of this program; null if no report was asked for. Throws std::invalid_argument for
  /// settings that make no sense.
  static RaceLog* of_process();

  /// What all devices know of orderings.
  KnownOrderings& orderings() { return orderings_; }

  /// A number for a device.
  report::RunId new_run();

  template <typename Finding>
  void add(report::RunId run, const Finding& finding);
  void add(report::RunId run);
  /// Hands over a record while the process ends, in a handler of a signal.
  void add_at_end(std::string_view record) const;

 private:
  explicit RaceLog(RaceOutput output);
  /// `finds`: the run that found it, if it is a finding.
  void write(const std::string& record, std::optional<report::RunId> finds);
  bool hand_over(const std::string& record, std::optional<report::RunId> finds);
  /// From now on the end of this process is told of.
  void hear_of_end();

  KnownOrderings orderings_;
  const bool records_;
  report::ReportOutput output_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  /// Tells which kernels run; before the reporter, which hears of nothing after its own last words. A process that fork
  /// makes has its own.
  std::optional<runtime::LastWords> last_words_;
  pid_t process_ = 0;
  /// Null where `heddle races` makes the report.
  std::unique_ptr<report::Reporter> reporter_;
  /// The runs that found something in this process, if fork has made it.
  std::optional<std::set<report::RunId>> runs_since_fork_;
  std::uint32_t runs_ = 0;
};

extern template void RaceLog::add(report::RunId run, const DataRace& finding);
extern template void RaceLog::add(report::RunId run, const report::Revised& finding);
extern template void RaceLog::add(report::RunId run, const report::OrderingUse& finding);
extern template void RaceLog::add(report::RunId run, const report::RecordedRuns& finding);
extern template void RaceLog::add(report::RunId run, const report::Remark& finding);
extern template void RaceLog::add(report::RunId run, const report::Relied& finding);
extern template void RaceLog::add(report::RunId run, const report::FailedDispatch& finding);
extern template void RaceLog::add(report::RunId run, const report::Looked& finding);

}  // namespace heddle::watch
