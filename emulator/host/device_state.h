#pragma once

#include <heddle/choice.h>
#include <heddle/host.h>

#include "emulator/memory/memory.h"
#include "emulator/trace/fork.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace heddle::detail {

class KernelTrace;
class ParallelMemory;
class ParallelRaces;
class RaceWatch;

/// Asks whichever oracle is in charge.
class CurrentChoice final : public Choice {
 public:
  std::uint32_t below(std::uint32_t bound, ChoicePoint point) override {
    return current->below(bound, point);
  }
  Choice* current = nullptr;
};

/// A device: its settings, its memory, and what it knows of its allocations. Thread-safe but for
/// the emulated memory, which belongs to the one dispatch that runs.
class DeviceState : public std::enable_shared_from_this<DeviceState> {
 public:
  explicit DeviceState(DeviceOptions options);
  ~DeviceState();

  std::shared_ptr<Allocation> allocate(std::uint64_t count, std::uint64_t element_bytes,
                                       std::string name);
  void free(Allocation& allocation);
  /// The allocation that has the byte at `address`, a freed one as long as its memory is kept.
  std::shared_ptr<Allocation> at(std::uint64_t address);
  /// "'flags', byte 12"; empty if no buffer has that address.
  std::string describe(const void* address);
  ReferenceId new_reference() { return static_cast<ReferenceId>(next_reference_++); }
  AllocationId new_allocation_id() { return static_cast<AllocationId>(next_allocation_++); }
  /// One that no workgroup of the running dispatch has.
  AllocationId new_workgroup_memory_id() {
    if (spare_workgroup_memory_ids.empty()) return new_allocation_id();
    const AllocationId id = spare_workgroup_memory_ids.back();
    spare_workgroup_memory_ids.pop_back();
    return id;
  }

  const DeviceOptions options;
  const Mode mode;
  const std::uint64_t seed;
  std::uint64_t dispatches = 0;

  // Emulated mode only, and for the submission that runs.
  std::mutex submitting;
  CurrentChoice choice;
  std::unique_ptr<Choice> choice_of_dispatch;
  std::unique_ptr<memory::Memory> memory;
  /// Those that dispatches before it gave to Workgroup memory, if nobody listens.
  std::vector<AllocationId> spare_workgroup_memory_ids;
  /// Looks for data races; null if nobody asked for that.
  std::unique_ptr<RaceWatch> race_watch;
  /// The same on many threads, and the memory then; null otherwise.
  std::unique_ptr<ParallelRaces> parallel_races;
  ParallelMemory* parallel = nullptr;
  /// Writes a trace; null if nobody asked for that.
  std::unique_ptr<KernelTrace> kernel_trace;
  /// Who listens to the memory; may be null.
  trace::Listener* listener = nullptr;
  /// Who listens if both of them do.
  trace::Fork listeners{{}};
  /// Numbers of the agents and workgroups that begin next.
  std::uint32_t next_agent = 0;
  std::uint32_t next_workgroup = 0;

 private:
  void forget_oldest();

  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Allocation>> by_address_;
  /// Freed, but kept so that a use is noticed.
  std::deque<std::uint64_t> freed_;
  std::uint64_t freed_bytes_ = 0;
  std::atomic<std::uint32_t> next_reference_{0};
  std::atomic<std::uint32_t> next_allocation_{0};
};

}  // namespace heddle::detail
