#pragma once

/// \file
/// What is played on the weak machine, in which every move is made from outside.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "emulator/lab/chronicle.h"
#include "emulator/lab/move.h"
#include "emulator/lab/played.h"
#include "emulator/lab/script.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/recorder.h"

namespace heddle::lab {

/// The state of a game. The same moves lead to the same state.
class World {
 public:
  /// `played` must outlive the world.
  World(const Played& played, const Rules& rules);

  void restart();
  /// Makes a move; false if it is none that could be made now, after which only restart() has a meaning.
  bool make(const Move& move);
  /// From the start.
  bool replay(std::span<const Move> moves);
  /// Everything that waits is delivered, as if the threads came to an end here: what is on its way has a place in
  /// modification order then. No move makes sense after that.
  void settle() { stage_->memory().settle(); }

  const Rules& rules() const { return rules_; }
  /// Whether a read was answered with what is older than the machine would keep: from then on the machine's promise
  /// does not hold, and a move is one only if the judge accepts what has happened behind it.
  bool asks_judge() const { return asks_judge_; }
  const Played& played() const { return played_; }
  const explore::Program& program() const { return stage_->program(); }
  const Stage& stage() const { return *stage_; }
  const run::Runner& runner() const { return std::as_const(*stage_).runner(); }
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

  const Played& played_;
  Rules rules_;
  Script script_;
  std::unique_ptr<Stage> stage_;
  /// The memory of the stage, as a player sees it.
  memory::ByHand* by_hand_;
  Chronicle chronicle_;
  trace::Recorder recorder_;
  trace::Fork fork_;
  std::optional<run::RunEnd> end_;
  bool asks_judge_ = false;
};

}  // namespace heddle::lab
