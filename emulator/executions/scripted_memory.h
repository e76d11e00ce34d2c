#pragma once

/// \file
/// A memory for one invocation at a time: reads are answered by a script, and behind its end the invocation is stopped.

#include <heddle/detail/runtime.h>
#include <heddle/operation.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/memory/memory.h"
#include "emulator/model/place.h"

namespace heddle::executions {

using model::Value;

/// Thrown through the kernel: it has come to where its script ends.
struct Stopped {};

/// What an invocation takes from a subgroup operation.
struct Taken {
  std::vector<std::byte> payload;
  /// Who took part, which tells whether a subgroup does the same again and again.
  runtime::LaneMask active;

  friend bool operator==(const Taken&, const Taken&) = default;
};

/// An invocation comes to a subgroup operation.
struct Arrival {
  /// On the stack of the kernel.
  const SourceLocation& where;
  runtime::SubgroupFunction function = nullptr;
  std::span<std::byte> payload;
  /// Null unless it is a control barrier.
  const Operation* barrier = nullptr;
};

/// What others of the subgroup need to know of an arrival.
struct Meeting {
  SourceLocation where;
  runtime::SubgroupFunction function = nullptr;
  std::vector<std::byte> given;
  /// So many meetings before, with the same lanes as ever since, the invocation was in the same state, and it has
  /// changed nothing since; 0 if there is none.
  std::uint32_t repeats = 0;
  /// The lanes of the meetings since then.
  runtime::LaneMask met;
};

/// Allocations and references are numbered anew, so that the same operation is the same in each run.
class ScriptedMemory final : public memory::Memory {
 public:
  /// What each operation of the running invocation reads; 0 for one that reads nothing.
  using Script = std::vector<Value>;

  /// A run begins. `first_reference` is that of the first Workgroup variable.
  void begin_run(const Script& script, ReferenceId first_reference);
  /// The running invocation is this agent of the dispatch, in the workgroup of this number.
  void begin_invocation(AgentId agent, std::uint32_t invocation, std::uint32_t workgroup);
  /// Called before it is asked whether the running invocation is in a state in which it was before.
  void before_state(std::function<void()> prepare) { prepare_state_ = std::move(prepare); }
  /// For the next run: the read-modify-write behind the script reads this, and the step becomes a write.
  void ask_for_modified(std::optional<Value> old) { asked_ = old; }

  /// What the invocation does behind its script; Finished if it has come to its end.
  const explore::Step& step() const { return step_; }
  /// The state of its calls there; nothing if it has come to its end, or that is not known.
  const std::optional<std::uint64_t>& state() const { return state_; }
  /// Whether it was stopped behind its script.
  bool has_stopped() const { return stopped_; }
  /// What it would write behind its script, having read what was asked for; nothing if it would not write.
  const std::optional<Value>& modified() const { return modified_; }

  /// The running invocation does something together with its subgroup. A script has numbers of `taken` for that.
  void meet_subgroup(const Arrival& arrival, const std::vector<Taken>& taken);
  /// The subgroup operation behind the script.
  const Meeting& meeting() const { return meeting_; }

  /// The places of the agents of a dispatch, in their order; collected from the beginning of a run on.
  const std::vector<model::Place>& places() const { return places_; }
  /// What bytes hold before all invocations.
  Value initial(const Locations& bytes) const;
  static bool is_of_workgroup(AllocationId allocation) {
    return static_cast<std::uint32_t>(allocation) >= kFirstOfWorkgroups;
  }

  void listen(trace::Listener*) override {}
  void begin(const memory::Cohort& cohort) override;
  void end(const memory::Cohort&) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void depend(memory::Dependency) override {}
  void settle() override {}
  void restart() override {}
  void add(AllocationId allocation, std::span<std::byte> storage) override { storage_[allocation] = storage; }
  void remove(AllocationId allocation) override { storage_.erase(allocation); }
  void read(const Operation& operation, void* value) override;
  void write(const Operation& operation, const void* value) override;
  void read_modify_write(const Operation& operation, MemorySemantics unequal, memory::Modify modify,
                         void* context) override;
  void barrier(const Operation& operation) override;
  void arrive(const Operation& operation) override;
  void leave(const Operation&, std::span<const AgentId>) override {}

 private:
  static constexpr std::uint32_t kFirstOfWorkgroups = 1u << 16;

  bool is_running(const Operation& operation) const { return operation.agent == running_; }
  bool is_behind_script() const { return at_ == script_->size(); }
  /// An operation with the numbers that it has in every run.
  Operation renumbered(Operation operation) const;
  void note_change();
  /// How many meetings ago the state was the same; see Meeting::repeats.
  std::uint32_t meetings_since(std::uint64_t state) const;
  /// Whether it reads in a state in which it has read before, and has changed nothing since. `local` is on its stack.
  bool is_spinning(const void* local);
  std::optional<std::uint64_t> state_of(const void* local) const;
  [[noreturn]] void stop(explore::StepKind kind, const Operation& operation);

  const Script* script_ = nullptr;
  std::size_t at_ = 0;
  AgentId running_{};
  std::uint32_t invocation_ = 0;
  std::uint32_t workgroup_ = 0;
  std::uint32_t first_reference_ = 0;
  std::uint32_t barriers_ = 0;
  std::uint32_t barriers_alone_ = 0;
  std::optional<Value> asked_;
  std::optional<Value> modified_;
  explore::Step step_;
  std::optional<std::uint64_t> state_;
  bool stopped_ = false;
  std::vector<std::uint64_t> states_;
  /// The states in which it came to its meetings since it last changed something, and the lanes that met there.
  struct Met {
    std::uint64_t state = 0;
    runtime::LaneMask active;
  };
  std::vector<Met> met_;
  Meeting meeting_;
  /// Whether the barrier that it is said to arrive at was a meeting.
  bool has_met_ = false;
  std::function<void()> prepare_state_;
  std::vector<model::Place> places_;
  std::uint32_t first_workgroup_ = 0;
  std::map<AllocationId, std::span<std::byte>> storage_;
};

}  // namespace heddle::executions
