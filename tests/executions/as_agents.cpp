#include "tests/executions/as_agents.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "emulator/explore/explore.h"

namespace heddle {
namespace {

using explore::Step;
using explore::StepKind;
using explore::Value;
using Kind = BothInstruction::Kind;

constexpr auto kBuffer = static_cast<AllocationId>(1);
constexpr std::uint32_t kFirstOfWorkgroups = 100;
constexpr std::uint32_t kElementBytes = 4;

Locations element_of_buffer(std::uint32_t element) {
  return {kBuffer, std::uint64_t{element} * kElementBytes, kElementBytes};
}

OperationKind kind_of(Kind kind) {
  switch (kind) {
    case Kind::Load:
    case Kind::AtomicLoad:
    case Kind::Spin:
      return OperationKind::Read;
    case Kind::Store:
    case Kind::AtomicStore:
      return OperationKind::Write;
    case Kind::Fence:
      return OperationKind::MemoryBarrier;
    case Kind::Barrier:
      return OperationKind::ControlBarrier;
    default:
      return OperationKind::ReadModifyWrite;
  }
}

/// An invocation. Its results are what its instructions got, in their order.
class Invocation final : public explore::Agent {
 public:
  Invocation(const BothProgram& program, std::uint32_t number)
      : program_(program), number_(number), code_(program.code[number]) {
    for (const BothInstruction& instruction : code_)
      if (instruction.gets()) results_.push_back(0);
  }

  Step next(Value read) override {
    if (begun_) take(static_cast<std::uint32_t>(read));
    begun_ = true;
    while (at_ < code_.size() && code_[at_].only_if && *code_[at_].only_if != last_) leave();
    return at_ < code_.size() ? step() : ended(StepKind::Finished);
  }

 private:
  Step ended(StepKind kind) const {
    Step out;
    out.kind = kind;
    out.results = results_;
    return out;
  }

  /// To the next instruction.
  void leave() {
    if (code_[at_].gets()) ++got_;
    ++at_;
    expected_.reset();
    tried_.clear();
  }

  /// The operation that was stepped last has read this.
  void take(std::uint32_t read) {
    const BothInstruction& now = code_[at_];
    if (now.kind == Kind::AddByCompare && expected_ != read) {
      expected_ = read;
      return;
    }
    if ((now.kind == Kind::Spin && read == 0) || (now.kind == Kind::Take && read != 0)) return;
    if (now.gets()) last_ = read, results_[got_] = read;
    leave();
  }

  // A loop that tries what it has tried before has changed nothing since.
  Step step() {
    const BothInstruction& now = code_[at_];
    if (now.is_loop()) {
      if (std::find(tried_.begin(), tried_.end(), expected_) != tried_.end()) return ended(StepKind::Spinning);
      tried_.push_back(expected_);
    }
    Step out;
    out.kind = StepKind::Operation;
    out.operation = operation();
    out.written = value();
    if (now.kind == Kind::Barrier) add_meeting(out);
    if (out.operation.kind == OperationKind::ReadModifyWrite) out.modify = modification();
    return out;
  }

  std::uint32_t value() const { return code_[at_].writes_last ? last_ : code_[at_].value; }

  Operation operation() const {
    const BothInstruction& now = code_[at_];
    Operation out;
    out.kind = kind_of(now.kind);
    if (now.kind == Kind::AddByCompare && !expected_) out.kind = OperationKind::Read;
    out.scope = now.scope;
    out.semantics =
        out.kind == OperationKind::Read && now.kind == Kind::AddByCompare ? MemorySemantics::Relaxed : now.semantics;
    if (!out.is_access()) return out;
    out.atomic = now.kind != Kind::Load && now.kind != Kind::Store;
    out.locations = element_of_buffer(now.element);
    out.reference = static_cast<ReferenceId>(1);
    if (now.element == kElements) {
      out.storage_class = StorageClass::Workgroup;
      out.reference = static_cast<ReferenceId>(2);
      const std::uint32_t workgroup = number_ / program_.local;
      out.locations = {static_cast<AllocationId>(kFirstOfWorkgroups + workgroup), 0, kElementBytes};
    }
    if (out.atomic) return out;
    out.scope = Scope::Invocation;
    if (now.non_private) out.operands = MemoryOperands::NonPrivatePointer;
    if (now.non_private && now.makes) make(out, now.scope);
    return out;
  }

