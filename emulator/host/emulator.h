#pragma once

/// \file
/// Runs the dispatches of one emulated device: agents, Workgroup memory, checks of each access.

#include <heddle/detail/emulation.h>

#include "emulator/host/device_state.h"
#include "emulator/host/standstill.h"
#include "emulator/run/recorded_accesses.h"
#include "emulator/watch/named_objects.h"
#include "runtime/stack_state.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heddle::edits {
class EditList;
class ProgramEdits;
class Survey;
}  // namespace heddle::edits

namespace heddle::emulation {

class Following;

/// The Workgroup memory of one resident workgroup, and its variables in the order in which the
/// invocations ask for them.
struct WorkgroupMemory : Resident {
  struct Variable {
    Binding binding;
    std::string name;
    SourceLocation declared;
  };
  /// Known to the device's memory as long as there are variables.
  detail::Allocation allocation;
  std::deque<Variable> variables;
  std::uint64_t used_bytes = 0;
  /// The agents of the workgroup that is resident here; none if none is.
  memory::Cohort invocations{{}, 0, {}, {}};
  /// The next one in the list of free ones; null at its end.
  WorkgroupMemory* next_free = nullptr;
};

/// The emulator of a device, for one dispatch after the other.
class Emulator final : public runtime::Observer, public Pulse, public watch::NamedObjects {
 public:
  explicit Emulator(detail::DeviceState& d);
  ~Emulator() override;

  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  /// Nothing that it has is of any use to others but as room: the device starts anew.
  void restart();
  /// A dispatch begins; `bindings` are those of its arguments, until it ends.
  void begin(const runtime::Grid& grid, std::span<const Binding> bindings);
  /// It has ended, well or not.
  void end();

  void workgroup_begins(runtime::Workgroup& group) override;
  void workgroup_ends(runtime::Workgroup& group) override;
  void invocations_meet(runtime::Workgroup& group, std::span<const std::uint32_t> indices) override;
  void dispatch_fails(runtime::Failure& failure) override;
  /// As that, of a finding with which the dispatch goes on.
  void dispatch_is_wrong(Finding& finding);
  /// All of these invocations, which wait, execute one dynamic instance of a barrier together, if they wait at one.
  void meet(WorkgroupMemory& memory, std::span<const std::uint32_t> indices);

  // The dispatch that runs:
  /// Where one of its invocations is.
  Coordinates coordinates(AgentId agent) const;
  /// The number of the invocation's workgroup.
  std::uint32_t workgroup_of(AgentId agent) const {
    return (static_cast<std::uint32_t>(agent) - dispatch_.first_agent) / grid_->group_size;
  }
  const runtime::Grid& grid() const { return *grid_; }

  /// A workgroup is about to have its first variable.
  void begin_variables(WorkgroupMemory& memory);
  /// Decides when others run again.
  void wind_up();
  /// Before each read that is not done in place, and after an update that leaves what is there. True: nothing goes on,
  /// for ever. `access` is on the stack of the kernel.
  bool stands_still_reading(const Agent& agent, const Access& access, bool atomic) {
    return looks_for_standstill_ && is_standstill(standstill_.read(agent.id, place(access), atomic,
                                                                   runtime::StateOfCalls{&access, operations_left}));
  }
  /// Before each write that is not done in place, and after an update that changes what is there. `number` is that of
  /// what is written.
  bool stands_still_writing(const Agent& agent, const Access& access, std::uint64_t number) {
    return looks_for_standstill_ && is_standstill(standstill_.write(agent.id, place(access), number,
                                                                    runtime::StateOfCalls{&access, operations_left}));
  }
  /// As emulation::make_undefined: from now on every access is told.
  bool make_undefined(const Agent& agent, const UndefinedResult& result, void* value, std::uint32_t size_bytes);
  Following& following() { return *following_; }
  /// The numbers of barriers that are executed from now on. No dispatch runs.
  void number_barriers_from(std::uint64_t first) { next_barrier_instance_.store(first, std::memory_order_relaxed); }
  bool looks_for_standstill() const { return looks_for_standstill_; }
  const detail::Standstill& standstill() const { return standstill_; }
  /// The binding has a name that is new.
  void name_object(const Binding& binding);
  /// What a person calls the byte at `address`.
  std::string describe(const void* address);
  std::vector<watch::NamedObject> arguments() const override;
  std::optional<watch::NamedObject> object_with(const Locations& bytes) override;
  SourceLocation declaration_of(const Locations& bytes) override;
  /// Keeps other threads from what they share with this one; nothing where there is one thread.
  std::unique_lock<std::mutex> lock() {
    return device.parallel ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }

