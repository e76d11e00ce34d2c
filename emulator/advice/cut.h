#pragma once

/// \file
/// The operations of a long run that may order two accesses, so few that the judge can try changes of them.

#include <functional>
#include <vector>

#include "emulator/model/execution.h"

namespace heddle::advice {

/// What an access read and wrote.
struct AccessValues {
  model::Value read = 0;
  model::Value written = 0;
};

/// An operation of the run.
struct CutOperation {
  Operation operation;
  AccessValues values;
};
using OperationAt = std::function<CutOperation(model::OperationIndex)>;

/// At most `most` operations of `all` (those of a run, in their order), among them `first` and the last one, which
/// race. Left out are, in turn, until the rest is short enough: what came before the first access; plain accesses that
/// are neither the two nor may become a message between them, nor are of their lines; atomic reads that read again what
/// they read before; and of the rest what is far from both. An order between the two in what is left is one in the
/// whole: what is left out can add to the relations, and takes nothing from them.
std::vector<model::OperationIndex> cut(const std::vector<model::OperationIndex>& all, model::OperationIndex first,
                                       std::size_t most, const OperationAt& at);

}  // namespace heddle::advice
