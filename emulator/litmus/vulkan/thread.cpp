#include "emulator/litmus/vulkan/thread.h"

#include <algorithm>
#include <limits>

#include "emulator/litmus/vulkan/host_plan.h"

namespace heddle::litmus {

using explore::Step;
using explore::StepKind;
using explore::Value;

Locations locations_of(const Variable& variable) {
  return {static_cast<AllocationId>(variable.location), 0, kVariableBytes};
}

//= vk:memory-model-references
ReferenceId reference_of(const Test& test, const Thread& thread, std::uint32_t variable) {
  return thread.kind == ThreadKind::Host ? host_reference(test, test.variables[variable])
                                         : static_cast<ReferenceId>(variable);
}

namespace {

/// The number of a barrier whose name is the same whatever the thread computes.
std::optional<std::uint32_t> known_barrier(const BarrierName& name, std::uint32_t thread, Barriers& barriers) {
  if (name.is_computed()) return std::nullopt;
  return barriers.number(thread, arrival_at(name, name.resource.constant));
}

}  // namespace

std::vector<Site> sites_of(const Test& test, std::uint32_t thread, const std::vector<bool>& executes,
                           Barriers& barriers) {
  const std::vector<Instruction>& code = test.threads[thread].code;
  const std::vector<bool> postponable = postponable_loads(test, test.threads[thread]);
  std::vector<Site> sites(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& instruction = code[i];
    Site& site = sites[i];
    site.operation = instruction.operation;
    // The text and the line stand in for a function and a line: they say where in the test it
    // happened.
    site.operation.where = {"", instruction.text.c_str(), instruction.place.line};
    site.executes = executes[i];
    site.postponable = postponable[i];
    const KindTraits traits = instruction.traits();
    if (traits.accesses()) site.operation.reference = reference_of(test, test.threads[thread], instruction.variable);
    if (traits.has_variable) site.operation.locations = locations_of(test.variables[instruction.variable]);
    if (traits.waits) site.barrier = known_barrier(instruction.barrier, thread, barriers);
  }
  return sites;
}

LitmusThread::LitmusThread(const ThreadCode& code) : code_(code), instructions_(code.test.threads[code.thread].code) {
  restart();
}

bool LitmusThread::restart() {
  const std::vector<Register>& registers = code_.test.threads[code_.thread].registers;
  const std::size_t count = registers.size();
  registers_.resize(count);
  for (std::size_t i = 0; i < count; ++i) registers_[i] = registers[i].initial;
  at_ = 0;
  pending_.reset();
  if (late_count_ != 0 || late_.size() != count) late_.assign(count, false);
  late_count_ = 0;
  effects_ = 0;
  // Most threads have neither loops nor control barriers.
  if (!jumps_.empty()) jumps_.clear();
  if (!spun_.empty()) spun_.clear();
  if (!visits_.empty()) visits_.clear();
  arrivals_.clear();
  spent_.clear();
  if (code_.bound == 1)
    for (std::size_t i = 0; i < instructions_.size(); ++i) note_spent(i);
  return true;
}

Integer LitmusThread::value(const Operand& operand) const {
  return operand.is_register ? registers_[operand.index] : operand.constant;
}

Step LitmusThread::next(Value last_read) {
  Step step;
  advance(last_read, step);
  const bool passed = step.kind == StepKind::Operation;
  step.later = &code_.reachability.from(passed ? at_ - 1 : at_, spent_);
  return step;
}

void LitmusThread::advance(Value last_read, Step& step) {
  if (pending_) registers_[*pending_] = static_cast<Integer>(last_read);
  pending_.reset();
  const std::size_t end_of_code = instructions_.size();
  while (at_ < end_of_code) {
    if (late_count_ > 0 && needs_late_values(code_.test.threads[code_.thread], at_, late_)) break;
    if (go_on(current(), step)) return;
  }
  if (late_count_ > 0) {
    step.kind = StepKind::Unanswered;
  } else {
    end(StepKind::Finished, step);
  }
}

std::uint32_t LitmusThread::postpone() {
  const std::uint32_t destination = *pending_;
  pending_.reset();
  late_[destination] = true;
  ++late_count_;
  return destination;
}

void LitmusThread::answer(std::uint32_t read, Value value) {
  registers_[read] = static_cast<Integer>(value);
  late_[read] = false;
  --late_count_;
}

bool LitmusThread::go_on(const Instruction& instruction, Step& step) {
  switch (instruction.kind) {
    case InstructionKind::Label:
      pass_label();
      return false;
    case InstructionKind::Jump:
      return jump(instruction.target, step);
    case InstructionKind::Branch:
      if (compare(instruction.comparison, value(instruction.left), value(instruction.right))) {
        return jump(instruction.target, step);
      }
      ++at_;
      return false;
    case InstructionKind::Compute:
      return compute(step);
    case InstructionKind::Load:
    case InstructionKind::Store:
    case InstructionKind::ReadModifyWrite:
    case InstructionKind::MemoryBarrier:
    case InstructionKind::ControlBarrier:
    case InstructionKind::DeviceOperation:
    case InstructionKind::Interlock:
    case InstructionKind::Free:
    case InstructionKind::HostCall:
      break;
  }
  const Site& site = code_.sites[at_];
  if (!site.executes) {
    ++at_;
    return false;
  }
  execute(instruction, site, step);
  return true;
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
  if (!instruction.traits().jumps || instruction.target > at || jumps_[at] + 1 != code_.bound) return;
  spent_.insert(std::upper_bound(spent_.begin(), spent_.end(), at), at);
}

bool LitmusThread::jump(std::uint32_t target, Step& step) {
  if (target <= at_) {
    if (code_.spinning != Spinning::Explored && spins(target)) {
      at_ = target;
      end(StepKind::Spinning, step);
      step.goes_on = code_.spinning == Spinning::Endless;
      return true;
    }
    const bool last = ++jumps_[at_] >= code_.bound;
    note_spent(at_);
    if (spins(target)) return spin(target, last, step);
    if (last) {
      end(StepKind::Cut, step);
      return true;
    }
  }
  at_ = target;
  return false;
}

/// An iteration that changed nothing may go on for ever, which is one way to block. That hides no
/// outcome: what leaves the loop later looks from outside like what left it before. Up to the bound
/// it also goes round again, for executions are counted with every iteration that they have.
bool LitmusThread::spin(std::uint32_t target, bool last, Step& step) {
  const bool first = spun_.insert(at_).second;
  if (last && !first) {
    end(StepKind::SpunEnough, step);
    return true;
  }
  at_ = target;
  if (!first) return false;
  end(StepKind::Spinning, step);
  step.goes_on = !last;
  return true;
}

bool LitmusThread::compute(Step& step) {
  const Instruction& instruction = current();
  const auto result = apply(*instruction.arithmetic, value(instruction.left), value(instruction.right));
  if (!result) {
    end(StepKind::Cut, step, at_ + 1);
    return true;
  }
  registers_[instruction.destination] = *result;
  ++at_;
  return false;
}

void LitmusThread::execute(const Instruction& instruction, const Site& site, Step& step) {
  step.kind = StepKind::Operation;
  // In a host test a thread may wait for ever before any of its operations that is a call, or its first.
  if (code_.test.host) end(StepKind::Operation, step);
  step.operation = site.operation;
  step.call = site.call;
  const KindTraits traits = instruction.traits();
  if (traits.accesses()) return access(instruction, site, step);
  if (traits.waits) return control_barrier(instruction, site, step);
  ++at_;
}

void LitmusThread::access(const Instruction& instruction, const Site& site, Step& step) {
  step.postponable = site.postponable;
  step.use = site.use;
  step.spins_alike = site.spins_alike;
  const KindTraits traits = instruction.traits();
  if (traits.writes) {
    const Integer operand = value(instruction.left);
    ++effects_;
    step.written = static_cast<Value>(operand);
    if (traits.reads) {
      if (instruction.arithmetic == Arithmetic::Divide && operand == 0) {
        return end(StepKind::Cut, step, at_ + 1);
      }
      step.modify = [op = instruction.arithmetic, operand](Value old) -> std::optional<Value> {
        if (!op) return static_cast<Value>(operand);
        return static_cast<Value>(*apply(*op, static_cast<Integer>(old), operand));
      };
    }
  }
  if (traits.sets_register) pending_ = instruction.destination;
  ++at_;
}

std::uint32_t LitmusThread::number_of(const BarrierName& name) const {
  return code_.barriers.number(code_.thread, arrival_at(name, value(name.resource)));
}

void LitmusThread::control_barrier(const Instruction& instruction, const Site& site, Step& step) {
  const std::uint32_t number = site.barrier ? *site.barrier : number_of(instruction.barrier);
  if (arrivals_.size() <= number) arrivals_.resize(number + 1);
  ++effects_;
  end(StepKind::Operation, step);
  step.operation.barrier_instance = code_.barriers.instance(number, arrivals_[number]++);
  step.participants = code_.barriers.participants(number);
  step.quorum = 0;
  if (instruction.barrier.quorum) {
    constexpr Integer kMost = std::numeric_limits<std::int32_t>::max();
    // A thread that waits has arrived, so fewer than one is one.
    step.quorum = static_cast<std::uint32_t>(std::clamp<Integer>(value(*instruction.barrier.quorum), 1, kMost));
  }
  ++at_;
}

void LitmusThread::end(StepKind kind, Step& step, std::uint64_t fault) const {
  step.kind = kind;
  step.goes_on = false;
  step.results.resize(registers_.size() + 1);
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    step.results[i] = static_cast<Value>(registers_[i]);
  }
  step.results.back() = fault;
}

}  // namespace heddle::litmus