  detail::DeviceState& device;
  std::span<const Binding> bindings;
  /// Null for a program that runs as it is. Where there are some every operation has a record.
  std::shared_ptr<edits::ProgramEdits> edits;
  /// What is asked how it could be weakened; mostly null, and only where there are edits.
  std::shared_ptr<edits::Survey> survey;
  /// Bindings of buffers that were reached by address. Guarded by lock().
  std::unordered_map<const detail::Allocation*, Binding> by_address;

 private:
  void tell_failure(Finding& finding, report::FailedDispatch::How how);
  /// What a person calls the byte at `address`; empty if no variable of a workgroup has it.
  std::string describe_variable(const void* address);
  const WorkgroupMemory::Variable* variable_at(const Locations& bytes) const;
  const Binding* object_at(const Locations& bytes) const;
  [[gnu::noinline]] void begin_to_look_for_standstill();
  /// Once something is known to go on it does not look any longer.
  [[gnu::noinline]] bool is_standstill(detail::Standstill::Verdict verdict);
  static detail::Standstill::Place place(const Access& access) {
    const Locations& bytes = access.operation.locations;
    return {bytes.allocation, bytes.offset_bytes};
  }
  void hear_as_usual();
  [[gnu::noinline]] void find_subgroups();
  [[gnu::noinline]] void tell_begin(std::uint32_t groups);
  void begin(WorkgroupMemory& memory, runtime::Workgroup& group);
  void end(WorkgroupMemory& memory);
  [[gnu::noinline]] void end_left_ones();
  [[gnu::noinline]] void forget_variables(WorkgroupMemory& memory);
  /// One that is free. It is given back where its workgroup ends.
  WorkgroupMemory& take_memory();
  void give_back(WorkgroupMemory& memory);
  void did_not_begin(WorkgroupMemory& memory);
  /// Adds memory for a workgroup, which is free and has this number.
  [[gnu::noinline]] void make_memory(AllocationId id);
  [[gnu::noinline]] void workgroup_begins_in_new_memory(runtime::Workgroup& group);
  // Where other threads begin and end workgroups, too.
  [[gnu::noinline]] void parallel_workgroup_begins(runtime::Workgroup& group);
  [[gnu::noinline]] void parallel_workgroup_ends(runtime::Workgroup& group);

  std::mutex mutex_;
  // Guarded by lock(), as are the lists of variables:
  std::vector<std::unique_ptr<WorkgroupMemory>> all_memory_;
  /// So many of them have been asked for since the device started, and have a number.
  std::size_t used_memory_ = 0;
  /// The first free one, and how many are not.
  WorkgroupMemory* free_memory_ = nullptr;
  std::size_t taken_memory_ = 0;
  /// By local invocation index; empty where all are in the first one.
  std::vector<std::uint32_t> subgroups_;
  std::atomic<std::uint64_t> next_barrier_instance_{1};
  /// The memory, if it must know of agents; null otherwise.
  memory::Memory* knows_agents_ = nullptr;
  /// The dispatch that runs.
  trace::Dispatch dispatch_;
  const runtime::Grid* grid_ = nullptr;
  std::uint32_t first_workgroup_ = 0;

  /// How often others are let run half as often at most, while a dispatch goes on.
  const std::uint64_t most_halvings_;
  /// How often the dispatch has been wound up.
  std::uint64_t wound_up_ = 0;
  /// How often it is wound up before it looks for a standstill, for which it hears of all accesses for a while. (Where
  /// winding up happens more seldom, each time counts for as many as it would have been.)
  std::int64_t patience_ = 0;
  /// How much of `patience_` is left until the next look.
  std::int64_t patience_left_ = 0;
  /// What `patience_` doubles up to, look by look.
  const std::int64_t most_patience_;
  /// What `patience_` is when a dispatch begins.
  const std::int64_t first_patience_;
  bool looks_for_standstill_ = false;
  detail::Standstill standstill_;
  const std::unique_ptr<Following> following_;
  std::shared_ptr<edits::EditList> edit_list_;
};

inline WorkgroupMemory& memory_of(const runtime::Workgroup& group) {
  return static_cast<WorkgroupMemory&>(Resident::of(group));
}

inline WorkgroupMemory& memory_of(const Agent& agent) {
  return static_cast<WorkgroupMemory&>(*agent.resident);
}

/// The way of accesses with a record into all emulators: each is done by the emulator of its agent.
run::RecordedAccesses& recorded_accesses();

}  // namespace heddle::emulation
