// A barrier that a whole workgroup meets at, told at once, means what it means when each arrival is told.

#include <catch2/catch.hpp>

#include <random>

#include "emulator/race/kernel_detector.h"
#include "tests/race/agreement.h"

using namespace heddle;
using namespace heddle::race;

namespace {

constexpr std::uint32_t kGroups = 3;
constexpr std::uint32_t kGroup = 4;

AgentId agent_of(std::uint32_t group, std::uint32_t i) {
  return static_cast<AgentId>(group * kGroup + i);
}

/// Tells two detectors the same, but for the barriers.
class BothTold {
 public:
  explicit BothTold(const KernelOptions& options) : at_once_(options), one_by_one_(options) {
    for (std::uint32_t group = 0; group < kGroups; ++group)
      for (std::uint32_t i = 0; i < kGroup; ++i) {
        model::Place place;
        place.workgroup = group;
        place.subgroup = i / 2;
        at_once_.agent_begins(agent_of(group, i), place);
        one_by_one_.agent_begins(agent_of(group, i), place);
      }
  }

  void tell(const Operation& operation) {
    trace::Source source{operation.locations, last_atomic_};
    const std::span<const trace::Source> sources =
        operation.atomic && operation.reads() ? std::span(&source, 1) : std::span<trace::Source>();
    at_once_.operation(told_, operation, 0, 0, sources);
    one_by_one_.operation(told_, operation, 0, 0, sources);
    if (operation.atomic && operation.writes()) {
      last_atomic_ = told_;
      at_once_.placed(told_);
      one_by_one_.placed(told_);
    }
    ++told_;
  }
  void meet(std::uint32_t group, Operation barrier) {
    barrier.kind = OperationKind::ControlBarrier;
    barrier.barrier_instance = ++instances_;
    barrier.agent = agent_of(group, 0);
    at_once_.meets(told_, barrier, kGroup);
    one_by_one_.trace::Listener::meets(told_, barrier, kGroup);
    told_ += kGroup;
  }

  bool agree() const { return same_races(at_once_, one_by_one_); }
  std::size_t races() const { return at_once_.races().size(); }

 private:
  KernelDetector at_once_;
  KernelDetector one_by_one_;
  model::OperationIndex told_ = 0;
  std::uint64_t instances_ = 0;
  model::OperationIndex last_atomic_ = model::kInitialValue;
};

/// What a stream is made of.
class Random {
 public:
  explicit Random(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool once_in(std::uint32_t times) { return below(times) == 0; }

  MemorySemantics semantics() {
    constexpr auto kFlags = MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
    if (once_in(6)) return MemorySemantics::None;
    MemorySemantics made = MemorySemantics::AcquireRelease;
    if (!once_in(4)) made |= MemorySemantics::WorkgroupMemory;
    if (!once_in(3)) made |= MemorySemantics::UniformMemory;
    if (!once_in(4)) made |= kFlags;
    return made;
  }
  Scope scope() { return once_in(3) ? Scope::Device : once_in(5) ? Scope::Subgroup : Scope::Workgroup; }

  Operation barrier() {
    Operation op;
    op.scope = scope();
    op.execution_scope = Scope::Workgroup;
    op.semantics = semantics();
    return op;
  }
  Operation fence(AgentId agent) {
    Operation op = barrier();
    op.kind = OperationKind::MemoryBarrier;
    op.agent = agent;
    return op;
  }
  Operation access(std::uint32_t group, AgentId agent) {
    Operation op;
    op.agent = agent;
    op.kind = once_in(2) ? OperationKind::Read : OperationKind::Write;
    const bool shared = once_in(2);
    op.storage_class = shared ? StorageClass::StorageBuffer : StorageClass::Workgroup;
    const std::uint32_t array = shared ? 0 : 1 + group;
    op.reference = static_cast<ReferenceId>(array);
    op.locations = {static_cast<AllocationId>(array), 4 * below(3), 4};
    op.where.line = 1 + below(4);
    if (once_in(5)) {
      op.kind = OperationKind::ReadModifyWrite;
      op.atomic = true;
      op.locations.offset_bytes = 16;
      op.scope = Scope::Device;
      op.semantics = once_in(2) ? MemorySemantics::None : semantics();
    } else if (!once_in(4)) {
      op.operands = MemoryOperands::NonPrivatePointer;
    }
    return op;
  }

 private:
  std::mt19937 random_;
};

}  // namespace

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a barrier that a workgroup meets at, told at once, orders what it orders told arrival by arrival") {
  std::size_t races = 0;
  std::size_t disagreements = 0;
  // 1500 of them, unless more or fewer are asked for.
  const std::uint64_t streams = executions() * 3 / 10;
  for (std::uint32_t seed = 0; seed < streams; ++seed) {
    Random random(seed);
    KernelOptions options;
    options.exact_accesses = seed % 3 == 0 ? 6 : 0;
    BothTold told(options);
    // Some streams have nothing but barriers that settle everything, as kernels do.
    const bool orderly = seed % 2 == 0;
    for (std::uint32_t step = 0; step < 40; ++step) {
      const std::uint32_t group = random.below(kGroups);
      const AgentId agent = agent_of(group, random.below(kGroup));
      if (random.once_in(4)) {
        told.meet(group, random.barrier());
      } else if (!orderly && random.once_in(6)) {
        told.tell(random.fence(agent));
      } else {
        told.tell(random.access(group, agent));
      }
    }
    races += told.races();
    disagreements += told.agree() ? 0 : 1;
  }
  CHECK(disagreements == 0);
  CHECK(races > streams);
}
