#pragma once

/// \file
/// Collects the races that several threads find.

#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/run/dispatched.h"
#include "emulator/watch/named_objects.h"
#include "emulator/watch/noted_races.h"
#include "emulator/watch/parallel_memory.h"

namespace heddle::watch {

/// The data races of a device whose workgroups run on several threads: what all of them find, each bug once.
class ParallelRaces final : public RaceSink {
 public:
  /// `options` have all defaults filled in, and must outlive it. Throws std::invalid_argument for a suppression file
  /// that makes no sense.
  /// `instructions` must outlive it, too.
  ParallelRaces(const DeviceOptions& options, trace::Instructions& instructions);

  // No kernel runs while these run:
  void dispatch_begins(const DispatchStart& dispatch);
  void dispatch_ends() {
    races_.end_dispatch();
    objects_ = nullptr;
  }
  /// The number of a buffer that was freed will be another one's.
  void replace(AllocationId allocation);
  RaceReport report();
  /// What the report is made of, as that of run `run`.
  void collect(report::Collector& collector, report::RunId run);
  /// How many dispatches it remembers, with the places of their invocations.
  std::size_t remembered_dispatches() const { return dispatched_.count(); }
  /// Hands in how often all races came, if somebody wants them: at the end of the device.
  void hand_in_all();

  void race(const race::KernelDetector& detector, const race::KernelRace& race, const ToldAccess& second) override;
  void race_again(const race::KernelDetector& detector, std::size_t race, AgentId first,
                  const ToldAccess& second) override;
  void overlooked(const std::string& what) override { remark({what}); }
  /// As NotedRaces::remark and NotedRaces::fails.
  void remark(const report::Remark& remark);
  void fails(const report::FailedDispatch& failed);
  void forget() override { dispatched_.forget(); }

 private:
  /// Both instructions and the allocation; of Workgroup memory, of which each workgroup has its own, none.
  using Key = std::tuple<race::SiteId, race::SiteId, std::uint32_t>;
  /// A detector's race, by its number there.
  using Seen = std::pair<const race::KernelDetector*, std::size_t>;

  /// A race of a kind that is none of races_.
  void add(const race::KernelDetector& detector, const race::KernelRace& race, const ToldAccess& second);
  DataRace made_of(const race::KernelDetector& detector, const race::KernelRace& race, const ToldAccess& second) const;
  bool equal_writes(const race::KernelDetector& detector, race::SiteId site, AgentId agent,
                    const ToldAccess& second) const;
  void count();

  /// Asked for calls with mutex_ held.
  trace::Instructions& instructions_;
  const bool tells_equal_writes_;
  /// The command that looks for the same races in an order that replays.
  const std::string again_;
  /// Since the last memory dependency.
  run::Dispatched dispatched_;
  /// The objects of the dispatch that runs; null between dispatches.
  NamedObjects* objects_ = nullptr;

  std::mutex mutex_;
  // Guarded by mutex_:
  NotedRaces races_;
  std::map<Key, std::size_t> known_;
  std::map<Seen, std::size_t> seen_;
  /// The numbers of the races that only tags make.
  std::set<std::size_t> by_tags_;
  /// As of the last time when no kernel ran; 1 of those found since.
  std::vector<std::uint64_t> counts_;
};

}  // namespace heddle::watch
