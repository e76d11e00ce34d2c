#pragma once

/// \file
/// The edits that could help to order two operations of an execution, one by one: what each does, and what it is
/// called.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "emulator/advice/changes.h"
#include "emulator/advice/edit.h"

namespace heddle::advice {

/// Makes edits for the two operations of a part, of which it tries none.
class Edits {
 public:
  /// All must outlive it.
  Edits(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches, const ChangeOptions& options)
      : part_(part),
        execution_(part.execution),
        x_(std::min(part.first, part.second)),
        y_(std::max(part.first, part.second)),
        dispatches_(dispatches),
        options_(options) {}

 protected:
  static constexpr MemorySemantics kAcquires = MemorySemantics::Acquire | MemorySemantics::MakeVisible;
  static constexpr MemorySemantics kReleases = MemorySemantics::Release | MemorySemantics::MakeAvailable;

  template <typename Made>
  Edit edit(const Operation& instruction, std::string text, Made change) const {
    return {std::move(text),
            [instruction, change](model::Execution& execution) {
              for (Operation& op : execution.operations)
                if (same_instruction(op, instruction)) change(op);
            },
            0, instruction.where.line};
  }

  MemorySemantics storage() const;
  bool same_workgroup() const;
  Scope scope() const;
  /// What a scope becomes that is too narrow (narrowest_scope.h).
  Scope narrowest() const;
  std::uint64_t dispatch_of(model::OperationIndex index) const;
  /// What an edit does to the instruction of an operation, in the words of all edits (edits/sentence.h).
  std::string sentence(const heddle::Edit& edit, const Operation& op) const;
  /// Most is told of the file of the second access.
  std::string line_of(const Operation& op) const;
  /// The scope of atomics on the memory: others than these two may come from anywhere that knows of the memory.
  Scope reach() const;
  void make_non_private(std::vector<Edit>& edits) const;
  /// Gives those of these that order, and whose tags leave out their order to something, the tags of that as well.
  void fit_tags(const std::vector<Operation>& all, std::vector<Edit>& edits) const;
  /// What these lack, flags before scopes: to widen a scope is dearer.
  /// `far`: control barriers may order more than those who wait for each other there, as few languages let them.
  void strengthen(const std::vector<Operation>& all, bool far, std::vector<Edit>& edits) const;
  void add_flags(const Operation& op, std::vector<Edit>& edits) const;
  void widen_scopes(const Operation& op, bool far, std::vector<Edit>& edits) const;
  /// Whether it is a control barrier of a subgroup, and the two are in different ones of a workgroup.
  bool is_too_narrow(const Operation& op) const;
  /// Makes it one of the workgroup, and its memory scope, too.
  Edit widen_to_workgroup(const Operation& op) const;
  /// That as edits of the program.
  static std::vector<heddle::Edit> wide_barrier(const Operation& op);
  static heddle::Edit scope_edit(const Operation& op, Scope wanted);
  static heddle::Edit atomic_edit(const Operation& op, MemorySemantics semantics, Scope wanted);
  /// The storage classes of atomics that a memory barrier may synchronize through, beside that of the two accesses.
  std::vector<MemorySemantics> classes_beside(const Operation& fence) const;
  /// Lets a relaxed atomic, an update that orders one way or a control barrier that orders nothing order as much as it
  /// can.
  Edit promote(const Operation& op) const;
  /// Gives it these semantics, and the class of the memory.
  Edit promote(const Operation& op, MemorySemantics order) const;
  /// The name of a control barrier between the two accesses.
  std::string barrier_name() const;
  MemorySemantics barrier_semantics() const;
  /// Puts one in.
  std::function<void(model::Execution&)> meet() const;
  Edit widen(const Operation& op, Scope wanted) const;
  /// An update that fails only reads: of a compare-exchange that both did and did not exchange, what exchanges.
  const Operation& whole(const Operation& op) const;
  Edit make_atomic(const Operation& op, MemorySemantics order, Scope wanted) const;
  /// Memory that is bound twice becomes memory that is bound once; none if it is.
  std::vector<Edit> one_reference() const;
  /// One between the dispatches of the two, an agent of its own.
  std::vector<Edit> memory_dependency() const;
  std::function<void(model::Execution&)> depend() const;

  const Neighbourhood& part_;
  const model::Execution& execution_;
  /// The first access, and the second one.
  model::OperationIndex x_;
  model::OperationIndex y_;
  const std::vector<std::uint64_t>& dispatches_;
  const ChangeOptions& options_;
};

}  // namespace heddle::advice
