#include "emulator/litmus/thread.h"

#include <algorithm>
#include <limits>

namespace heddle::litmus {

using explore::Step;
using explore::StepKind;
using explore::Value;

Locations locations_of(const Variable& variable) {
  return {static_cast<AllocationId>(variable.location), 0, kVariableBytes};
}

namespace {

/// The text and the line stand in for a function and a line: they say where in the test it
/// happened.
Operation operation_of(const Instruction& instruction) {
  Operation operation = instruction.operation;
  operation.where = {"", instruction.text.c_str(), instruction.place.line};
  return operation;
}

}  // namespace

LitmusThread::LitmusThread(const ThreadCode& code)
    : code_(code), instructions_(code.test.threads[code.thread].code) {
  for (const Register& reg : code.test.threads[code.thread].registers) {
    registers_.push_back(reg.initial);
  }
  for (std::size_t i = 0; i < instructions_.size(); ++i) note_spent(i);
}

Integer LitmusThread::value(const Operand& operand) const {
  return operand.is_register ? registers_[operand.index] : operand.constant;
}

Step LitmusThread::next(Value last_read) {
  if (pending_) registers_[*pending_] = static_cast<Integer>(last_read);
  pending_.reset();
  Step step = go_on();
  const bool passed = step.kind == StepKind::Operation;
  step.later = &code_.reachability.from(passed ? at_ - 1 : at_, spent_);
  return step;
}

Step LitmusThread::go_on() {
  while (at_ < instructions_.size()) {
    const Instruction& instruction = current();
    std::optional<Step> ended;
    switch (instruction.kind) {
      case InstructionKind::Label:
        pass_label();
        break;
      case InstructionKind::Jump:
        ended = jump(instruction.target);
        break;
      case InstructionKind::Branch:
        if (compare(instruction.comparison, value(instruction.left), value(instruction.right))) {
          ended = jump(instruction.target);
        } else {
          ++at_;
        }
        break;
      case InstructionKind::Compute:
        ended = compute();
        break;
      default:
        if (!code_.executes[at_]) {
          ++at_;
          break;
        }
        return execute();
    }
    if (ended) return *std::move(ended);
  }
  return end(StepKind::Finished);
}

void LitmusThread::pass_label() {
  Visit& visit = visits_[static_cast<std::uint32_t>(at_)];
  visit.effects = effects_;
  visit.registers = registers_;
  ++at_;
}

bool LitmusThread::spins(std::uint32_t target) const {
  const auto visit = visits_.find(target);
  if (visit == visits_.end() || visit->second.effects != effects_) return false;
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    if (code_.live[target][i] && visit->second.registers[i] != registers_[i]) return false;
  }
  return true;
}

void LitmusThread::note_spent(std::size_t at) {
  const Instruction& instruction = instructions_[at];
  const bool jumps =
      instruction.kind == InstructionKind::Branch || instruction.kind == InstructionKind::Jump;
  if (!jumps || instruction.target > at || jumps_[at] + 1 != code_.bound) return;
  spent_.insert(std::upper_bound(spent_.begin(), spent_.end(), at), at);
}

std::optional<Step> LitmusThread::jump(std::uint32_t target) {
  if (target <= at_) {
    const bool last = ++jumps_[at_] >= code_.bound;
    note_spent(at_);
    if (spins(target)) return spin(target, last);
    if (last) return end(StepKind::Cut);
  }
  at_ = target;
  return std::nullopt;
}

/// An iteration that changed nothing may go on for ever, which is one way to block. That hides no
/// outcome: what leaves the loop later looks from outside like what left it before. Up to the bound
/// it also goes round again, for executions are counted with every iteration that they have.
std::optional<Step> LitmusThread::spin(std::uint32_t target, bool last) {
  const bool first = spun_.insert(at_).second;
  if (last && !first) return end(StepKind::SpunEnough);
  at_ = target;
  if (!first) return std::nullopt;
  Step step = end(StepKind::Spinning);
  step.goes_on = !last;
  return step;
}

std::optional<Step> LitmusThread::compute() {
  const Instruction& instruction = current();
  const auto result =
      apply(*instruction.arithmetic, value(instruction.left), value(instruction.right));
  if (!result) return end(StepKind::Cut, at_ + 1);
  registers_[instruction.destination] = *result;
  ++at_;
  return std::nullopt;
}

Step LitmusThread::execute() {
  const Instruction& instruction = current();
  switch (instruction.kind) {
    case InstructionKind::Load:
    case InstructionKind::Store:
    case InstructionKind::ReadModifyWrite:
      return access();
    case InstructionKind::ControlBarrier:
      return control_barrier();
    default:
      break;
  }
  Step step;
  step.kind = StepKind::Operation;
  step.operation = operation_of(instruction);
  if (instruction.kind == InstructionKind::Free) {
    step.operation.locations = locations_of(code_.test.variables[instruction.variable]);
  }
  ++at_;
  return step;
}

Step LitmusThread::access() {
  const Instruction& instruction = current();
  const Variable& variable = code_.test.variables[instruction.variable];
  Step step;
  step.kind = StepKind::Operation;
  step.operation = operation_of(instruction);
  step.operation.reference = static_cast<ReferenceId>(instruction.variable);
  step.operation.locations = locations_of(variable);
  if (instruction.kind != InstructionKind::Load) {
    const Integer operand = value(instruction.left);
    ++effects_;
    step.written = static_cast<Value>(operand);
    if (instruction.kind == InstructionKind::ReadModifyWrite) {
      if (instruction.arithmetic == Arithmetic::Divide && operand == 0) {
        return end(StepKind::Cut, at_ + 1);
      }
      step.modify = [op = instruction.arithmetic, operand](Value old) -> std::optional<Value> {
        if (!op) return static_cast<Value>(operand);
        return static_cast<Value>(*apply(*op, static_cast<Integer>(old), operand));
      };
    }
  }
  if (instruction.kind != InstructionKind::Store) pending_ = instruction.destination;
  ++at_;
  return step;
}

Step LitmusThread::control_barrier() {
  const Instruction& instruction = current();
  BarrierArrival arrival;
  arrival.id = instruction.barrier.id;
  arrival.named = instruction.barrier.named;
  arrival.resource_word = instruction.barrier.resource_word;
  // A number and a computed value may name one resource; a word is never a number.
  if (arrival.named && arrival.resource_word.empty()) {
    arrival.resource = value(instruction.barrier.resource);
  }
  arrival.count = arrivals_[{(arrival.named ? "," : "") + arrival.id, arrival.resource_word,
                             arrival.resource}]++;
  ++effects_;
  Step step = end(StepKind::Operation);
  step.operation = operation_of(instruction);
  step.operation.barrier_instance = code_.barriers.instance(code_.thread, arrival);
  for (const std::uint32_t thread : code_.barriers.participants(code_.thread, arrival)) {
    step.participants.push_back(static_cast<AgentId>(thread));
  }
  if (instruction.barrier.quorum) {
    constexpr Integer kMost = std::numeric_limits<std::int32_t>::max();
    // Whoever waits has arrived, so fewer than one is one.
    step.quorum = static_cast<std::uint32_t>(
        std::clamp<Integer>(value(*instruction.barrier.quorum), 1, kMost));
  }
  ++at_;
  return step;
}

Step LitmusThread::end(StepKind kind, std::uint64_t fault) const {
  Step step;
  step.kind = kind;
  for (const Integer reg : registers_) step.results.push_back(static_cast<Value>(reg));
  step.results.push_back(fault);
  return step;
}

}  // namespace heddle::litmus
