#include <catch2/catch.hpp>

#include "emulator/model/dependency.h"
#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

constexpr AccessScope kShaderWrites{Stages::Compute, Accesses::ShaderWrite, {}, false};
constexpr AccessScope kShaderReads{Stages::Compute, Accesses::ShaderRead, {}, false};

/// Commands and dependencies of one queue, in submission order.
struct Queue {
  Scenario s;
  std::shared_ptr<HostSide> side = std::make_shared<HostSide>();
  std::uint32_t position = 1;
  std::uint32_t workgroup = 0;

  Queue() { s.execution.host = side; }

  // An access by a dispatch of its own, or by another command.
  OperationIndex command(const Op& op, Stages stage = Stages::Compute, std::uint32_t family = 0, QueueId queue = {}) {
    Place place;
    place.kind = stage == Stages::Compute ? AgentKind::Shader : AgentKind::FixedFunction;
    place.workgroup = workgroup++;
    place.queue_family = family;
    const AgentId agent = s.agent(place);
    side->commands.push_back({agent, queue, position++, stage});
    return s.add(agent, op);
  }
  Dependency& dependency(Stages first, Stages second, const AccessScope& available = kShaderWrites,
                         const AccessScope& visible = kShaderReads) {
    Place place;
    place.kind = AgentKind::FixedFunction;
    const AgentId agent = s.agent(place);
    s.add(agent, step(OperationKind::DeviceAvailability));
    s.add(agent, step(OperationKind::DeviceVisibility));
    Dependency& made = side->dependencies.emplace_back();
    made.agent = agent;
    made.first = {QueueId{0}, position, first};
    made.second = {QueueId{0}, ++position, second};
    made.available = available;
    made.visible = visible;
    return made;
  }
  bool ordered(OperationIndex a, OperationIndex b) const { return s.judge().location_ordered(a, b).has_value(); }
};

}  // namespace

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("a dependency orders the commands of its stages that stand before it and after it") {
  Queue q;
  const OperationIndex before = q.command(read(0));
  q.dependency(Stages::Compute, Stages::Compute);
  const OperationIndex after = q.command(write(0));
  const OperationIndex copy = q.command(write(0), Stages::Copy);
  CHECK(q.ordered(before, after));
  CHECK_FALSE(q.ordered(before, copy));
  CHECK_FALSE(q.ordered(after, before));
}

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("stages that are logically earlier are in a first scope, and later ones in a second") {
  Queue q;
  const OperationIndex before = q.command(read(0), Stages::DrawIndirect);
  q.dependency(Stages::Compute, Stages::DrawIndirect);
  const OperationIndex after = q.command(write(0));
  CHECK(q.ordered(before, after));
  q.side->dependencies[0].first.stages = Stages::DrawIndirect;
  q.side->dependencies[0].second.stages = Stages::Compute;
  CHECK(q.ordered(before, after));
  q.side->dependencies[0].first.stages = Stages::Copy;
  CHECK_FALSE(q.ordered(before, after));
}

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("dependencies make a chain where their stages meet, whether a command is there or not") {
  Queue q;
  const OperationIndex before = q.command(write(0));
  q.dependency(Stages::Compute, Stages::Copy);
  q.dependency(Stages::Copy, Stages::Compute);
  const OperationIndex after = q.command(read(0));
  CHECK(q.ordered(before, after));
  q.side->dependencies[1].first.stages = Stages::Clear;
  CHECK_FALSE(q.ordered(before, after));
}

