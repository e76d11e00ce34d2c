#include "emulator/advice/history.h"

namespace heddle::advice {

void History::add(const Operation& operation, bool of_second) {
  steps.push_back({of_second, operation.writes(), operation.kind == OperationKind::ControlBarrier, operation.where.line,
                   operation.where.file});
}

}  // namespace heddle::advice
