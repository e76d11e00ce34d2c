#pragma once

/// \file
/// The races that a device found, as its report tells them.

#include <heddle/device_options.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/report/collector.h"
#include "emulator/report/suppressions.h"
#include "emulator/watch/race_log.h"

namespace heddle::advice {
class Recent;
}
namespace heddle::trace {
struct Dispatch;
struct ToldRace;
}  // namespace heddle::trace

namespace heddle::watch {

class RunningKernel;

/// As trace::OnRace.
using OnTold = std::function<void(const trace::ToldRace&)>;

/// The races of a device, and what has been handed in of them to the log of the program, if it has one.
class NotedRaces {
 public:
  /// How often race number i came so far.
  using Count = std::function<std::uint64_t(std::size_t)>;

  /// Throws std::invalid_argument for a suppression file that makes no sense.
  NotedRaces(const DeviceOptions& options, Count count);
  ~NotedRaces();

  /// Where the program collects what its devices find; null if that was not asked for.
  RaceLog* log() const { return log_; }
  report::RunId run() const { return run_; }
  /// What is handed in from now on is that run's.
  void join(report::RunId run) { run_ = run; }
  /// A dispatch begins: from the first one on the device is among the runs. If the process ends before the dispatch
  /// does, the report has where it was, which `recent` knows, if that is not null.
  void begin_dispatch(const trace::Dispatch& dispatch, const advice::Recent* recent);
  void end_dispatch();

  /// Whoever is told of races as the log is: the trace, if there is one.
  void on_told(OnTold on_told) { on_told_ = std::move(on_told); }

  /// The two operations of a race, as trace::ToldRace has them.
  struct Operations {
    model::OperationIndex first = model::kInitialValue;
    model::OperationIndex second = model::kInitialValue;
  };
  /// Hands it in at once: a program may never come to its end.
  void add(DataRace race, const Operations& operations);
  /// Calls `tell`, which makes a race and adds it; once more, with the memory that is kept for that, where memory runs
  /// out before it is added. Throws std::bad_alloc then all the same.
  void in_any_case(const std::function<void()>& tell);
  /// Whether there is anybody to hand it in to.
  bool hands_in() const { return log_ || on_told_; }
  /// The report is to say so; handed in at once likewise. What is remarked again is not.
  void remark(const report::Remark& remark);
  /// Handed in at once, unless as much is known of the device already.
  void relies(const report::Relied& relied);
  /// Handed in at once, too.
  void fails(const report::FailedDispatch& failed);
  DataRace& operator[](std::size_t race) { return races_[race]; }
  /// What is said of this one is not what it was when it was added.
  void revise(std::size_t race);
  std::size_t size() const { return races_.size(); }
  /// Becomes as new, if there is nothing to be told and no log to hand it to. False, and nothing happened, otherwise.
  bool restart();
  /// As what run `run` found.
  void collect(report::Collector& collector, report::RunId run) const;
  RaceReport report(const report::Collector& collector) const;
  /// Hands in how often all races came since they were handed in, or as much of that as there is memory for.
  void hand_in_all() noexcept;

 private:
  void hand_in_rest();
  DataRace counted(std::size_t race) const;
  /// With how often it came since it was handed in.
  DataRace not_handed_in(std::size_t race);
  /// Hands in what is said of a race now: to the log, and to the trace.
  void hand_in(std::size_t race, const Operations& operations);

  Count count_;
  report::Suppressions suppressions_;
  bool excuses_itself_ = false;
  std::vector<DataRace> races_;
  std::map<std::string, report::Remark> remarks_;
  /// By what they are of, the strongest.
  std::map<std::string, report::Relied> relied_;
  std::vector<report::FailedDispatch> failed_;
  report::Looked looked_;
  /// Null between dispatches, and where there is no log.
  std::unique_ptr<RunningKernel> running_;
  RaceLog* log_;
  OnTold on_told_;
  report::RunId run_ = 0;
  bool begun_ = false;
  /// How often each was handed in.
  std::vector<std::uint64_t> handed_in_;
};

/// Whether it is a write that is no atomic: two of them may write the same value.
inline bool is_plain_write(const Operation& operation) {
  return operation.kind == OperationKind::Write && !operation.atomic;
}

}  // namespace heddle::watch
