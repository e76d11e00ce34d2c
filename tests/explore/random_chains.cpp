#include <random>

#include "tests/explore/script.h"

namespace heddle::explore {
namespace {

constexpr std::uint32_t kData = 0;
constexpr std::uint32_t kFlag = 1;
constexpr std::uint32_t kNextFlag = 2;

// A value goes from the first invocation over the second to the third. Whether it arrives hangs on the elements of
// chains in between, each of which is drawn at random or left out.
class Relay {
 public:
  explicit Relay(std::uint64_t seed) : random_(seed) {}

  ScriptedProgram generate() {
    program_.scripts.resize(3);
    for (int agent = 0; agent < 3; ++agent) {
      model::Place place;
      place.queue_family = once_in(8) ? 1 : 0;
      place.workgroup = below(2);
      place.subgroup = below(2);
      program_.places.push_back(place);
    }
    same_flag_ = once_in(4);
    write_data();
    pass_on(0, kFlag, OperationKind::Write);
    relay();
    read_data();
    if (once_in(5)) overwrite_data();
    if (once_in(8)) program_.system_synchronization.emplace_back(AgentId{0}, AgentId{1});
    return program_;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
  bool once_in(std::uint32_t n) { return below(n) == 0; }

  Scope scope() {
    constexpr Scope kScopes[] = {Scope::Device,    Scope::Device,    Scope::Device,  Scope::QueueFamily,
                                 Scope::Workgroup, Scope::Workgroup, Scope::Subgroup};
    return kScopes[below(7)];
  }
  MemorySemantics classes() {
    switch (below(6)) {
      case 0:
        return MemorySemantics::ImageMemory;
      case 1:
      case 2:
        return MemorySemantics::UniformMemory | MemorySemantics::ImageMemory;
      default:
        return MemorySemantics::UniformMemory;
    }
  }
  MemorySemantics acquire() {
    const MemorySemantics mask = MemorySemantics::Acquire | classes();
    return once_in(3) ? mask : mask | MemorySemantics::MakeVisible;
  }
  MemorySemantics release() {
    const MemorySemantics mask = MemorySemantics::Release | classes();
    return once_in(3) ? mask : mask | MemorySemantics::MakeAvailable;
  }
  // Both at once have one mask.
  MemorySemantics acquire_release() {
    MemorySemantics all = MemorySemantics::AcquireRelease | classes();
    if (!once_in(3)) all |= MemorySemantics::MakeAvailable;
    if (!once_in(3)) all |= MemorySemantics::MakeVisible;
    return all;
  }

  Line access(OperationKind kind, std::uint32_t variable) {
    Line line;
    Operation& op = line.operation;
    op.kind = kind;
    op.storage_class = once_in(6) ? StorageClass::Image : StorageClass::StorageBuffer;
    op.locations = {static_cast<AllocationId>(variable), 0, 2};
    op.reference = static_cast<ReferenceId>(variable == kData && once_in(12) ? 10 : variable);
    line.constant = 1;
    return line;
  }

  void add(std::uint32_t agent, const Line& line) { program_.scripts[agent].push_back(line); }

  void write_data() { add(0, data(OperationKind::Write)); }
  void overwrite_data() {
    Line line = data(OperationKind::Write);
    line.constant = 2;
    Script& script = program_.scripts[below(3)];
    script.insert(script.begin() + below(static_cast<std::uint32_t>(script.size() + 1)), line);
  }

  Line data(OperationKind kind) {
    Line line = access(kind, kData);
    Operation& op = line.operation;
    if (once_in(12)) return line;
    op.operands |= MemoryOperands::NonPrivatePointer;
    if (op.writes() && once_in(3)) op.operands |= MemoryOperands::MakePointerAvailable;
    if (op.reads() && once_in(3)) op.operands |= MemoryOperands::MakePointerVisible;
    op.available_scope = op.visible_scope = scope();
    return line;
  }

  void fence(std::uint32_t agent, MemorySemantics semantics) {
    Line line;
    line.operation.kind = OperationKind::MemoryBarrier;
    line.operation.scope = scope();
    line.operation.semantics = semantics;
    add(agent, line);
  }

  // What hands over to the next invocation, by a barrier or by itself.
  void pass_on(std::uint32_t agent, std::uint32_t flag, OperationKind kind) {
    const bool by_barrier = once_in(2);
    if (by_barrier) fence(agent, release());
    Line line = access(kind, flag);
    line.operation.atomic = true;
    line.operation.scope = scope();
    if (!by_barrier || once_in(3)) line.operation.semantics = release();
    add(agent, line);
  }

  void take_over(std::uint32_t agent, std::uint32_t flag) {
    const bool by_barrier = once_in(2);
    Line line = access(OperationKind::Read, flag);
    line.operation.atomic = true;
    line.operation.scope = scope();
    line.ends_on_zero = !once_in(4);
    if (!by_barrier || once_in(3)) line.operation.semantics = acquire();
    add(agent, line);
    if (by_barrier) fence(agent, acquire());
  }

  // In the middle: one read-modify-write, or an acquire and a release with elements between.
  void relay() {
    if (same_flag_) {
      Line line = access(OperationKind::ReadModifyWrite, kFlag);
      line.operation.atomic = true;
      line.operation.scope = scope();
      line.operation.semantics = acquire_release();
      add(1, line);
      return;
    }
    take_over(1, kFlag);
    if (once_in(3)) fence(1, acquire_release());
    if (once_in(4)) add(1, data(once_in(2) ? OperationKind::Write : OperationKind::Read));
    pass_on(1, kNextFlag, OperationKind::Write);
  }

  void read_data() {
    take_over(2, same_flag_ ? kFlag : kNextFlag);
    add(2, data(once_in(5) ? OperationKind::Write : OperationKind::Read));
  }

  std::mt19937_64 random_;
  bool same_flag_ = false;
  ScriptedProgram program_;
};

}  // namespace

ScriptedProgram random_chains(std::uint64_t seed) {
  return Relay(seed).generate();
}

}  // namespace heddle::explore
