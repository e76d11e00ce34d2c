#include "tests/explore/script.h"

#include <algorithm>
#include <random>

namespace heddle::explore {

Step ScriptedAgent::end(StepKind kind) const {
  Step step;
  step.kind = kind;
  step.results = reads_;
  if (later_ != nullptr) step.later = &(*later_)[at_];
  return step;
}

Step ScriptedAgent::next(Value last_read) {
  if (expects_value_) {
    expects_value_ = false;
    reads_.push_back(last_read);
    ended_ = script_[at_ - 1].ends_on_zero && last_read == 0;
  }
  const bool ends = ended_ || at_ == script_.size();
  if (!late_.empty() && (ends || needs_late_values(script_[at_]))) return end(StepKind::Unanswered);
  if (ends) return end(StepKind::Finished);
  Step step = end(StepKind::Operation);
  const Line& line = script_[at_++];
  expects_value_ = line.operation.reads();
  step.postponable =
      line.operation.kind == OperationKind::Read && !line.ends_on_zero && !acquires(line.operation.semantics);
  step.operation = line.operation;
  // Eight bytes or more have all bits.
  const std::uint32_t size_bytes = line.operation.locations.size_bytes;
  const Value mask = size_bytes >= 8 ? ~Value{0} : (Value{1} << (8 * size_bytes)) - 1;
  step.written = (line.constant + (line.copies && !reads_.empty() ? reads_.back() : 0)) & mask;
  const Value constant = line.constant;
  step.modify = [constant, mask](Value old) { return std::optional<Value>((old + constant) & mask); };
  step.participants = line.participants;
  step.quorum = line.quorum;
  return step;
}

// A value that is copied is the last one that was read.
bool ScriptedAgent::needs_late_values(const Line& line) const {
  if (line.operation.kind == OperationKind::ControlBarrier) return true;
  return line.copies && !reads_.empty() && late_.back() + 1 == reads_.size();
}

std::uint32_t ScriptedAgent::postpone() {
  expects_value_ = false;
  late_.push_back(static_cast<std::uint32_t>(reads_.size()));
  reads_.push_back(0);
  return late_.back();
}

void ScriptedAgent::answer(std::uint32_t read, Value value) {
  reads_[read] = value;
  late_.erase(std::find(late_.begin(), late_.end(), read));
}

Program ScriptedProgram::program() const {
  Program program;
  for (std::size_t a = 0; a < scripts.size(); ++a)
    program.agents.push_back({places[a], [this, a] { return std::make_unique<ScriptedAgent>(scripts[a]); }});
  program.system_synchronization = system_synchronization;
  return program;
}

Program ScriptedProgram::telling_program() {
  later_.clear();
  for (const Script& script : scripts) {
    std::vector<Later> from(script.size() + 1);
    for (std::size_t i = script.size(); i-- > 0;) {
      const Operation& op = script[i].operation;
      from[i] = from[i + 1];
      from[i].arrives = from[i].arrives || op.kind == OperationKind::ControlBarrier;
      if (op.is_access())
        from[i].accesses.push_back({op.locations, op.reference, op.writes(), op.is_non_private(), op.tags});
    }
    later_.push_back(std::move(from));
  }
  Program result = program();
  for (std::size_t a = 0; a < scripts.size(); ++a)
    result.agents[a].start = [this, a] { return std::make_unique<ScriptedAgent>(scripts[a], &later_[a]); };
  return result;
}

namespace {

class Generator {
 public:
  Generator(std::uint64_t seed, std::size_t most_lines, bool messages)
      : random_(seed), most_lines_(most_lines), messages_(messages), meets_alike_(seed % 5 == 0) {}

  ScriptedProgram generate() {
    const std::size_t agents = 2 + below(2);
    mixed_sizes_ = below(5) == 0;
    aliases_ = below(4) == 0;
    widest_ = below(2) == 0;
    cycles_ = below(3) == 0;
    scripts_.scripts.resize(agents);
    for (std::size_t a = 0; a < agents; ++a) {
      model::Place place;
      place.queue_family = !messages_ && once_in(4) ? 1 : 0;
      place.workgroup = below(2);
      place.subgroup = below(2);
      scripts_.places.push_back(place);
    }
    for (std::size_t line = 0; line < most_lines_; ++line) {
      const std::size_t agent = below(agents);
      if (messages_) {
        add_line_of_messages(agent);
      } else {
        add_line(agent);
      }
    }
    if (meets_alike_) {
      add_barrier_of_one_instruction();
    } else if (below(4) == 0) {
      add_barrier();
    }
    if (below(6) == 0) {
      const auto a = static_cast<AgentId>(below(agents));
      const auto b = static_cast<AgentId>(below(agents));
      if (a != b) scripts_.system_synchronization.emplace_back(a, b);
    }
    return scripts_;
  }

