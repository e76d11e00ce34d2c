#include "emulator/mu/host/device_calls.h"

#include <fmt/format.h>

#include "emulator/mu/host/machine.h"

namespace heddle::mu::host {

std::uint32_t DeviceCalls::run() const {
  return machine_.number_;
}

std::uint64_t DeviceCalls::seed() const {
  return *machine_.options_.seed;
}

const MemoryPolicy& DeviceCalls::policy() const {
  return machine_.policy_;
}

// A device's trace is a file beside the trace of the threads.
std::string DeviceCalls::new_trace() {
  const std::string& of_threads = *machine_.options_.trace;
  return of_threads.empty() ? "" : fmt::format("{}.device{}", of_threads, traced_++);
}

std::optional<runtime::HostThreads::Call> DeviceCalls::make_call(const SourceLocation& where) {
  if (!machine_.begin_operation(where)) return std::nullopt;
  const ClockValue* const clock = machine_.memory_.perform(machine_.running_);
  return Call{machine_.running_, {clock, machine_.memory_.most_threads()}};
}

void DeviceCalls::refuse(const char* what, const SourceLocation& where) {
  machine_.refuse(what, where);
}

bool DeviceCalls::let_others_go_on(const SourceLocation& where) {
  if (machine_.ready_.size() < 2) return false;
  if (++machine_.operations_ > machine_.options_.most_operations)
    machine_.stop(
        FindingKind::NoProgress,
        fmt::format("the run has had {} operations and goes on; a thread waits for a queue that nobody lets go on",
                    machine_.operations_ - 1),
        where);
  if (!machine_.stopping_) machine_.leave();
  if (machine_.stopping_) throw Unwind{};
  return true;
}

void DeviceCalls::tell(const DataRace& race) {
  machine_.findings_.add(race);
}

}  // namespace heddle::mu::host
