#include "emulator/litmus/khronos/program.h"

namespace heddle::litmus::khronos {
namespace {

using explore::Step;
using explore::StepKind;
using explore::Value;

constexpr std::uint32_t kVariableBytes = 8;

/// One run of a thread. Its result is 1 if a read saw what it must not see, and the thread then
/// spins, so to speak: no execution that goes on like this is one of the test.
class Run : public explore::Agent {
 public:
  Run(const Program& program, std::uint32_t thread)
      : program_(program), code_(program.test().threads[thread].code), thread_(thread) {}

  Step next(Value last_read) override;

 private:
  static Step end(StepKind kind, Value mismatch) {
    Step step;
    step.kind = kind;
    step.results.push_back(mismatch);
    return step;
  }

  const Program& program_;
  const std::vector<Instruction>& code_;
  std::uint32_t thread_;
  std::size_t at_ = 0;
};

Step Run::next(Value last_read) {
  if (at_ > 0 && code_[at_ - 1].operation.reads() && !program_.may_see(code_[at_ - 1], last_read)) {
    return end(StepKind::Spinning, 1);
  }
  if (at_ == code_.size()) return end(StepKind::Finished, 0);
  const Instruction& instruction = code_[at_];
  Step step = end(StepKind::Operation, 0);
  step.operation = program_.operation(instruction);
  step.written = program_.number(thread_, at_);
  if (instruction.operation.kind == OperationKind::ReadModifyWrite) {
    step.modify = [number = step.written](Value) { return std::optional<Value>(number); };
  }
  if (instruction.operation.kind == OperationKind::ControlBarrier) {
    // No thread waits in this format: every instruction of a test is executed.
    step.participants.push_back(static_cast<AgentId>(thread_));
  }
  ++at_;
  return step;
}

}  // namespace

Program::Program(const Test& test) : test_(test), writes_(1, nullptr) {
  for (std::uint32_t thread = 0; thread < test.threads.size(); ++thread) {
    std::vector<Value>& numbers = numbers_.emplace_back();
    for (const Instruction& instruction : test.threads[thread].code) {
      numbers.push_back(instruction.operation.writes() ? writes_.size() : 0);
      if (instruction.operation.writes()) writes_.push_back(&instruction);
    }
    model::Place place;
    place.queue_family = test.threads[thread].queue_family;
    place.workgroup = test.threads[thread].workgroup;
    place.subgroup = test.threads[thread].subgroup;
    program_.agents.push_back({place, [this, thread] { return std::make_unique<Run>(*this, thread); }});
  }
  for (const auto& [first, second] : test.system_synchronization) {
    program_.system_synchronization.emplace_back(static_cast<AgentId>(first), static_cast<AgentId>(second));
  }
}

bool Program::may_see(const Instruction& read, Value number) const {
  if (!read.reads) return true;
  if (*read.reads == 0) return number == 0;
  if (number == 0 || number >= writes_.size()) return false;
  const Instruction& write = *writes_[number];
  return write.variable == read.variable && write.writes == read.reads;
}

Operation Program::operation(const Instruction& instruction) const {
  Operation out = instruction.operation;
  out.where = {"", instruction.text.c_str(), instruction.place.line};
  if (out.is_access()) {
    out.reference = static_cast<ReferenceId>(instruction.variable);
    out.locations = {static_cast<AllocationId>(test_.variables[instruction.variable].location), 0, kVariableBytes};
  }
  out.barrier_instance = instruction.barrier_instance;
  return out;
}

}  // namespace heddle::litmus::khronos