 private:
  std::uint32_t below(std::size_t n) {
    return static_cast<std::uint32_t>(std::uniform_int_distribution<std::size_t>(0, n - 1)(random_));
  }
  bool once_in(std::size_t n) { return below(n) == 0; }

  Scope scope() {
    if (widest_ && !once_in(4)) return Scope::Device;
    constexpr Scope kScopes[] = {Scope::Device, Scope::QueueFamily, Scope::Workgroup, Scope::Subgroup};
    return kScopes[below(4)];
  }
  MemorySemantics classes() {
    if (once_in(4)) return MemorySemantics::ImageMemory;
    return once_in(3) ? MemorySemantics::UniformMemory | MemorySemantics::ImageMemory : MemorySemantics::UniformMemory;
  }
  // Drawn one after the other: the order of operands is the compiler's.
  MemorySemantics semantics(bool reads, bool writes) {
    const MemorySemantics mask = classes();
    const MemorySemantics bulk_available = writes ? available() : MemorySemantics::None;
    const MemorySemantics bulk_visible = reads ? visible() : MemorySemantics::None;
    const MemorySemantics order = reads && writes ? MemorySemantics::AcquireRelease
                                  : reads         ? MemorySemantics::Acquire
                                                  : MemorySemantics::Release;
    return order | mask | bulk_available | bulk_visible;
  }
  MemorySemantics available() { return once_in(3) ? MemorySemantics::None : MemorySemantics::MakeAvailable; }
  MemorySemantics visible() { return once_in(3) ? MemorySemantics::None : MemorySemantics::MakeVisible; }

  void add_line(std::size_t agent) {
    Line line;
    Operation& op = line.operation;
    switch (below(10)) {
      case 0:
        op.kind = OperationKind::MemoryBarrier;
        op.scope = scope();
        op.semantics = semantics(!once_in(3), true);
        break;
      case 1:
        op.kind = once_in(2) ? OperationKind::DeviceAvailability : OperationKind::DeviceVisibility;
        break;
      case 2:
        set_access(line, OperationKind::ReadModifyWrite);
        break;
      case 3:
      case 4:
      case 5:
        set_access(line, OperationKind::Write);
        break;
      default:
        set_access(line, OperationKind::Read);
        break;
    }
    scripts_.scripts[agent].push_back(line);
  }

  void add_line_of_messages(std::size_t agent) {
    Line line;
    Operation& op = line.operation;
    switch (below(8)) {
      case 0:
        op.kind = OperationKind::DeviceAvailability;
        break;
      case 1:
        op.kind = OperationKind::DeviceVisibility;
        break;
      case 2:
        set_message(line, OperationKind::Read);
        break;
      case 3:
        set_message(line, once_in(2) ? OperationKind::Write : OperationKind::ReadModifyWrite);
        break;
      case 4:
        set_message(line, OperationKind::ReadModifyWrite);
        break;
      case 5:
      case 6:
        set_payload(line, OperationKind::Write);
        break;
      default:
        set_payload(line, OperationKind::Read);
        break;
    }
    scripts_.scripts[agent].push_back(line);
  }

  void set_message(Line& line, OperationKind kind) {
    Operation& op = line.operation;
    op.kind = kind;
    op.storage_class = StorageClass::StorageBuffer;
    op.locations = {AllocationId{0}, 0, 2};
    op.atomic = true;
    op.scope = scope();
    if (!once_in(5)) op.semantics = semantics(op.reads(), op.writes());
    line.constant = 1 + below(2);
  }

