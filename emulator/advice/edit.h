#pragma once

/// \file
/// Edits of instructions of an execution: what changes of the source consist of.

#include <heddle/detail/edit_record.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/model/execution.h"

namespace heddle::advice {

/// One edit of one instruction, or an instruction that is put in.
struct Edit {
  std::string text;
  /// Makes it in all executions of the instruction.
  std::function<void(model::Execution&)> apply;
  /// How many operations it puts before the second of the two accesses that race, and how many of them before the
  /// first.
  model::OperationIndex inserts = 0;
  /// The source line of the instruction.
  std::uint32_t line = 0;
  model::OperationIndex inserts_before_first = 0;
  /// Edits that change less, of which one may be enough.
  std::vector<Edit> weaker = {};
  /// What it does as edits of the program, in each way that it may be; none where it cannot be said as such.
  std::vector<std::vector<heddle::Edit>> program = {};

  /// As it is, with the one way.
  Edit made_by(std::vector<heddle::Edit> edits) && {
    program = {std::move(edits)};
    return std::move(*this);
  }
};

/// An edit of the instruction of an operation.
heddle::Edit program_edit(EditKind kind, const Operation& operation);
/// The access becomes the read, or the write, of one Relaxed update of this scope.
heddle::Edit join_edit(const Operation& access, Scope scope);

/// Puts an operation before the one at `at`.
void insert(model::Execution& execution, model::OperationIndex at, const Operation& op);

/// Whether they are in one line, through one reference.
bool same_line(const Operation& a, const Operation& b);
/// Whether they are of one instruction, which is known by its place and kind.
bool same_instruction(const Operation& a, const Operation& b);
/// Whether it is a barrier, or an atomic that acquires or releases.
bool orders(const Operation& op);

}  // namespace heddle::advice
