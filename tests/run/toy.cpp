#include "tests/run/toy.h"

#include <array>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace heddle::toy {
namespace {

using explore::Step;
using explore::StepKind;
using explore::Value;

constexpr std::uint32_t kElementBytes = 4;
constexpr auto kClasses = MemorySemantics::UniformMemory | MemorySemantics::WorkgroupMemory;
constexpr auto kReleases = MemorySemantics::Release | kClasses | MemorySemantics::MakeAvailable;
constexpr auto kAcquires = MemorySemantics::Acquire | kClasses | MemorySemantics::MakeVisible;
constexpr auto kBoth =
    MemorySemantics::AcquireRelease | kClasses | MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;

const std::map<std::string, Kind> kKinds = {
    {"load", Kind::Load}, {"store", Kind::Store}, {"acquire", Kind::Acquire}, {"release", Kind::Release},
    {"add", Kind::Add},   {"fence", Kind::Fence}, {"barrier", Kind::Barrier}, {"set", Kind::Set},
    {"plus", Kind::Plus}, {"label", Kind::Label}, {"jump", Kind::Jump},       {"unless", Kind::Unless},
};

/// An invocation: asked for one operation after the other, told what each of them read.
class ToyAgent final : public explore::Agent {
 public:
  ToyAgent(const Kernel& kernel, const run::Invocation& who, bool for_runs)
      : kernel_(kernel), who_(who), for_runs_(for_runs), visits_(kernel.code().size()) {}

  Step next(Value last_read) override {
    if (pending_) registers_[*pending_] = last_read;
    pending_.reset();
    while (at_ < kernel_.code().size()) {
      const Instruction& instruction = kernel_.code()[at_++];
      if (is_operation(instruction.kind)) return operation(instruction);
      if (goes_round(instruction)) return spinning();
    }
    return ended(StepKind::Finished);
  }

 private:
  static bool is_operation(Kind kind) { return kind <= Kind::Barrier; }

  Step operation(const Instruction& instruction) {
    Step step;
    step.kind = StepKind::Operation;
    step.operation.where = kernel_.instructions().where(instruction.id);
    if (instruction.kind == Kind::Barrier) {
      arrive(instruction, step);
    } else if (instruction.kind == Kind::Fence) {
      step.operation.kind = OperationKind::MemoryBarrier;
      step.operation.scope = Scope::Device;
      step.operation.semantics = kBoth;
    } else {
      access(instruction, step);
    }
    step.results.assign(registers_.begin(), registers_.end());
    return step;
  }

  void access(const Instruction& instruction, Step& step) {
    Operation& operation = step.operation;
    const run::Objects& objects = kernel_.setting().objects;
    operation.storage_class = objects[instruction.object].storage_class;
    operation.reference = run::Objects::reference(instruction.object);
    operation.locations =
        objects.bytes(instruction.object, who_.workgroup, value(instruction.index) * kElementBytes, kElementBytes);
    operation.atomic = instruction.kind >= Kind::Acquire;
    operation.scope = operation.atomic ? Scope::Device : Scope::Invocation;
    if (!operation.atomic) operation.operands = MemoryOperands::NonPrivatePointer;
    const bool reads = instruction.kind == Kind::Load || instruction.kind == Kind::Acquire;
    operation.kind = reads ? OperationKind::Read : OperationKind::Write;
    if (instruction.kind == Kind::Acquire) operation.semantics = kAcquires;
    if (instruction.kind == Kind::Release) operation.semantics = kReleases;
    step.written = value(instruction.value);
    if (instruction.kind == Kind::Add) {
      operation.kind = OperationKind::ReadModifyWrite;
      step.modify = [added = step.written](Value read) { return std::optional<Value>(read + added); };
    }
    if (operation.reads()) pending_ = instruction.destination;
    writes_ = writes_ || operation.writes();
  }

  void arrive(const Instruction& instruction, Step& step) {
    const auto line = static_cast<std::uint64_t>(&instruction - kernel_.code().data());
    step.operation.kind = OperationKind::ControlBarrier;
    step.operation.execution_scope = Scope::Workgroup;
    step.operation.scope = Scope::Workgroup;
    step.operation.semantics = kBoth;
    // Another instance each time, in each workgroup.
    step.operation.barrier_instance = std::uint64_t{who_.workgroup} << 40 | line << 20 | ++visits_[line];
    step.participants = run::participants(kernel_.dispatch(), who_, Scope::Workgroup);
    writes_ = true;
  }

  /// Does what is no operation. True if the iteration of a loop that ends here changed nothing.
  bool goes_round(const Instruction& instruction) {
    if (instruction.kind == Kind::Set) registers_[instruction.destination] = value(instruction.value);
    if (instruction.kind == Kind::Plus) registers_[instruction.destination] += value(instruction.value);
    const bool jumps = instruction.kind == Kind::Jump ||
                       (instruction.kind == Kind::Unless && value(instruction.index) != value(instruction.value));
    if (!jumps) return false;
    const bool back = instruction.target < at_;
    at_ = instruction.target;
    if (!back) return false;
    const bool idles = !writes_ && before_ == registers_;
    before_ = registers_;
    writes_ = false;
    return idles;
  }

