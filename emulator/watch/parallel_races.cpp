#include "emulator/watch/parallel_races.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/trace/instructions.h"
#include "emulator/watch/object_names.h"
#include "emulator/watch/own_command.h"
#include "emulator/watch/site_callers.h"

namespace heddle::watch {

ParallelRaces::ParallelRaces(const DeviceOptions& options, trace::Instructions& instructions)
    : instructions_(instructions),
      tells_equal_writes_(options.same_value_writes == SameValueWrites::Notice),
      // Whether the device is one of a trial only the thread that makes it knows.
      again_(fmt::format("HEDDLE_RACES=text HEDDLE_RACES_PARALLEL=0 HEDDLE_MEMORY=random {} {}",
                         seed_assignment(*options.seed), own_command())),
      dispatched_(instructions),
      races_(options, [this](std::size_t race) { return counts_[race]; }) {}

void ParallelRaces::dispatch_begins(const DispatchStart& dispatch) {
  races_.begin_dispatch(dispatch.dispatch, nullptr);
  dispatched_.begins(dispatch.dispatch);
  objects_ = &dispatch.objects;
}

void ParallelRaces::replace(AllocationId allocation) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& race) {
    return std::get<std::uint32_t>(race.first) == static_cast<std::uint32_t>(allocation);
  });
}

void ParallelRaces::race(const race::KernelDetector& detector, const race::KernelRace& race, const ToldAccess& second) {
  const std::lock_guard lock(mutex_);
  const bool shared = detector.site(race.second).operation.storage_class == StorageClass::Workgroup;
  const Key key(race.first, race.second,
                shared ? ~std::uint32_t{0} : static_cast<std::uint32_t>(race.bytes.allocation));
  const auto [known, fresh] = known_.emplace(key, races_.size());
  // What is a race without its tags counts as one of those.
  if (!fresh && race.by_tags && !by_tags_.contains(known->second)) return;
  seen_[{&detector, static_cast<std::size_t>(&race - detector.races().data())}] = known->second;
  if (fresh) return add(detector, race, second);
  DataRace& noted = races_[known->second];
  noted.same_value = noted.same_value && equal_writes(detector, race.first, race.first_agent, second);
}

void ParallelRaces::add(const race::KernelDetector& detector, const race::KernelRace& race, const ToldAccess& second) {
  const std::size_t number = races_.size();
  races_.in_any_case([&] {
    counts_.resize(number + 1, 1);
    if (race.by_tags) by_tags_.insert(number);
    races_.add(made_of(detector, race, second), {});
  });
}

void ParallelRaces::race_again(const race::KernelDetector& detector, std::size_t race, AgentId first,
                               const ToldAccess& second) {
  if (!tells_equal_writes_) return;
  const std::lock_guard lock(mutex_);
  const auto seen = seen_.find({&detector, race});
  if (seen == seen_.end()) return;
  DataRace& noted = races_[seen->second];
  noted.same_value = noted.same_value && equal_writes(detector, detector.races()[race].first, first, second);
}

void ParallelRaces::remark(const report::Remark& remark) {
  const std::lock_guard lock(mutex_);
  races_.remark(remark);
}

void ParallelRaces::fails(const report::FailedDispatch& failed) {
  const std::lock_guard lock(mutex_);
  races_.fails(failed);
}

DataRace ParallelRaces::made_of(const race::KernelDetector& detector, const race::KernelRace& race,
                                const ToldAccess& second) const {
  std::optional<run::AccessDone> first;
  if (const auto known = second.recent->last(race.first, race.first_agent, race.bytes))
    first = {known->bytes, known->values};
  DataRace made = run::race_of(detector, dispatched_, ObjectNames(objects_, race.bytes), race, first,
                               {second.operation->locations, second.values});
  made.replay = again_;
  made.replays = false;
  made.no_change = "runs on all cores have no order in which one could be tried; those of this command have: " + again_;
  made.same_value = tells_equal_writes_ && equal_writes(detector, race.first, race.first_agent, second);
  // The calls that led to the first access are not known.
  made.second.calls = calls_by(instructions_, made.second.where, {instructions_.calls_now()});
  return made;
}

bool ParallelRaces::equal_writes(const race::KernelDetector& detector, race::SiteId site, AgentId agent,
                                 const ToldAccess& second) const {
  const Operation& first = detector.site(site).operation;
  if (!is_plain_write(first) || !is_plain_write(*second.operation)) return false;
  const auto known = second.recent->last(site, agent, second.operation->locations);
  return known && known->bytes == second.operation->locations && known->values.written == second.values.written;
}

void ParallelRaces::count() {
  std::fill(counts_.begin(), counts_.end(), 0);
  for (const auto& [seen, race] : seen_) counts_[race] += seen.first->races()[seen.second].count;
}

RaceReport ParallelRaces::report() {
  report::Collector collector;
  collect(collector, races_.run());
  return races_.report(collector);
}

void ParallelRaces::collect(report::Collector& collector, report::RunId run) {
  const std::lock_guard lock(mutex_);
  count();
  races_.collect(collector, run);
}

void ParallelRaces::hand_in_all() {
  const std::lock_guard lock(mutex_);
  count();
  races_.hand_in_all();
}

}  // namespace heddle::watch
