#include "emulator/watch/watchers.h"

#include <utility>
#include <vector>

#include "emulator/memory/sequential.h"
#include "emulator/run/recorded_accesses.h"
#include "emulator/watch/code_instructions.h"
#include "emulator/watch/kernel_trace.h"
#include "emulator/watch/parallel_memory.h"
#include "emulator/watch/parallel_races.h"
#include "emulator/watch/race_watch.h"
#include "emulator/watch/tagged_code.h"
#include "emulator/watch/watched_memory.h"

namespace heddle::watch {

Watchers::Watchers(const DeviceOptions& options, run::RecordedAccesses& recorded)
    : options_(options), recorded_(recorded) {
  if (*options.races_parallel) {
    parallel_races_ = std::make_unique<ParallelRaces>(options, instructions());
    return;
  }
  if (!options.trace->empty()) kernel_trace_ = std::make_unique<KernelTrace>(*options.trace, instructions());
}

Watchers::~Watchers() = default;

trace::Instructions& Watchers::instructions() {
  if (!instructions_) instructions_ = std::make_unique<CodeInstructions>();
  return *instructions_;
}

std::unique_ptr<ParallelMemory> Watchers::make_parallel_memory() {
  return parallel_races_ ? std::make_unique<ParallelMemory>(*parallel_races_, recorded_, has_tagged_code()) : nullptr;
}

void Watchers::listen_to(memory::Memory& memory) {
  std::vector<trace::Listener*> all;
  // The quick door refers to the watch that is replaced here.
  watched_memory_.reset();
  // The trace hears of an operation first: a race with it stands behind it there.
  if (kernel_trace_) all.push_back(kernel_trace_.get());
  if (*options_.races) {
    race_watch_ = std::make_unique<RaceWatch>(options_, instructions());
    if (kernel_trace_) race_watch_->on_told([this](const trace::ToldRace& race) { kernel_trace_->raced(race); });
    all.push_back(&race_watch_->listener());
  }
  if (all.empty()) return;
  if (all.size() > 1) fork_ = std::make_unique<trace::Fork>(all);
  listener_ = fork_ ? fork_.get() : all.front();
  memory.listen(listener_);
  if (options_.memory->sequential && race_watch_ && !kernel_trace_ && race_watch_->hears_races_only())
    watched_memory_ =
        std::make_unique<WatchedMemory>(static_cast<memory::SequentialMemory&>(memory), *race_watch_, recorded_);
}

void Watchers::also_tell(trace::Listener& other, memory::Memory& memory) {
  if (listener_) with_other_ = std::make_unique<trace::Fork>(std::vector<trace::Listener*>{listener_, &other});
  listener_ = with_other_ ? with_other_.get() : &other;
  watched_memory_.reset();
  memory.listen(listener_);
}

void Watchers::exchange(Watchers& other) {
  std::swap(instructions_, other.instructions_);
  std::swap(race_watch_, other.race_watch_);
  std::swap(watched_memory_, other.watched_memory_);
  std::swap(listener_, other.listener_);
  std::swap(fork_, other.fork_);
  std::swap(with_other_, other.with_other_);
}

void Watchers::counts_with(const Watchers& other) {
  if (race_watch_) race_watch_->counts_with(*other.race_watch_);
}

void Watchers::restart(memory::Memory& memory) {
  if (race_watch_ && !race_watch_->restart()) listen_to(memory);
}

void Watchers::tell_trace(const trace::ToldRace& race) {
  kernel_trace_->raced(race);
}

trace::ApiListener* Watchers::steps() const {
  return kernel_trace_.get();
}

void Watchers::dispatch_begins(const DispatchStart& dispatch) {
  if (race_watch_) race_watch_->dispatch_begins(dispatch);
  if (kernel_trace_) kernel_trace_->dispatch_begins(dispatch);
  if (parallel_races_) parallel_races_->dispatch_begins(dispatch);
}

void Watchers::dispatch_ends(bool failed) {
  if (race_watch_) race_watch_->dispatch_ends(failed);
  if (parallel_races_) parallel_races_->dispatch_ends();
}

emulation::AccessDoor* Watchers::door() const {
  if (watched_memory_) return watched_memory_.get();
  return listener_ ? &recorded_ : nullptr;
}

void Watchers::name_object(const NamedObject& object) {
  kernel_trace_->name_object(object);
}

std::optional<Finding> Watchers::take_failure() {
  return race_watch_ ? race_watch_->take_failure() : std::nullopt;
}

bool Watchers::has_races() const {
  return race_watch_ && race_watch_->has_races();
}

void Watchers::renew_workgroup_memory(AllocationId allocation) {
  if (race_watch_) race_watch_->renew(allocation);
  if (kernel_trace_) kernel_trace_->renew(allocation);
}

void Watchers::replace_buffer(AllocationId allocation) {
  if (race_watch_) race_watch_->replace(allocation);
  if (parallel_races_) parallel_races_->replace(allocation);
  if (kernel_trace_) kernel_trace_->renew(allocation);
}

void Watchers::flush_trace(bool checks) {
  if (!kernel_trace_) return;
  kernel_trace_->flush();
  if (checks) kernel_trace_->check();
}

std::optional<report::RunId> Watchers::run() const {
  return race_watch_ ? std::optional(race_watch_->run()) : std::nullopt;
}

void Watchers::fails(const report::FailedDispatch& failed) {
  if (race_watch_) race_watch_->fails(failed);
  if (parallel_races_) parallel_races_->fails(failed);
}

RaceReport Watchers::race_report(std::span<const Watchers* const> others) const {
  if (parallel_races_) return parallel_races_->report();
  if (!race_watch_) return {};
  std::vector<const RaceWatch*> watches;
  for (const Watchers* const other : others) watches.push_back(other->race_watch_.get());
  return race_watch_->report(watches);
}

void Watchers::collect(report::Collector& collector, report::RunId run) const {
  if (race_watch_) race_watch_->collect(collector, run);
  if (parallel_races_) parallel_races_->collect(collector, run);
}

void Watchers::hand_in_all() {
  if (race_watch_) race_watch_->hand_in_all();
  if (parallel_races_) parallel_races_->hand_in_all();
}

}  // namespace heddle::watch
