#pragma once

/// \file
/// All states that the interleaved invocations of a dispatch come to.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/progress/states.h"
#include "emulator/spirv/program.h"

namespace heddle::spirv {

/// What an invocation does in one step: a scalar access or an arrival at a control barrier, or it passes the barrier,
/// or goes one of two ways where nothing defines which.
struct InterleavedStep {
  std::uint32_t invocation = 0;
  /// Nothing for a step of commands that others do not see.
  std::optional<std::uint32_t> command;
  bool passes = false;
  /// The way that is chosen at a branch on a value that nothing defines.
  std::optional<bool> chosen;
  std::optional<std::uint64_t> read;
  std::optional<std::uint64_t> written;
};

/// The states of a dispatch whose invocations take turns on memory that has one copy of everything, each once. What
/// others do not see of an invocation belongs to the step in front of it, and its first commands to its first step.
class StateGraph : public progress::Graph {
 public:
  using State = progress::State;

  /// Comes to `most_states` at most, and stops early once `cancelled` is true. All must outlive it. Throws Error for a
  /// dispatch whose invocations cannot be interleaved.
  StateGraph(const Analysis& analysis, const Question& question, std::size_t most_states,
             const std::atomic<bool>& cancelled);
  ~StateGraph() override;
  StateGraph(const StateGraph&) = delete;
  StateGraph& operator=(const StateGraph&) = delete;

  std::size_t size() const override { return states_.size(); }
  const progress::Edges& edges() const override { return edges_; }
  /// False if there are more states, or an execution with undefined behaviour or with too long a computation.
  bool complete() const { return complete_; }
  /// Commands at which undefined behaviour is met.
  const Faults& faults() const { return faults_; }

  bool begun(State state, std::uint32_t thread) const override { return local(state, thread).begun; }
  bool ended(State state, std::uint32_t thread) const override { return local(state, thread).kind == Kind::Ended; }
  bool waits(State state, std::uint32_t thread) const override { return local(state, thread).kind == Kind::Waiting; }
  bool can_run(State state, std::uint32_t thread) const override;
  bool stands_still(State state) const override;
  /// The filter of the header discards executions.
  bool is_discarded(State state) const override;

  InterleavedStep step(const progress::Edge& edge) const;

 private:
  enum class Kind : std::uint8_t {
    /// Is in front of a step, or has not begun.
    Ready,
    Waiting,
    /// May pass the barrier that it stands at.
    Open,
    /// Goes round for ever without a step that others see.
    Idle,
    Ended,
    /// Was given up: it met undefined behaviour, or computes for too long.
    Lost,
  };
  /// A state of one invocation: only the slots that it still uses.
  struct Local {
    bool begun = false;
    Kind kind = Kind::Ready;
    std::uint32_t at = 0;
    std::vector<std::uint64_t> slots;
    /// How often each loop with a control barrier inside has begun anew, while the invocation is in the loop.
    std::vector<std::uint64_t> iterations;
    Tangle tangle;
    /// Where lanes of a subgroup wait for each other (Meetings::Meeting::point): what this one gives, and when all have
    /// come what all of them gave.
    std::uint64_t point = 0;
    std::vector<std::uint64_t> told;
    auto tied() const { return std::tie(begun, kind, at, slots, iterations, tangle, point, told); }
    friend bool operator==(const Local&, const Local&) = default;
    friend bool operator<(const Local& a, const Local& b) { return a.tied() < b.tied(); }
  };
  /// What an object holds, byte by byte.
  using Bytes = std::string;
  /// Numbers of the invocations' states, then of what the objects hold.
  using Row = std::vector<std::uint32_t>;
  /// What an invocation does next in one of its states.
  struct Standing {
    /// The step, if the kind is Ready; the command that it is at; and the state in front of it, or instead of it.
    explore::Step step;
    Kind kind = Kind::Ready;
    std::uint32_t at = 0;
    std::uint32_t local = 0;
    /// The point of a talk of lanes, if the step is one, and what the invocation gives there.
    std::optional<std::uint64_t> point;
    std::vector<std::uint64_t> given;
  };
  struct Runner;

  void explore(std::size_t most_states, const std::atomic<bool>& cancelled);
  void number_barrier_loops();
  Row first_row();
  const Local& local(State state, std::uint32_t thread) const { return locals_[states_.row(state)[thread]]; }
  std::uint64_t bytes_at(std::span<const std::uint32_t> row, const Locations& where) const;
  void put(Row& row, const Locations& where, std::uint64_t value) const;
  const Standing& standing(std::uint32_t thread, std::uint32_t number) const;
  std::uint32_t after(std::uint32_t thread, const Standing& here, std::uint64_t read) const;
  InterleavedStep advance(Row& row, std::uint32_t thread, std::uint32_t choice) const;
  std::uint64_t act(Row& row, const explore::Step& step, std::uint32_t choice, InterleavedStep& out) const;
  /// Whether two who wait at one command are in the same iterations of the loops around it.
  bool are_in_one_iteration(const Local& a, const Local& b) const;
  void arrive(Row& row, std::uint32_t thread, const Standing& here) const;
  bool has_arrived(const Local& there, const Local& arriving, const Standing& here) const;
  void open(Row& row, const Standing& here) const;
  void tell(const Local& local, const explore::Step& step) const;
  Kind come_to(std::uint32_t thread, std::uint64_t read, explore::Step& step) const;
  Local taken(std::uint32_t thread, Kind kind, const explore::Step& step) const;
  void stand(std::uint32_t thread, const Local& local) const;
  /// Iterations that all who may meet have in common do not matter.
  void forget_common_iterations(Row& row) const;
  void forget_common_iterations(Row& row, std::span<const std::uint32_t> group) const;

  const Dispatch& dispatch_;
  const Question& question_;
  mutable Meetings meetings_;
  mutable Board board_;
  std::vector<std::unique_ptr<Runner>> runners_;
  /// The loops around control barriers, and for each whether a command is inside.
  std::vector<std::uint32_t> barrier_loops_;
  std::vector<std::vector<bool>> inside_;
  std::vector<std::vector<std::uint32_t>> groups_;
  progress::States states_;
  mutable progress::Numbers<Local> locals_;
  mutable progress::Numbers<Bytes> objects_;
  /// How many bytes of objects are kept, whatever states they are of.
  mutable std::uint64_t kept_bytes_ = 0;
  mutable Faults faults_;
  progress::Edges edges_;
  bool complete_ = true;
};

}  // namespace heddle::spirv
