#include <random>

#include "tests/explore/script.h"

namespace heddle::explore {
namespace {

// Values go in circles: nearly everything is a relaxed atomic on one of few variables, and most of what is written has
// been read before.
class Circles {
 public:
  explicit Circles(std::uint64_t seed) : random_(seed) {}

  ScriptedProgram generate(std::size_t most_lines) {
    const std::uint32_t agents = 2 + below(2);
    program_.scripts.resize(agents);
    program_.places.resize(agents);
    for (model::Place& place : program_.places) place.subgroup = below(2);
    variables_ = 1 + below(3);
    for (std::size_t line = 0; line < most_lines; ++line) {
      Script& script = program_.scripts[below(agents)];
      const OperationKind kind = once_in(8)               ? OperationKind::ReadModifyWrite
                                 : script.size() % 2 == 0 ? OperationKind::Read
                                                          : OperationKind::Write;
      script.push_back(access(kind));
    }
    if (once_in(3)) add_barrier();
    return program_;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
  bool once_in(std::uint32_t n) { return below(n) == 0; }

  Line access(OperationKind kind) {
    Line line;
    Operation& op = line.operation;
    const std::uint32_t variable = below(variables_);
    op.kind = kind;
    op.storage_class = StorageClass::StorageBuffer;
    op.locations = {static_cast<AllocationId>(variable), 0, 2};
    op.reference = static_cast<ReferenceId>(once_in(10) ? 10 + variable : variable);
    op.atomic = kind == OperationKind::ReadModifyWrite || !once_in(8);
    op.scope = once_in(8) ? Scope::Subgroup : Scope::Device;
    if (op.atomic && once_in(8)) {
      const MemorySemantics order = kind == OperationKind::Read    ? MemorySemantics::Acquire
                                    : kind == OperationKind::Write ? MemorySemantics::Release
                                                                   : MemorySemantics::AcquireRelease;
      op.semantics = order | MemorySemantics::UniformMemory;
    }
    line.copies = kind == OperationKind::Write && !once_in(4);
    line.constant = line.copies ? below(2) : 1 + below(2);
    line.ends_on_zero = kind == OperationKind::Read && once_in(3);
    return line;
  }

  // A barrier at which an invocation arrives only if a value lets it.
  void add_barrier() {
    const std::uint32_t quorum = once_in(3) ? 1 + below(static_cast<std::uint32_t>(program_.scripts.size())) : 0;
    Line line;
    line.operation.kind = OperationKind::ControlBarrier;
    line.operation.scope = Scope::Device;
    line.operation.execution_scope = Scope::Device;
    line.operation.barrier_instance = 1;
    line.quorum = quorum;
    for (std::size_t a = 0; a < program_.scripts.size(); ++a) line.participants.push_back(static_cast<AgentId>(a));
    for (Script& script : program_.scripts)
      script.insert(script.begin() + below(static_cast<std::uint32_t>(script.size() + 1)), line);
  }

  std::mt19937_64 random_;
  std::uint32_t variables_ = 1;
  ScriptedProgram program_;
};

}  // namespace

ScriptedProgram random_values(std::uint64_t seed, std::size_t most_lines) {
  return Circles(seed).generate(most_lines);
}

}  // namespace heddle::explore
