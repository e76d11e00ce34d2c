#pragma once

/// \file
/// What would have to be different for two racing operations to be ordered.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/advice/barrier_place.h"
#include "emulator/advice/edit.h"
#include "emulator/advice/neighbourhood.h"
#include "emulator/judge/judgement.h"

namespace heddle::advice {

/// Edits that order two operations together.
struct Change {
  /// A sentence for people, the edits in the order of the source.
  std::string text;
  std::vector<Edit> edits;
  /// They make the two atomic for each other, and leave open which comes first.
  bool unordered = false;
  /// Where it puts in a control barrier: it is right only if all invocations of the workgroup come there.
  std::optional<BarrierPlace> barrier;

  /// The execution of the part with the change made; the two become the indices of its accesses that raced.
  model::Execution made_in(const Neighbourhood& part, model::OperationPair& two) const;
};

/// What was tried of changes.
struct Changes {
  /// The changes that order the two accesses, first to mend what is there, then cheapest first.
  std::vector<Change> changes;
  /// Why a control barrier is not among them, as in BarrierAnswer.
  std::string why_no_barrier;
  /// How many sets of edits were judged.
  std::size_t tried = 0;
  /// What that took: the squares of the numbers of operations that were judged.
  std::uint64_t work = 0;
};

/// What a change may be, and how it is told.
struct ChangeOptions {
  /// Whether there are atomics on what the two access.
  bool have_atomics = true;
  /// Whether the source knows heddle's names of semantics (kReleaseBuffers).
  bool have_names = true;
  /// Whether a control barrier may be put in.
  bool may_add_barriers = true;
  /// Where an operation is, as in "the write in line 12"; in files other than that of the second access with the file's
  /// name, if nothing is given here.
  std::function<std::string(const Operation&)> place;
  judge::Options model;
};

/// Changes of the source that order the two operations of the part, which race. Every one of them was made to the
/// execution and the two did not race any more; and no part of it is enough. An instruction is known by its place and
/// kind, and a change is made to all its operations; an update that is to be atomic is tried as an atomic read and an
/// atomic write. `dispatches` has the dispatch of each agent of the execution.
Changes smallest_changes(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches,
                         const ChangeOptions& options = {});

}  // namespace heddle::advice