  void set_payload(Line& line, OperationKind kind) {
    Operation& op = line.operation;
    op.kind = kind;
    op.storage_class = once_in(6) ? StorageClass::Image : StorageClass::StorageBuffer;
    const bool part = mixed_sizes_ && once_in(2);
    op.locations = {AllocationId{1}, part ? below(2) : 0, part ? 1u : 2u};
    op.reference = static_cast<ReferenceId>(aliases_ && once_in(2) ? 11 : 1);
    line.constant = 1 + below(2);
    if (once_in(2)) return;
    op.operands |= MemoryOperands::NonPrivatePointer;
    if (op.writes() && once_in(2)) op.operands |= MemoryOperands::MakePointerAvailable;
    if (op.reads() && once_in(2)) op.operands |= MemoryOperands::MakePointerVisible;
    op.available_scope = op.visible_scope = scope();
  }

  void set_access(Line& line, OperationKind kind) {
    Operation& op = line.operation;
    op.kind = kind;
    op.storage_class = once_in(5) ? StorageClass::Image : StorageClass::StorageBuffer;
    const std::uint32_t variable = once_in(cycles_ ? 2 : 3) ? 1 : 0;
    op.locations = {static_cast<AllocationId>(variable), 0, 2};
    if (mixed_sizes_ && once_in(2)) op.locations = {op.locations.allocation, below(2), 1};
    const std::uint32_t alias = aliases_ && once_in(2) ? 10 : 0;
    op.reference = static_cast<ReferenceId>(variable + alias);
    op.atomic = kind == OperationKind::ReadModifyWrite || once_in(2);
    if (op.atomic) {
      op.scope = scope();
      if (once_in(2)) op.semantics = semantics(op.reads(), op.writes());
    } else if (!once_in(4)) {
      op.operands |= MemoryOperands::NonPrivatePointer;
      if (op.writes() && once_in(2)) op.operands |= MemoryOperands::MakePointerAvailable;
      if (op.reads() && once_in(2)) op.operands |= MemoryOperands::MakePointerVisible;
      op.available_scope = op.visible_scope = scope();
    }
    line.constant = 1 + below(2);
    // Where values flow from the first variable to the second only, none come out of thin air.
    line.copies = kind == OperationKind::Write && (variable == 1 || cycles_) && once_in(3);
    if (line.copies && once_in(2)) line.constant = 0;
    line.ends_on_zero = kind == OperationKind::Read && variable == 0 && once_in(4);
  }

  // A control barrier for all agents, whatever their workgroups: participants are what is given.
  void add_barrier() {
    const std::uint32_t quorum = once_in(3) ? 1 + below(scripts_.scripts.size()) : 0;
    std::vector<AgentId> all;
    for (std::size_t a = 0; a < scripts_.scripts.size(); ++a) all.push_back(static_cast<AgentId>(a));
    for (Script& script : scripts_.scripts) {
      Line line;
      line.operation.kind = OperationKind::ControlBarrier;
      line.operation.scope = scope();
      line.operation.execution_scope = Scope::Device;
      line.operation.barrier_instance = 1;
      if (!once_in(4)) line.operation.semantics = semantics(true, true);
      line.participants = all;
      line.quorum = quorum;
      script.insert(script.begin() + below(script.size() + 1), line);
    }
  }

  // One that all come to who come to it do alike, as in kernels; of three agents one may stay away.
  void add_barrier_of_one_instruction() {
    std::size_t come = scripts_.scripts.size();
    if (come == 3 && once_in(2)) --come;
    Line line;
    line.operation.kind = OperationKind::ControlBarrier;
    line.operation.scope = scope();
    line.operation.execution_scope = Scope::Device;
    line.operation.barrier_instance = 1;
    line.operation.semantics = semantics(true, true);
    for (std::size_t a = 0; a < come; ++a) line.participants.push_back(static_cast<AgentId>(a));
    for (std::size_t a = 0; a < come; ++a) {
      Script& script = scripts_.scripts[a];
      script.insert(script.begin() + below(script.size() + 1), line);
    }
  }

  std::mt19937_64 random_;
  std::size_t most_lines_;
  bool messages_ = false;
  bool meets_alike_ = false;
  bool mixed_sizes_ = false;
  bool aliases_ = false;
  bool widest_ = false;
  bool cycles_ = false;
  ScriptedProgram scripts_;
};

}  // namespace

ScriptedProgram random_program(std::uint64_t seed, std::size_t most_lines) {
  return Generator(seed, most_lines, false).generate();
}

ScriptedProgram random_messages(std::uint64_t seed, std::size_t most_lines) {
  return Generator(seed, most_lines, true).generate();
}

}  // namespace heddle::explore
