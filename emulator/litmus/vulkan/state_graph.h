#pragma once

/// \file
/// All states that the interleaved threads of a test come to.

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/litmus/vulkan/barriers.h"
#include "emulator/litmus/vulkan/cooperative.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/progress/states.h"

namespace heddle::litmus {

/// What a thread does in one step: an access or an arrival at a control barrier, or it passes the barrier.
struct InterleavedStep {
  std::uint32_t thread = 0;
  /// Its index in the thread's code. Nothing for a step of instructions that others do not see.
  std::optional<std::size_t> instruction;
  bool passes = false;
  std::optional<Integer> read;
  std::optional<Integer> written;
};

/// The states of a test whose threads take turns on memory that has one copy of everything, each once, in the order of
/// how many steps lead to them. A thread's instructions that others do not see belong to the step in front of them, and
/// its first ones to its first step.
class StateGraph : public progress::Graph {
 public:
  using State = progress::State;

  /// Comes to `most_states` at most, and stops early once `cancelled` is true. `test` must outlive it. Without
  /// `observed` registers that the assertion names count like all others: only while their values are used.
  StateGraph(const Test& test, Performers performers, bool observed, std::size_t most_states,
             const std::atomic<bool>& cancelled);
  StateGraph(const StateGraph&) = delete;
  StateGraph& operator=(const StateGraph&) = delete;

  std::size_t size() const override { return states_.size(); }
  const progress::Edges& edges() const override { return edges_; }
  /// False if there are more states, or an execution that divides by zero or computes for too long.
  bool complete() const { return complete_; }
  /// Lines of the test with a division by zero that was met.
  const std::set<std::uint32_t>& faults() const { return faults_; }

  bool begun(State state, std::uint32_t thread) const override { return local(state, thread).begun; }
  bool ended(State state, std::uint32_t thread) const override { return local(state, thread).kind == Kind::Ended; }
  bool waits(State state, std::uint32_t thread) const override { return local(state, thread).kind == Kind::Waiting; }
  bool can_run(State state, std::uint32_t thread) const override;
  bool stands_still(State state) const override;
  /// The filter of the test discards executions.
  bool is_discarded(State state) const override;

  /// The step of a thread that can run.
  InterleavedStep step(State state, std::uint32_t thread) const;

 private:
  enum class Kind : std::uint8_t {
    /// Is in front of an access or a control barrier, or has not begun.
    Ready,
    Waiting,
    /// Goes round for ever without a step that others see.
    Idle,
    Ended,
    /// Was given up: it divides by zero, or computes for too long.
    Lost,
  };
  /// A state of one thread. Registers that are not used any more are 0.
  struct Local {
    bool begun = false;
    Kind kind = Kind::Ready;
    std::size_t at = 0;
    std::vector<Integer> registers;
    friend bool operator<(const Local& a, const Local& b) {
      return std::tie(a.begun, a.kind, a.at, a.registers) < std::tie(b.begun, b.kind, b.at, b.registers);
    }
  };
  /// By number of the barrier, and by thread: how often it arrived, less what all participants have in common.
  using Arrivals = std::map<std::uint32_t, std::vector<std::uint32_t>>;
  /// What is different in each state.
  struct World {
    std::vector<Local> threads;
    std::vector<Integer> memory;
    Arrivals arrivals;
  };
  World first_world() const;
  World world(State state) const;
  State add(const World& world);
  const Local& local(State state, std::uint32_t thread) const { return locals_[states_.row(state)[thread]]; }
  bool is_open(std::uint32_t thread, const Local& local, const Arrivals& arrivals) const;
  Integer value(const Local& local, const Operand& operand) const;
  std::uint32_t barrier_of(std::uint32_t thread, const Local& local) const;
  InterleavedStep advance(World& world, std::uint32_t thread) const;
  void access(World& world, std::uint32_t thread, InterleavedStep& step) const;
  void arrive(World& world, std::uint32_t thread) const;
  /// Lets a thread go on to where others see what it does, and forget the registers that it does not use.
  void settle(Local& local, std::uint32_t thread) const;
  bool compute(Local& local, std::uint32_t thread, const Instruction& instruction) const;
  bool is_seen(std::uint32_t thread, std::size_t at) const;

  const Test& test_;
  const Performers performers_;
  /// By thread.
  std::vector<std::vector<std::vector<bool>>> live_;
  /// Its numbers are given when they are first asked for.
  mutable Barriers barriers_;
  mutable std::set<std::uint32_t> faults_;

  /// By state: a number for each thread, for each location, and for the arrivals.
  progress::States states_;
  progress::Numbers<Local> locals_;
  progress::Numbers<Integer> values_;
  progress::Numbers<Arrivals> arrivals_;
  progress::Edges edges_;
  bool complete_ = true;
};

}  // namespace heddle::litmus