//= vk:memory-model-vulkan-availability-visibility type=test
TEST_CASE("what a dependency makes available and visible is what its masks and buffers name") {
  Queue q;
  const OperationIndex before = q.command(write(0));
  Dependency& dependency = q.dependency(Stages::Compute, Stages::Compute);
  const OperationIndex after = q.command(read(0));
  CHECK(q.ordered(before, after));
  dependency.available.accesses = Accesses::TransferWrite;
  CHECK_FALSE(q.ordered(before, after));
  dependency.available = kShaderWrites;
  dependency.visible.accesses = Accesses::UniformRead;
  CHECK_FALSE(q.ordered(before, after));
  q.side->uniform = {ReferenceId{0}};
  CHECK(q.ordered(before, after));
  dependency.available.references = {ReferenceId{1}};
  CHECK_FALSE(q.ordered(before, after));
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("a read of an exclusive buffer by another queue family needs a release and its acquire") {
  Queue q;
  const OperationIndex before = q.command(write(0));
  Dependency& release = q.dependency(Stages::Compute, Stages::Ownership);
  release.transfer = OwnershipTransfer{false, ReferenceId{0}, 0, 1};
  Dependency& acquire = q.dependency(Stages::Ownership, Stages::Compute);
  acquire.transfer = OwnershipTransfer{true, ReferenceId{0}, 0, 1};
  const OperationIndex after = q.command(read(0), Stages::Compute, 1);
  q.side->exclusive = {ReferenceId{0}};
  CHECK(q.ordered(before, after));
  acquire.transfer->to = 2;
  CHECK_FALSE(q.ordered(before, after));
  q.side->exclusive.clear();
  CHECK(q.ordered(before, after));
}

namespace {

std::shared_ptr<const HostSide> host_threads() {
  const auto side = std::make_shared<HostSide>();
  side->has_host_threads = true;
  return side;
}

// Two host agents that pass a message by an atomic, in the host's language.
Scenario host_message(const Op& flag_write, const Op& flag_read) {
  Scenario s;
  const AgentId a = s.agent(Place::host());
  const AgentId b = s.agent(Place::host());
  s.add(a, write(0));
  s.add(a, flag_write);
  s.add(b, flag_read);
  s.add(b, read(0));
  s.reads(2, 1);
  s.execution.host = host_threads();
  return s;
}

Op flag(const Op& op) {
  return Op(op).atomic_at(Scope::CrossDevice);
}

}  // namespace

//= vk:memory-model-inter-thread-happens-before type=test
TEST_CASE("between threads of the host their language's happens-before is enough, for private accesses too") {
  CHECK(host_message(flag(write(1)).release(kUniform), flag(read(1)).acquire(kUniform)).judge().location_ordered(0, 3));
  CHECK_FALSE(host_message(flag(write(1)), flag(read(1)).acquire(kUniform)).judge().location_ordered(0, 3));
}

//= vk:memory-model-release-sequence type=test
TEST_CASE("on the host a later store of the same thread is in the release sequence, and of another one it is not") {
  for (const bool same : {true, false}) {
    Scenario s = host_message(flag(write(1)).release(kUniform), flag(read(1)).acquire(kUniform));
    const AgentId other = s.agent(Place::host());
    const OperationIndex later = s.add(same ? AgentId{0} : other, flag(write(1)));
    s.modified(1, later);
    s.execution.reads_from.clear();
    s.reads(2, later);
    CHECK(s.judge().location_ordered(0, 3).has_value() == same);
  }
}

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("a call of the host has in its scope what happened before it in other threads") {
  Scenario s = host_message(flag(write(1)).release(kUniform), flag(read(1)).acquire(kUniform));
  const OperationIndex submit = s.add(AgentId{1}, step(OperationKind::HostAvailability));
  const OperationIndex shader = s.add(s.invocation(0, 0, 0), write(0));
  s.system_synchronizes(submit, shader);
  CHECK(s.related(RelationName::SystemSynchronizesWith, 0, shader));
  s.execution.host = nullptr;
  CHECK_FALSE(s.related(RelationName::SystemSynchronizesWith, 0, shader));
}

//= vk:memory-model-vulkan-availability-visibility type=test
TEST_CASE("flushes and invalidations are of ranges, and coherent memory needs none") {
  Scenario s;
  const AgentId host = s.agent(Place::host());
  const AgentId invocation = s.invocation(0, 0, 0);
  s.add(host, write(0));
  Op flush = step(OperationKind::HostAvailability);
  flush.locations = write(0).locations;
  s.add(host, flush);
  s.add(host, step(OperationKind::HostToDeviceDomain));
  s.add(host, step(OperationKind::DeviceVisibility));
  const OperationIndex last = s.add(invocation, read(0));
  s.execution.agent_system_synchronization = {{host, invocation}};
  CHECK(s.judge().location_ordered(0, last));
  s.execution.operations[1].locations = write(1).locations;
  CHECK_FALSE(s.judge().location_ordered(0, last));
  const auto side = std::make_shared<HostSide>();
  side->coherent = {AllocationId{0}};
  s.execution.host = side;
  CHECK(s.judge().location_ordered(0, last));
}

//= vk:memory-model-vulkan-availability-visibility type=test
TEST_CASE("an invalidation loses a host write that was not flushed before it") {
  Scenario s;
  const AgentId host = s.agent(Place::host());
  s.add(host, write(0));
  Op flush = step(OperationKind::HostAvailability);
  flush.locations = write(0).locations;
  s.add(host, flush);
  Op invalidation = step(OperationKind::HostVisibility);
  invalidation.locations = write(0).locations;
  s.add(host, invalidation);
  CHECK(s.judge().writes_lost_to_invalidations().empty());
  s.execution.operations[1].locations = write(1).locations;
  CHECK(s.judge().writes_lost_to_invalidations().size() == 1);
}
