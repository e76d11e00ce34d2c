// Accesses whose own availability and visibility operations are elements of chains, in streams that differ in one
// thing.

#include <string>
#include <vector>

#include "emulator/model/tags.h"
#include "tests/race/judged_stream.h"

using namespace heddle;
using namespace heddle::race;
using enum heddle::MemorySemantics;

namespace {

constexpr AgentId kFirst{0};
constexpr AgentId kSecond{1};

Operation access(AgentId agent, OperationKind kind, StorageClass storage_class) {
  Operation op;
  op.agent = agent;
  op.kind = kind;
  op.storage_class = storage_class;
  op.locations = {AllocationId{}, 0, 4};
  op.scope = Scope::Device;
  op.operands = MemoryOperands::NonPrivatePointer;
  return op;
}

Operation available_write(AgentId agent) {
  Operation op = access(agent, OperationKind::Write, StorageClass::StorageBuffer);
  op.operands |= MemoryOperands::MakePointerAvailable;
  op.available_scope = Scope::Device;
  return op;
}

Operation barrier(AgentId agent, OperationKind kind, Scope scope, MemorySemantics semantics) {
  Operation op;
  op.agent = agent;
  op.kind = kind;
  op.scope = op.execution_scope = scope;
  op.semantics = semantics;
  if (kind == OperationKind::ControlBarrier) op.barrier_instance = 1;
  return op;
}

Operation atomic(AgentId agent, OperationKind kind, Scope scope, MemorySemantics semantics, const std::string& tags) {
  Operation op = access(agent, kind, StorageClass::StorageBuffer);
  op.atomic = true;
  op.operands = MemoryOperands::None;
  op.scope = scope;
  op.semantics = semantics;
  op.tags = model::intern(*model::TagSet::parse(tags));
  return op;
}

}  // namespace

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a write through which another one is available becomes visible with it to reads of another class") {
  const auto races = [](MemorySemantics shown) {
    return agreed_races([&](Both& both) {
      both.agent_begins(kFirst, {});
      both.agent_begins(kSecond, {});
      const MemorySemantics meet = AcquireRelease | UniformMemory;
      both.operation(0, available_write(kFirst), 0, 0, {});
      both.operation(1, barrier(kFirst, OperationKind::ControlBarrier, Scope::Workgroup, meet), 0, 0, {});
      both.operation(2, barrier(kSecond, OperationKind::ControlBarrier, Scope::Workgroup, meet), 0, 0, {});
      both.passes(1, {});
      both.passes(2, {});
      both.operation(3, available_write(kSecond), 0, 0, {});
      both.operation(4, barrier(kSecond, OperationKind::MemoryBarrier, Scope::Device, Acquire | ImageMemory | shown), 0,
                     0, {});
      const Operation read = access(kSecond, OperationKind::Read, StorageClass::Image);
      both.operation(5, read, 0, 0, std::vector{trace::Source{read.locations, 3}});
    });
  };
  CHECK(races(MakeVisible) == 0);
  CHECK(races(None) == 1);
}

// An atomic that acquires from itself what it released is behind that, and no tags say otherwise: what the first one
// found is not in the workgroup of the second for that, where a chain has one element.
//= vk:memory-model-availability-visibility type=test
//= mmra:synchronizes-with type=test
TEST_CASE("what an update made visible to itself is visible to the next read by program order that counts") {
  const auto races = [](const std::string& tags) {
    KernelOptions options;
    options.chains = false;
    const Judged found = judged(
        [&](Both& both) {
          model::Place place;
          both.agent_begins(kFirst, place);
          place.workgroup = 1;
          both.agent_begins(kSecond, place);
          const MemorySemantics all = AcquireRelease | OutputMemory | MakeAvailable | MakeVisible;
          const Operation first = atomic(kFirst, OperationKind::ReadModifyWrite, Scope::Device, all, "bar:a");
          const Operation second = atomic(kSecond, OperationKind::ReadModifyWrite, Scope::Device, all, "foo:a");
          const Operation read =
              atomic(kSecond, OperationKind::Read, Scope::Workgroup, Acquire | OutputMemory | MakeVisible, tags);
          both.operation(0, first, 0, 0, std::vector{trace::Source{first.locations, model::kInitialValue}});
          both.placed(0);
          both.operation(1, second, 0, 0, std::vector{trace::Source{second.locations, 0}});
          both.placed(1);
          both.operation(2, read, 0, 0, std::vector{trace::Source{read.locations, 1}});
        },
        options, true);
    CHECK(found.verdict.text.empty());
    return found.races;
  };
  CHECK(races("foo:a") == 0);
  CHECK(races("foo:b") == 1);
}
