#pragma once

/// \file
/// A litmus test on the weak machine, in which every move is made from outside.

#include <heddle/memory_policy.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "emulator/lab/chronicle.h"
#include "emulator/lab/move.h"
#include "emulator/lab/script.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/memory/by_hand.h"
#include "emulator/memory/memory.h"
#include "emulator/run/runner.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/recorder.h"

namespace heddle::lab {

/// How a test is played.
struct Rules {
  /// Iterations of each loop that change something.
  std::uint64_t bound = 2;
  /// Availability and visibility chains.
  bool chains = true;
  /// Which of litmus::choices_of_performers, of a test with cooperative accesses.
  std::uint32_t performers = 0;
};

/// The policy of the machine that is played: it moves nothing of its own accord but what a spinning thread waits for,
/// and asks for every answer.
MemoryPolicy played_policy();

/// The state of a game. The same moves lead to the same state.
class World {
 public:
  /// `test` must outlive the world.
  World(const litmus::Test& test, const Rules& rules);

  void restart();
  /// Makes a move; false if it is none that could be made now, after which only restart() has a meaning.
  bool make(const Move& move);
  /// From the start.
  bool replay(std::span<const Move> moves);
  /// Everything that waits is delivered, as if the threads came to an end here: what is on its way has a place in
  /// modification order then. No move makes sense after that.
  void settle() { memory_->settle(); }

  const Rules& rules() const { return rules_; }
  /// Whether a read was answered with what is older than the machine would keep: from then on the machine's promise
  /// does not hold, and a move is one only if the judge accepts what has happened behind it.
  bool asks_judge() const { return asks_judge_; }
  const litmus::Test& test() const { return program_.test(); }
  const litmus::TestProgram& program() const { return program_; }
  const run::Runner& runner() const { return runner_; }
  /// The memory, as a player sees it.
  memory::ByHand& machine() { return *by_hand_; }
  const Chronicle& chronicle() const { return chronicle_; }
  const trace::Recorder& recorder() const { return recorder_; }
  /// What the last move was asked, and answered.
  const Script& script() const { return script_; }
  /// After Finish.
  std::optional<run::RunEnd> end() const { return end_; }

 private:
  bool serve(const Move& move);

  Rules rules_;
  litmus::TestProgram program_;
  Script script_;
  std::unique_ptr<memory::Memory> memory_;
  /// `memory_`, as a player sees it.
  memory::ByHand* by_hand_;
  run::Runner runner_;
  Chronicle chronicle_;
  trace::Recorder recorder_;
  trace::Fork fork_;
  std::optional<run::RunEnd> end_;
  bool asks_judge_ = false;
};

/// A read of a variable by a thread, as an instruction of its code would do it; nothing if none reads it.
std::optional<Operation> read_of(const litmus::Test& test, std::uint32_t thread, std::uint32_t variable);

}  // namespace heddle::lab
