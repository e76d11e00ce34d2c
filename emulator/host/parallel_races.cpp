#include "emulator/host/parallel_races.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/host/device_state.h"
#include "emulator/host/emulator.h"
#include "emulator/host/own_command.h"

namespace heddle::detail {

ParallelRaces::ParallelRaces(DeviceState& device)
    : tells_equal_writes_(device.options.same_value_writes == SameValueWrites::Notice),
      // Whether the device is one of a trial only the thread that makes it knows.
      again_(fmt::format("HEDDLE_RACES=text HEDDLE_RACES_PARALLEL=0 {} {}",
                         seed_assignment(device.seed()), own_command())),
      races_(device.options, [this](std::size_t race) { return counts_[race]; }) {}

void ParallelRaces::dispatch_begins(std::uint64_t number, std::uint32_t first,
                                    const runtime::Grid& grid, emulation::Emulator& emulator) {
  races_.begin_run();
  dispatched_.begins(number, first, grid);
  emulator_ = &emulator;
}

void ParallelRaces::replace(AllocationId allocation) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& race) {
    return std::get<std::uint32_t>(race.first) == static_cast<std::uint32_t>(allocation);
  });
}

void ParallelRaces::race(const race::KernelDetector& detector, const race::KernelRace& race,
                         const ToldAccess& second) {
  const std::lock_guard lock(mutex_);
  const bool shared =
      detector.site(race.second).operation.storage_class == StorageClass::Workgroup;
  const Key key(race.first, race.second,
                shared ? ~std::uint32_t{0} : static_cast<std::uint32_t>(race.bytes.allocation));
  const auto [known, fresh] = known_.emplace(key, races_.size());
  seen_[{&detector, detector.races().size() - 1}] = known->second;
  if (fresh) {
    counts_.push_back(1);
    return races_.add(made_of(detector, race, second));
  }
  DataRace& noted = races_[known->second];
  noted.same_value = noted.same_value && equal_writes(detector, race.first, race.first_agent, second);
}

void ParallelRaces::race_again(const race::KernelDetector& detector, std::size_t race,
                               AgentId first, const ToldAccess& second) {
  if (!tells_equal_writes_) return;
  const std::lock_guard lock(mutex_);
  DataRace& noted = races_[seen_.at({&detector, race})];
  noted.same_value =
      noted.same_value &&
      equal_writes(detector, detector.races()[race].first, first, second);
}

void ParallelRaces::overlooked(const std::string& what) {
  const std::lock_guard lock(mutex_);
  races_.remark(what);
}

DataRace ParallelRaces::made_of(const race::KernelDetector& detector, const race::KernelRace& race,
                                const ToldAccess& second) const {
  DataRace made;
  const Operation& first = detector.site(race.first).operation;
  made.first = dispatched_.access(race.first_agent, first);
  made.second = dispatched_.access(race.second_agent, detector.site(race.second).operation);
  made.offset_bytes = race.bytes.offset_bytes;
  made.size_bytes = race.bytes.size_bytes;
  made.reason = made.first.dispatch == made.second.dispatch
                    ? race.reason
                    : "the accesses are in two dispatches of one submission, and no memory dependency "
                      "between these makes what the first wrote available and visible to the second";
  made.replay = again_;
  made.replays = false;
  made.same_value = tells_equal_writes_ && equal_writes(detector, race.first, race.first_agent, second);
  add_object_and_values(detector, race, second, made);
  if (emulator_ && first.storage_class == StorageClass::Workgroup)
    note_declaration(made, emulator_->declaration_of(race.bytes));
  return made;
}

void ParallelRaces::add_object_and_values(const race::KernelDetector& detector, const race::KernelRace& race,
                                          const ToldAccess& second, DataRace& noted) const {
  const std::optional<emulation::Binding> object =
      emulator_ ? emulator_->object_with(race.bytes) : std::nullopt;
  const emulation::Binding* const named = object ? &*object : nullptr;
  set_object(noted, named, *second.operation);
  const Operation& first = detector.site(race.first).operation;
  add_values(noted.second, *second.operation, second.operation->locations, second.values, named);
  if (const auto known = second.recent->last(race.first, race.first_agent, race.bytes))
    add_values(noted.first, first, known->bytes, known->values, named);
}

bool ParallelRaces::equal_writes(const race::KernelDetector& detector, race::SiteId site, AgentId agent,
                                 const ToldAccess& second) const {
  const Operation& first = detector.site(site).operation;
  if (!is_plain_write(first) || !is_plain_write(*second.operation)) return false;
  const auto known = second.recent->last(site, agent, second.operation->locations);
  return known && known->bytes == second.operation->locations &&
         known->values.written == second.values.written;
}

void ParallelRaces::count() {
  std::fill(counts_.begin(), counts_.end(), 0);
  for (const auto& [seen, race] : seen_) counts_[race] += seen.first->races()[seen.second].count;
}

RaceReport ParallelRaces::report() {
  const std::lock_guard lock(mutex_);
  count();
  report::Collector collector;
  races_.collect(collector);
  return races_.report(collector);
}

void ParallelRaces::hand_in_all() {
  const std::lock_guard lock(mutex_);
  count();
  races_.hand_in_all();
}

}  // namespace heddle::detail
