#pragma once

/// \file
/// What a player does: one move.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/lab/played.h"
#include "emulator/model/execution.h"

namespace heddle::lab {

enum class MoveKind : std::uint8_t {
  /// A thread goes on by one operation.
  Go,
  /// A write moves one cache on.
  Deliver,
  /// A thread gives up its copy of a variable.
  Invalidate,
  /// All threads have come to a halt: what waits is delivered, and the game ends.
  Finish,
};

struct Move {
  static Move go(std::uint32_t thread, std::vector<std::uint32_t> answers) {
    Move move;
    move.thread = thread;
    move.answers = std::move(answers);
    return move;
  }
  /// A thread goes on by a read, or an update, of what that write left, which is older than the machine would keep.
  static Move go_older(std::uint32_t thread, model::OperationIndex write) {
    Move move;
    move.thread = thread;
    move.served = write;
    return move;
  }
  static Move deliver(model::OperationIndex write) {
    Move move;
    move.kind = MoveKind::Deliver;
    move.write = write;
    return move;
  }
  static Move invalidate(std::uint32_t thread, std::uint32_t variable) {
    Move move;
    move.kind = MoveKind::Invalidate;
    move.thread = thread;
    move.variable = variable;
    return move;
  }
  /// `which` of the outcomes of final_outcomes (finals.h).
  static Move finish(std::uint32_t which = 0) {
    Move move;
    move.kind = MoveKind::Finish;
    move.which = which;
    return move;
  }

  MoveKind kind = MoveKind::Go;
  /// Go and Invalidate: index of the thread.
  std::uint32_t thread = 0;
  /// Go: what the thread's step leaves open, in the order in which it is asked (script.h).
  std::vector<std::uint32_t> answers;
  /// Go: the write whose value is read; model::kInitialValue for what was there to begin with. Nothing where the
  /// machine answers the read.
  std::optional<model::OperationIndex> served;
  /// Finish: where no order says which write of a variable is the last one, which of the outcomes.
  std::uint32_t which = 0;
  /// Deliver: the number of the operation.
  model::OperationIndex write = 0;
  /// Invalidate: index of the variable.
  std::uint32_t variable = 0;

  friend bool operator==(const Move&, const Move&) = default;
};

/// How the protocol names it: "t1", "t1.0.2", "t1.w3", "t1.init", "w3", "i1.x", "end", "end.1".
std::string id_of(const Move& move, const Played& played);

}  // namespace heddle::lab
