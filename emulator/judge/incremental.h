#pragma once

/// \file
/// The judge for executions that grow: what the explorer asks at each step.

#include "emulator/judge/judgement.h"

namespace heddle::judge {

/// Judges one execution after another, keeping its memory.
class PartialJudge {
 public:
  explicit PartialJudge(const Options& options);

  /// To be called when operations from `first` on are no longer those that it was asked about last;
  /// before them, and of the agents, nothing changes.
  void forget_from(model::OperationIndex first);

  /// Whether an execution that has these operations, reads-from and scoped modification order, and
  /// perhaps more, may be consistent. False only if none can be: what is judged here only grows when
  /// the execution does. Reads without an entry in reads_from are waiting for theirs.
  bool may_become_consistent(const model::Execution& execution);

  /// Whether the execution, which is whole, is consistent. Afterwards `judgement` knows it.
  bool consistent(const model::Execution& execution);

  /// What `consistent` was asked about last, if it was.
  const Judgement& judgement() const { return judgement_; }

 private:
  Options options_;
  Judgement judgement_;
};

}  // namespace heddle::judge
