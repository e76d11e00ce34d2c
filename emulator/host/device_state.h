#pragma once

/// \file
/// Everything that a device keeps between calls: options, memory, allocations, listeners.

#include <heddle/choice.h>
#include <heddle/detail/allocation.h>
#include <heddle/device_options.h>

#include "emulator/memory/memory.h"
#include "emulator/watch/spin_lock.h"
#include "emulator/watch/watchers.h"
#include "runtime/fault.h"
#include "runtime/launch.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle {
struct Configuration;
}

namespace heddle::emulation {
class Emulator;
}

namespace heddle::detail {

class SetAside;
class TrialLimit;

/// Asks the oracle of the current dispatch.
class CurrentChoice final : public Choice {
 public:
  /// From now on `made`, or where that is null draws from the seed.
  void ask(std::unique_ptr<Choice> made, std::uint64_t seed) {
    made_ = std::move(made);
    seeded_ = SeededChoice(seed);
  }
  /// Where all answers come from; null if they come from a made one.
  SeededChoice* drawn() { return made_ ? nullptr : &seeded_; }
  /// The oracle that answers, made or drawn; valid until the next dispatch.
  Choice& direct() { return made_ ? *made_ : static_cast<Choice&>(seeded_); }
  std::uint32_t below(std::uint32_t bound, ChoicePoint point) override {
    return made_ ? made_->below(bound, point) : seeded_.below(bound, point);
  }

 private:
  std::unique_ptr<Choice> made_;
  SeededChoice seeded_{0};
};

/// A device: its settings, its memory, and what it knows of its allocations. Thread-safe but for
/// the emulated memory, which belongs to the one dispatch that runs.
class DeviceState : public std::enable_shared_from_this<DeviceState> {
 public:
  explicit DeviceState(DeviceOptions options);
  ~DeviceState();

  /// Becomes what one is that has just been made with this seed and these oracles, but for the room that it has:
  /// the same seed does the same again. Only for a caller that has it, and all of it, alone.
  void restart(std::uint64_t seed, decltype(DeviceOptions::choices) choices);
  /// What it says of subgroups, lanes, residents and their order holds from now on; its memory and limits stay.
  void lay_out(const Configuration& configuration);
  /// Whether it may be.
  bool can_restart() const { return in_order() && !watchers.has_trace(); }

  std::shared_ptr<Allocation> allocate(std::uint64_t count, std::uint64_t element_bytes, std::string name);
  /// Gives bytes that count as never written values that the seed draws for object `number`, if the options say so;
  /// they have zeros.
  void fill_undefined(std::span<std::byte> bytes, std::uint64_t number) const;
  void free(Allocation& allocation);
  /// The allocation that has the byte at `address`, a freed one as long as its memory is kept.
  std::shared_ptr<Allocation> at(std::uint64_t address);
  /// "'flags', byte 12"; empty if no buffer has that address.
  std::string describe(const void* address);
  /// A number for what all allocations hold that are not freed.
  std::uint64_t contents();
  /// "emulated, memory 'random', seed 7"; for errors.
  std::string description() const;
  ReferenceId new_reference() { return static_cast<ReferenceId>(next_reference_++); }
  /// For an allocation that is never freed.
  AllocationId new_allocation_id() {
    const std::lock_guard lock(mutex_);
    return number_of_new();
  }
  /// The races of all dispatches so far; empty if nothing looks for races. No kernel runs.
  RaceReport race_report() const;
  /// Another memory has all allocations that there are.
  void add_all_to(memory::Memory& other);
  /// Nothing is remembered any more of what was freed until now.
  void submission_ends() {
    if (freed_in_submission_.load(std::memory_order_relaxed)) reuse_freed();
  }

  /// With all defaults filled in.
  DeviceOptions options;
  const Mode mode;
  /// Whether the limits refuse anything that heddle can do.
  const bool narrow_limits;
  std::uint64_t seed() const { return *options.seed; }
  std::uint64_t dispatches = 0;
  /// What all dispatches have in common; in emulated mode also what is left of the last one.
  runtime::Launch launch;
  /// Whether an oracle decides who goes on, one after the other.
  bool in_order() const { return mode == Mode::Emulated && !parallel; }
  /// Emulated mode: whether the memory must know of agents and dependencies.
  bool tells_memory() const { return watchers.listener() || !memory->is_storage(); }
  /// Emulated mode: whatever is left to chance in a dispatch comes from this seed.
  void choose_from(std::uint64_t seed);
  /// Emulated mode: between what was dispatched before and what is dispatched after.
  void depend(memory::Dependency dependency) {
    if (tells_memory()) memory->depend(dependency);
  }

  // Emulated mode only, and for the submission that runs.
  watch::SpinLock submitting;
  /// Something of the thread that holds it; null if none does.
  std::atomic<const void*> submitter{nullptr};
  // What a dispatch leaves held back stays so until the submission ends, and asks its oracle then.
  CurrentChoice choice;
  std::unique_ptr<memory::Memory> memory;
  std::unique_ptr<emulation::Emulator> emulator;
  /// What listens to the memory.
  watch::Watchers watchers;
  /// What dispatches that take turns have to themselves. One of them may be in place of `memory`, `emulator`,
  /// `watchers` and `choice`; it has what was there.
  std::vector<SetAside*> set_aside;
  /// The memory, where races are looked for on all cores; null elsewhere.
  watch::ParallelMemory* parallel = nullptr;
  /// How long what it runs may take; null for as long as it likes.
  TrialLimit* limit = nullptr;
  /// Numbers of the agents and workgroups that begin next.
  std::uint32_t next_agent = 0;
  std::uint32_t next_workgroup = 0;

 private:
  const runtime::FaultHandling fault_handling_;

  void forget_oldest();
  // With mutex_ held:
  AllocationId number_of_new() {
    ++made_allocations_;
    return static_cast<AllocationId>(next_allocation_++);
  }
  AllocationId number_of_freed_or_new();
  void reuse_freed();
  void renew(AllocationId id);

  /// What Workgroup variables do not fit into, where that is a limit.
  std::string memory_limit_;
  /// Names an address for reports.
  const std::function<std::string(const void*)> describe_;
  /// Calls contents(), for the runtime.
  const std::function<std::uint64_t()> contents_;
  /// The model of forward progress; null if there is none.
  std::unique_ptr<const runtime::Fairness> fairness_;

  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Allocation>> by_address_;
  /// Freed, but kept so that a use is noticed.
  std::deque<std::uint64_t> freed_;
  std::uint64_t freed_bytes_ = 0;
  /// Numbers of freed allocations of which nothing is remembered, and of those that were freed during the
  /// submission that runs.
  std::vector<AllocationId> spare_ids_;
  std::vector<AllocationId> ids_freed_in_submission_;
  std::atomic<bool> freed_in_submission_{false};
  std::uint32_t next_allocation_ = 0;
  /// Whatever their numbers are.
  std::uint32_t made_allocations_ = 0;
  std::atomic<std::uint32_t> next_reference_{0};
};

/// What a Device keeps of its state.
struct DeviceHandle {
  std::shared_ptr<DeviceState> state;
};

/// The first owner of an allocation of the device.
Owner first_owner(std::shared_ptr<DeviceState> device, std::shared_ptr<Allocation> allocation);

}  // namespace heddle::detail
