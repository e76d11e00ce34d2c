// What threads do by themselves, without memory.

#include <array>
#include <initializer_list>

#include "emulator/mu/machine/program_run.h"

namespace heddle::mu::machine {
namespace {

/// How many operands an instruction takes.
constexpr std::array<std::uint8_t, static_cast<std::size_t>(Op::End) + 1> kOperands = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(Op::End) + 1> out{};
  const auto set = [&](std::uint8_t count, std::initializer_list<Op> ops) {
    for (const Op op : ops) out[static_cast<std::size_t>(op)] = count;
  };
  set(1, {Op::Unary, Op::KillDependency, Op::InsertValue, Op::ExtractValue, Op::JumpIfFalse, Op::SelectBranch, Op::And,
          Op::Or, Op::Load, Op::Call});
  set(2, {Op::Binary, Op::SelectEnd, Op::LogicalEnd, Op::Store, Op::Define, Op::FetchModify, Op::Exchange,
          Op::FutexWait, Op::FutexWake});
  set(3, {Op::CompareExchange});
  set(4, {Op::FutexRequeue});
  return out;
}();

std::size_t operands_of(Op op) {
  return kOperands[static_cast<std::size_t>(op)];
}

}  // namespace

/// Goes on to the next operation, or to one whose operands have no values yet.
void ProgramRun::advance(ThreadIndex index) {
  Thread& thread = threads_[index];
  const std::vector<Instruction>& code = program_.threads[index].code;
  while (thread.end == End::Running) {
    const Instruction& instruction = code[thread.at];
    if (thread.postpones && !take_values(thread, operands_of(instruction.op))) return;
    if (!compute(index, thread, instruction)) return;
  }
}

/// Performs the next operation; or gets the value of an operand that it needs.
void ProgramRun::perform(ThreadIndex index) {
  Thread& thread = threads_[index];
  if (thread.waits) return end_wait(index, EventKind::FutexExpire, -3);
  const Instruction& instruction = program_.threads[index].code[thread.at];
  for (std::size_t depth = thread.postpones ? operands_of(instruction.op) : 0; depth-- > 0;) {
    const PendingIndex pending = top(thread, depth).pending;
    if (pending == kNotPending || memory_.answered(pending)) continue;
    memory_.answer(pending);
    return;
  }
  has_values(thread, operands_of(instruction.op));
  switch (instruction.op) {
    case Op::Load:
    case Op::Call:
      return load(index, thread, instruction);
    case Op::Store:
      return store(index, thread, instruction);
    case Op::Define:
      return define(index, thread);
    case Op::FetchModify:
    case Op::Exchange:
      return update(index, thread, instruction);
    case Op::CompareExchange:
      return compare_exchange(index, thread, instruction);
    case Op::FutexWait:
    case Op::FutexWake:
    case Op::FutexRequeue:
      return futex(index, thread, instruction);
    default:
      return others(index, thread, instruction);
  }
}

/// Executes an instruction that is no operation; returns false if it is one.
bool ProgramRun::compute(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  switch (instruction.op) {
    case Op::Push:
      thread.stack.push_back({instruction.value, kNotPending, kNoSource, kNoSource});
      break;
    case Op::Get:
      thread.stack.push_back(thread.registers[instruction.index]);
      break;
    case Op::Set:
      thread.registers[instruction.index] = top(thread, 0);
      thread.stack.pop_back();
      break;
    case Op::Pop:
      thread.stack.pop_back();
      break;
    case Op::Unary:
    case Op::Binary:
      return arithmetic(index, thread, instruction);
    case Op::KillDependency:
    case Op::ExtractValue:
      replace(thread, 1, {top(thread, 0).value, kNotPending, kNoSource, kNoSource});
      break;
    case Op::InsertValue:
      replace(thread, 1, {top(thread, 0).value, kNotPending, kNoSource, top(thread, 0).carried});
      break;
    case Op::BundleBegin:
      thread.bundles += static_cast<std::uint32_t>(program_.threads.size());
      break;
    case Op::Jump:
    case Op::JumpIfFalse:
    case Op::JumpBack:
    case Op::SelectBranch:
    case Op::SelectEnd:
      return branch(index, thread, instruction);
    case Op::And:
    case Op::Or:
    case Op::LogicalEnd:
      logical(thread, instruction);
      return true;
    default:
      return false;
  }
  ++thread.at;
  return true;
}

//= mu:carries-a-dependency
bool ProgramRun::arithmetic(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  const bool unary = instruction.op == Op::Unary;
  const Operand& right = top(thread, 0);
  const Operand& left = top(thread, unary ? 0 : 1);
  const std::optional<Value> value =
      unary ? apply(instruction.unary, right.value) : apply(instruction.binary, left.value, right.value);
  if (!value) {
    fault(index);
    return true;
  }
  Operand out{*value, kNotPending, kNoSource, sources_.joined(left.carried, right.carried)};
  if (unary ? instruction.unary != mu::Unary::Not : !compares(instruction.binary)) out.carried = out.received;
  replace(thread, unary ? 1 : 2, out);
  ++thread.at;
  return true;
}

bool ProgramRun::branch(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  if (instruction.op == Op::Jump) {
    thread.at = instruction.target;
    return true;
  }
  if (instruction.op == Op::JumpBack) {
    if (++thread.jumps[instruction.index] < bound_)
      thread.at = instruction.target;
    else
      finish(index, End::Cut);
    return true;
  }
  if (instruction.op == Op::SelectEnd) {
    Operand out = top(thread, 0);
    out.received = out.carried;
    replace(thread, 2, out);
    ++thread.at;
    return true;
  }
  const bool truth = top(thread, 0).value.truth();
  if (instruction.op == Op::JumpIfFalse) thread.stack.pop_back();
  thread.at = truth ? thread.at + 1 : instruction.target;
  return true;
}

void ProgramRun::logical(Thread& thread, const Instruction& instruction) {
  if (instruction.op == Op::LogicalEnd) {
    replace(thread, 2,
            {Value::number(top(thread, 0).value.truth()), kNotPending, kNoSource,
             sources_.joined(top(thread, 1).carried, top(thread, 0).carried)});
    ++thread.at;
    return;
  }
  const bool is_or = instruction.op == Op::Or;
  if (top(thread, 0).value.truth() != is_or) {
    ++thread.at;
    return;
  }
  replace(thread, 1, {Value::number(is_or), kNotPending, kNoSource, top(thread, 0).carried});
  thread.at = instruction.target;
}

}  // namespace heddle::mu::machine