  static void make(Operation& access, Scope scope) {
    const bool reads = access.reads();
    access.operands =
        access.operands | (reads ? MemoryOperands::MakePointerVisible : MemoryOperands::MakePointerAvailable);
    (reads ? access.visible_scope : access.available_scope) = scope;
  }

  void add_meeting(Step& step) {
    const std::uint32_t workgroup = number_ / program_.local;
    step.operation.execution_scope = Scope::Workgroup;
    step.operation.barrier_instance = (std::uint64_t{workgroup} << 32) + ++barriers_;
    for (std::uint32_t i = 0; i < program_.local; ++i)
      step.participants.push_back(static_cast<AgentId>(workgroup * program_.local + i));
  }

  std::function<std::optional<Value>(Value)> modification() const {
    const Kind kind = code_[at_].kind;
    if (kind == Kind::Add)
      return [value = value()](Value old) { return std::optional<Value>(static_cast<std::uint32_t>(old + value)); };
    if (kind == Kind::Exchange) return [value = value()](Value) { return std::optional<Value>(value); };
    const std::uint32_t from = kind == Kind::CompareExchange ? last_ : expected_.value_or(0);
    const std::uint32_t to = kind == Kind::AddByCompare ? from + value() : value();
    return [from, to](Value old) { return old == from ? std::optional<Value>(to) : std::nullopt; };
  }

  const BothProgram& program_;
  const std::uint32_t number_;
  const std::vector<BothInstruction>& code_;
  bool begun_ = false;
  std::size_t at_ = 0;
  std::uint32_t last_ = 0;
  std::vector<Value> results_;
  /// How many instructions that get something came before.
  std::size_t got_ = 0;
  std::uint32_t barriers_ = 0;
  /// From what the loop exchanges, and from what it did so far.
  std::optional<std::uint32_t> expected_;
  std::vector<std::optional<std::uint32_t>> tried_;
};

/// The outcome of what was found, once for each combination of final values.
void add_outcomes(const explore::Found& found, Outcomes& out) {
  std::vector<std::map<std::string, std::uint64_t>> rows(1);
  for (std::size_t agent = 0; agent < found.ends.size(); ++agent)
    for (std::size_t i = 0; i < found.ends[agent].results.size(); ++i)
      rows[0]["P" + std::to_string(agent) + ":r" + std::to_string(i)] = found.ends[agent].results[i];
  for (std::uint32_t element = 0; element < kElements; ++element) {
    std::vector<Value> values;
    for (const model::OperationIndex write : found.judgement.final_writes(element_of_buffer(element)))
      values.push_back(write == model::kInitialValue ? 0 : found.execution.written_values[write]);
    std::vector<std::map<std::string, std::uint64_t>> longer;
    for (const auto& row : rows)
      for (const Value value : values) {
        longer.push_back(row);
        longer.back()["x" + std::to_string(element)] = value;
      }
    rows = std::move(longer);
  }
  out.insert(rows.begin(), rows.end());
}

}  // namespace

AsAgents explored_as_agents(const BothProgram& program) {
  explore::Program agents;
  for (std::uint32_t i = 0; i < program.code.size(); ++i) {
    model::Place place;
    place.workgroup = i / program.local;
    place.subgroup = i % program.local;
    agents.agents.push_back({place, [&program, i] { return std::make_unique<Invocation>(program, i); }});
  }
  // Loops of several invocations that all go round by what the others wrote have millions, one in hundreds of programs.
  constexpr std::uint64_t kMostGraphs = 300000;
  explore::Options options;
  options.graph_limit = kMostGraphs;
  AsAgents out;
  const explore::Statistics statistics = explore::explore(agents, options, [&](const explore::Found& found) {
    out.racy = out.racy || found.judgement.racy();
    if (!found.terminated()) return true;
    ++out.executions;
    add_outcomes(found, out.outcomes);
    return true;
  });
  out.complete = statistics.complete;
  return out;
}

}  // namespace heddle