  Step spinning() const {
    Step step = ended(StepKind::Spinning);
    step.goes_on = for_runs_;
    return step;
  }

  Step ended(StepKind kind) const {
    Step step;
    step.kind = kind;
    step.results.assign(registers_.begin(), registers_.end());
    return step;
  }

  std::uint64_t value(const Operand& operand) const {
    switch (operand.of) {
      case Operand::Of::Number:
        return operand.number;
      case Operand::Of::Register:
        return registers_[operand.number];
      case Operand::Of::Me:
        return who_.coordinates.global.x;
      case Operand::Of::Local:
        return who_.coordinates.local.x;
      case Operand::Of::Group:
        return who_.coordinates.workgroup.x;
    }
    return 0;
  }

  const Kernel& kernel_;
  const run::Invocation who_;
  const bool for_runs_;
  std::size_t at_ = 0;
  std::array<Value, 8> registers_{};
  std::optional<std::uint32_t> pending_;
  /// By instruction: how often the invocation came to that barrier.
  std::vector<std::uint64_t> visits_;
  /// The registers at the last jump back, and whether anything was written or waited for since.
  std::array<Value, 8> before_{};
  bool writes_ = false;
};

std::uint32_t number_in(const std::string& word) {
  return static_cast<std::uint32_t>(std::stoul(word));
}

}  // namespace

explore::Program Kernel::program(bool for_runs) {
  explore::Program program;
  setting_.dispatches.clear();
  run::add_dispatch(program, setting_, dispatch_, [this, for_runs](const run::Invocation& who) {
    return std::make_unique<ToyAgent>(*this, who, for_runs);
  });
  return program;
}

Kernel::Kernel(const std::string& text) {
  dispatch_.groups = {1, 1, 1};
  dispatch_.local = {1, 1, 1};
  std::istringstream lines(text);
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) parse(line, ++number);
  for (const auto& [at, label] : jumps_) code_[at].target = labels_.at(label);
  dispatch_.subgroup_size = dispatch_.local.x;
  setting_.objects = run::Objects(dispatch_.groups.x);
  for (const run::Object& object : declared_) setting_.objects.add(object);
}

void Kernel::parse(const std::string& line, std::uint32_t number) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.empty()) return;
  const std::string& first = words[0];
  if (first == "groups") {
    dispatch_.groups.x = number_in(words.at(1));
  } else if (first == "local") {
    dispatch_.local.x = number_in(words.at(1));
  } else if (first == "buffer" || first == "workgroup") {
    const bool shared = first == "buffer";
    objects_[words.at(1)] = static_cast<run::ObjectId>(declared_.size());
    declared_.push_back({words[1], shared ? StorageClass::StorageBuffer : StorageClass::Workgroup,
                         number_in(words.at(2)) * kElementBytes, kElementBytes, !shared, shared});
  } else {
    parse_instruction(words, line, number);
  }
}

void Kernel::parse_instruction(const std::vector<std::string>& words, const std::string& line, std::uint32_t number) {
  const auto kind = kKinds.find(words[0]);
  if (kind == kKinds.end()) throw std::invalid_argument("line " + std::to_string(number) + " is no instruction");
  Instruction made;
  made.kind = kind->second;
  made.id = table_.add(line.substr(line.find_first_not_of(' ')), "kernel.toy", number);
  std::size_t next = 1;
  const auto word = [&] { return words.at(next++); };
  const auto has_register = [](Kind k) {
    return k == Kind::Load || k == Kind::Acquire || k == Kind::Add || k == Kind::Set || k == Kind::Plus;
  };
  if (has_register(made.kind)) made.destination = number_in(word().substr(1));
  if (made.kind <= Kind::Add) made.object = objects_.at(word());
  if (made.kind <= Kind::Add || made.kind == Kind::Unless) made.index = operand(word());
  const bool has_value = made.kind == Kind::Store || made.kind == Kind::Release || made.kind == Kind::Add ||
                         made.kind == Kind::Set || made.kind == Kind::Plus || made.kind == Kind::Unless;
  if (has_value) made.value = operand(word());
  if (made.kind == Kind::Label) labels_[word()] = code_.size();
  if (made.kind == Kind::Jump || made.kind == Kind::Unless) jumps_.emplace_back(code_.size(), word());
  code_.push_back(made);
}

Operand Kernel::operand(const std::string& word) const {
  if (word == "me") return {Operand::Of::Me};
  if (word == "local") return {Operand::Of::Local};
  if (word == "group") return {Operand::Of::Group};
  if (word[0] == 'r') return {Operand::Of::Register, number_in(word.substr(1))};
  return {Operand::Of::Number, number_in(word)};
}

}  // namespace heddle::toy
