#include "emulator/watch/noted_races.h"

#include <cstdlib>
#include <new>

#include "emulator/report/records.h"
#include "emulator/trace/components.h"
#include "emulator/watch/own_command.h"
#include "emulator/watch/running_kernel.h"
#include "runtime/launch.h"

namespace heddle::watch {
namespace {

report::Suppressions suppressions_of(const std::string& file) {
  return file.empty() ? report::Suppressions() : report::Suppressions(file);
}

report::Looked looked_of(const DeviceOptions& options) {
  using Order = report::Looked::Order;
  const Order order = InTrial::any() ? Order::OfSearch : *options.races_parallel ? Order::OfMachine : Order::OfSeed;
  return {order, *options.seed, std::string(options.memory->name), options.memory->sequential};
}

}  // namespace

NotedRaces::NotedRaces(const DeviceOptions& options, Count count)
    : count_(std::move(count)),
      suppressions_(suppressions_of(options.race_suppressions)),
      looked_(looked_of(options)),
      log_(RaceLog::of_process()) {
  if (log_) run_ = log_->new_run();
  // What the environment names is looked at when all devices have ended.
  const char* shared = std::getenv("HEDDLE_RACES_SUPPRESS");
  excuses_itself_ = !options.race_suppressions.empty() && options.race_suppressions != (shared ? shared : "");
}

NotedRaces::~NotedRaces() = default;

void NotedRaces::begin_dispatch(const trace::Dispatch& dispatch, const advice::Recent* recent) {
  if (log_ && !begun_) log_->add(run_, looked_);
  begun_ = true;
  if (log_) running_ = std::make_unique<RunningKernel>(run_, dispatch, recent);
}

void NotedRaces::end_dispatch() {
  running_.reset();
}

bool NotedRaces::restart() {
  if (log_ || !races_.empty() || !remarks_.empty() || !failed_.empty()) return false;
  begun_ = false;
  relied_.clear();
  return true;
}

void NotedRaces::add(DataRace race, const Operations& operations) {
  handed_in_.resize(races_.size() + 1, 0);
  races_.push_back(std::move(race));
  try {
    hand_in(races_.size() - 1, operations);
  } catch (const std::bad_alloc&) {
    runtime::give_up_reserve();
    hand_in_all();
    throw;
  }
}

void NotedRaces::in_any_case(const std::function<void()>& tell) {
  const std::size_t before = size();
  try {
    tell();
  } catch (const std::bad_alloc&) {
    runtime::give_up_reserve();
    if (size() == before) tell();
    throw;
  }
}

void NotedRaces::hand_in(std::size_t number, const Operations& operations) {
  if (!hands_in()) return;
  const DataRace race = not_handed_in(number);
  if (log_) log_->add(run_, race);
  handed_in_[number] += race.count;
  if (on_told_) on_told_({operations.first, operations.second, report::record(run_, race)});
}

void NotedRaces::revise(std::size_t number) {
  if (!hands_in()) return;
  const report::Revised revised{not_handed_in(number)};
  if (log_) log_->add(run_, revised);
  handed_in_[number] += revised.race.count;
  if (on_told_) on_told_({.record = report::record(run_, revised)});
}

void NotedRaces::remark(const report::Remark& remark) {
  if (remarks_.emplace(remark.text, remark).second && log_) log_->add(run_, remark);
}

void NotedRaces::relies(const report::Relied& relied) {
  report::Relied& known = relied_[relied.of];
  if (relied.rank <= known.rank) return;
  known = relied;
  if (log_) log_->add(run_, relied);
}

void NotedRaces::fails(const report::FailedDispatch& failed) {
  if (failed.how != report::FailedDispatch::How::Ended) end_dispatch();
  // Told again, since more is known by now.
  std::erase_if(failed_, [&](const report::FailedDispatch& known) {
    return known.dispatch == failed.dispatch && known.how == failed.how;
  });
  failed_.push_back(failed);
  if (log_) log_->add(run_, failed);
}

DataRace NotedRaces::counted(std::size_t race) const {
  DataRace made = races_[race];
  made.count = count_(race);
  return made;
}

void NotedRaces::collect(report::Collector& collector, report::RunId run) const {
  if (begun_) collector.add(run);
  for (std::size_t i = 0; i < races_.size(); ++i) collector.add(run, counted(i));
  for (const auto& [text, remark] : remarks_) collector.add(run, remark);
  for (const auto& [of, relied] : relied_) collector.add(run, relied);
  for (const report::FailedDispatch& failed : failed_) collector.add(run, failed);
}

RaceReport NotedRaces::report(const report::Collector& collector) const {
  report::Suppressions suppressions = suppressions_;
  return collector.report(suppressions);
}

DataRace NotedRaces::not_handed_in(std::size_t number) {
  DataRace race = counted(number);
  if (excuses_itself_) race.excuse = suppressions_.excuse(race);
  race.count -= handed_in_[number];
  return race;
}

void NotedRaces::hand_in_rest() {
  for (std::size_t i = 0; i < races_.size(); ++i)
    if (count_(i) != handed_in_[i]) hand_in(i, {});
}

// Every race was handed in when it was found: nothing but numbers is lost where even the reserve is not enough.
void NotedRaces::hand_in_all() noexcept {
  if (!hands_in()) return;
  for (const bool has_reserve : {true, false}) {
    try {
      return hand_in_rest();
    } catch (const std::bad_alloc&) {
      if (has_reserve) runtime::give_up_reserve();
    }
  }
}

}  // namespace heddle::watch
