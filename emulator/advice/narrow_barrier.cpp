#include "emulator/advice/narrow_barrier.h"

#include <heddle/semantics.h>

#include <map>

#include "emulator/advice/operation_text.h"

namespace heddle::advice {
namespace {

using model::Execution;
using model::OperationIndex;

bool is_execution_of(const Operation& op, const Operation& barrier) {
  return op.kind == OperationKind::ControlBarrier && in_one_line(op, barrier);
}

// How many of its operations before this one are executions of the same barrier.
std::uint64_t number_of(const Execution& e, OperationIndex barrier) {
  std::uint64_t before = 0;
  for (OperationIndex i = 0; i < barrier; ++i)
    if (e.operations[i].agent == e.operations[barrier].agent && is_execution_of(e.operations[i], e.operations[barrier]))
      ++before;
  return before;
}

}  // namespace

bool is_too_narrow(const Execution& e, const Operation& barrier, AgentId a, AgentId b) {
  const model::Place& one = e.place(a);
  const model::Place& other = e.place(b);
  return barrier.kind == OperationKind::ControlBarrier && !includes(barrier.execution_scope, Scope::Workgroup) &&
         model::same_instance(one, other, Scope::Workgroup) && !model::same_instance(one, other, Scope::Subgroup);
}

std::optional<OperationIndex> narrow_barrier_between(const Execution& e, OperationIndex first, OperationIndex second) {
  const AgentId of_first = e.operations[first].agent;
  const AgentId of_second = e.operations[second].agent;
  for (OperationIndex i = second; i-- > 0;) {
    const Operation& passed = e.operations[i];
    if (passed.agent != of_second || !is_too_narrow(e, passed, of_first, of_second)) continue;
    for (OperationIndex k = first + 1; k < e.operations.size(); ++k)
      if (e.operations[k].agent == of_first && is_execution_of(e.operations[k], passed) &&
          number_of(e, k) == number_of(e, i))
        return i;
  }
  return {};
}

void widen_to_workgroup(Execution& execution, const Operation& barrier) {
  // Instances that no barrier has: they count from 1.
  constexpr std::uint64_t kMade = std::uint64_t{1} << 63;
  constexpr std::uint64_t kOfWorkgroup = std::uint64_t{1} << 31;
  std::map<AgentId, std::uint64_t> times;
  for (Operation& op : execution.operations) {
    if (!is_execution_of(op, barrier)) continue;
    op.execution_scope = Scope::Workgroup;
    if (!includes(op.scope, Scope::Workgroup)) op.scope = Scope::Workgroup;
    op.barrier_instance = kMade + execution.place(op.agent).workgroup * kOfWorkgroup + times[op.agent]++;
  }
}

}  // namespace heddle::advice
