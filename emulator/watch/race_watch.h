#pragma once

/// \file
/// Looks for data races in dispatches whose workgroups run in one order, and explains them.

#include <heddle/device_options.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "emulator/advice/barrier_place.h"
#include "emulator/run/race_finder.h"
#include "emulator/watch/named_objects.h"
#include "emulator/watch/noted_races.h"
#include "emulator/watch/ordering_watch.h"
#include "emulator/watch/site_callers.h"

namespace heddle::race {
class TaggedDetector;
}

namespace heddle::watch {

/// Remembers what plain writes wrote, to tell races of equal writes from others.
class WrittenValues {
 public:
  void note(const Operation& write, model::Value written);
  /// Whether `agent`'s last plain write with the instruction of `site` to the bytes of `second`
  /// wrote this value; false if that is not remembered.
  bool wrote(AgentId agent, const Operation& site, const Operation& second, model::Value value) const;
  void forget() { values_.clear(); }

 private:
  using Key = std::tuple<AgentId, std::uint32_t, const char*, AllocationId, std::uint64_t, std::uint32_t>;
  static Key key(AgentId agent, const Operation& site, const Locations& bytes);
  std::map<Key, model::Value> values_;
};

/// Looks for data races in what a device's memory tells, and knows what people call things.
class RaceWatch final : public run::RaceFinder {
 public:
  /// `options` have all defaults filled in, and must outlive it; the seed among them may change between dispatches.
  /// Throws std::invalid_argument for a suppression file that makes no sense.
  /// `instructions` must outlive it, too.
  RaceWatch(const DeviceOptions& options, trace::Instructions& instructions);
  ~RaceWatch() override;

  /// Who is to be told.
  trace::Listener& listener();

  /// Who is told of races at once as well.
  void on_told(OnTold on_told) { races_.on_told(std::move(on_told)); }

  void dispatch_begins(const DispatchStart& dispatch);
  /// `failed`: before all invocations came to their end.
  void dispatch_ends(bool failed);
  /// What is wrong with the dispatch that runs, which goes on so that what races is found: the first such finding is
  /// raised where it ends.
  void fails_in_the_end(Finding finding) { failure_ = std::move(finding); }
  bool has_failure() const { return failure_.has_value(); }
  std::optional<Finding> take_failure() { return std::exchange(failure_, std::nullopt); }
  /// Becomes as new, for a device that does, if it has found nothing, and hands nothing in. False, and nothing
  /// happened, otherwise.
  bool restart();
  /// The device uses the number of Workgroup memory again, for that of another workgroup.
  void renew(AllocationId allocation);
  /// The device uses the number of a buffer that was freed again, for another one.
  void replace(AllocationId allocation);

  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  void plain(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written) override;
  bool needs_plain_sources() const override { return false; }

  /// Whether accesses that race with none may be told to those two alone, which hear of nothing else.
  bool hears_races_only() const { return !orderings_ && !tells_equal_writes_ && !tagged_; }
  race::KernelDetector& detector() { return detector_; }
  advice::Recent& recent() { return recent_; }
  SiteCallers& callers() { return callers_; }

  report::RunId run() const { return races_.run(); }
  /// As NotedRaces::join, of those of the other one.
  void counts_with(const RaceWatch& other) { races_.join(other.races_.run()); }
  /// As NotedRaces::fails.
  void fails(const report::FailedDispatch& failed) { races_.fails(failed); }
  bool has_races() const { return races_.size() != 0; }
  /// What this one and the others, which count with it, found.
  RaceReport report(std::span<const RaceWatch* const> others) const;
  /// What the report is made of, as that of run `run`.
  void collect(report::Collector& collector, report::RunId run) const;

  /// Hands in how often all races came, if somebody wants them: at the end of the device.
  void hand_in_all();

 private:
  void forget() override;
  /// At a non-atomic access.
  void look_at(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written);
  void note(const race::KernelRace& race) override;
  /// Tells of a race, number `found_as` of the detector. It may be called again if it throws before races_ has the
  /// race.
  void tell(const race::KernelRace& race, std::size_t found_as);
  /// Adds to a race who called the helpers in which its accesses are, as far as is known. True if that is new.
  bool add_calls(std::size_t race, DataRace& noted) const;
  /// Tells who called the accesses of all races from number `first` on: more may be known than when they were told.
  void tell_calls(std::size_t first);
  void note_again(std::size_t race, AgentId first) override;
  void explain(const race::KernelRace& race, bool have_atomics, DataRace& noted);
  /// Whether changes may be tried for one more race.
  bool may_try_changes() const { return explains_ && (wants_all_ || work_ < kMostWork); }
  /// Whether one more race is told, not only counted: each line that races is in one that is.
  bool may_tell(const race::KernelRace& race);
  /// Why nothing was tried for it.
  std::string why_not_tried(const race::KernelRace& race) const;
  /// The agents of the workgroup of this one: the first, and the one after the last.
  std::pair<std::uint32_t, std::uint32_t> group_of(AgentId of) const;
  void tell_reliance();
  /// Now that all have come where they come, takes back what they would have to come to.
  void take_back_divergent_barriers();
  bool equal_writes(const Operation& first, AgentId agent) const;
  std::string replay() const;

  /// When so much has been judged, in Changes::work, no changes are tried for further races of the device.
  static constexpr std::uint64_t kMostWork = 5000000;
  /// When so many pairs of instructions race, only pairs with an instruction that is in none of them are told.
  static constexpr std::size_t kMostTold = 1000;

  const DeviceOptions& options_;
  trace::Instructions& instructions_;
  const bool tells_equal_writes_;
  const bool wants_all_;
  /// Whether changes are tried on the recorded run, and calls are asked for.
  const bool explains_;
  NotedRaces races_;
  WrittenValues written_;
  SiteCallers callers_;
  /// The calls that led to the second access of each race.
  std::vector<trace::CallsId> second_calls_;
  /// The place in races_ of each race of the detector; kUntold of those that are not told.
  std::vector<std::size_t> told_as_;
  static constexpr std::size_t kUntold = ~std::size_t{0};
  /// The race of the detector behind each of races_.
  std::vector<std::size_t> detected_;
  /// The instructions of the races that are told.
  std::set<race::SiteId> told_sites_;
  /// Whether there are races that are not told.
  bool leaves_pairs_out_ = false;
  /// How many races there were when the dispatch that runs began.
  std::size_t races_before_ = 0;
  /// Null without DeviceOptions::race_advice.
  std::unique_ptr<KnownOrderings> own_orderings_;
  std::unique_ptr<OrderingWatch> orderings_;
  std::unique_ptr<RacesAndOrderings> with_orderings_;
  /// Null where no code has tags.
  std::unique_ptr<race::TaggedDetector> tagged_;
  /// A control barrier among the changes of a race, that stands in a block that depends on conditions.
  struct OfferedBarrier {
    std::size_t race = 0;
    std::string change;
    advice::BarrierPlace place;
    AgentId agent{};
  };
  /// In the dispatch that runs.
  std::vector<OfferedBarrier> offered_barriers_;
  std::optional<Finding> failure_;
  /// What it took to try changes until now. Work is counted, not time: equal runs are to have equal reports.
  std::uint64_t work_ = 0;
  /// The objects of the dispatch that runs; null between dispatches.
  NamedObjects* objects_ = nullptr;
};

}  // namespace heddle::watch
