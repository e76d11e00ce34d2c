#pragma once

/// \file
/// What all devices of this program found, told at its end or while it runs.

#include <mutex>
#include <optional>
#include <string>

#include "emulator/report/collector.h"
#include "emulator/watch/ordering_watch.h"
#include "emulator/watch/race_settings.h"

namespace heddle::watch {

/// As long as it lives, all devices that this thread makes count as one run: they try variants of a run.
class VariantsOfARun {
 public:
  VariantsOfARun();
  ~VariantsOfARun();
  VariantsOfARun(const VariantsOfARun&) = delete;
  VariantsOfARun& operator=(const VariantsOfARun&) = delete;
};

/// Where devices hand in their findings if HEDDLE_RACES is set. Thread-safe.
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

  /// Writes the report, unless `heddle races` does that.
  void finish();

 private:
  explicit RaceLog(RaceOutput output);
  void write(const std::string& text) const;

  KnownOrderings orderings_;
  RaceOutput output_;
  std::string file_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  report::Collector collector_;
  report::Suppressions suppressions_;
  std::uint32_t runs_ = 0;
  bool finished_ = false;
};

extern template void RaceLog::add(report::RunId run, const DataRace& finding);
extern template void RaceLog::add(report::RunId run, const report::Revised& finding);
extern template void RaceLog::add(report::RunId run, const report::OrderingUse& finding);
extern template void RaceLog::add(report::RunId run, const report::RecordedRuns& finding);
extern template void RaceLog::add(report::RunId run, const report::Remark& finding);

}  // namespace heddle::watch
