#include <catch2/catch.hpp>

#include "emulator/model/tags.h"
#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

// A write by one invocation, API-level operations by a third agent, an access by another invocation.
Scenario through_device(const std::vector<OperationKind>& steps, const Op& last) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  Place queue;
  queue.kind = AgentKind::FixedFunction;
  const AgentId q = s.agent(queue);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0));
  for (OperationKind kind : steps) s.add(q, step(kind));
  s.add(b, last);
  s.execution.agent_system_synchronization = {{a, q}, {q, b}};
  return s;
}

bool ordered(const Scenario& s) {
  const auto last = static_cast<OperationIndex>(s.execution.operations.size() - 1);
  return s.judge().location_ordered(0, last).has_value();
}

constexpr auto kAvailable = OperationKind::DeviceAvailability;
constexpr auto kVisible = OperationKind::DeviceVisibility;

}  // namespace

//= vk:memory-model-vulkan-availability-visibility type=test
TEST_CASE("a memory dependency makes available to the device domain and then visible from it") {
  CHECK(ordered(through_device({kAvailable, kVisible}, read(0))));
  CHECK_FALSE(ordered(through_device({kAvailable}, read(0))));
  CHECK_FALSE(ordered(through_device({kVisible}, read(0))));
  CHECK_FALSE(ordered(through_device({kVisible, kAvailable}, read(0))));
}

//= vk:memory-model-vulkan-availability-visibility type=test
TEST_CASE("a write after a write through the device domain needs availability only") {
  CHECK(ordered(through_device({kAvailable}, write(0))));
  CHECK_FALSE(ordered(through_device({}, write(0))));
}

namespace {

Scenario host_to_device(const std::vector<OperationKind>& steps) {
  Scenario s;
  const AgentId host = s.agent(Place::host());
  const AgentId invocation = s.invocation(0, 0, 0);
  s.add(host, write(0));
  for (OperationKind kind : steps) s.add(host, step(kind));
  s.add(invocation, read(0));
  s.execution.agent_system_synchronization = {{host, invocation}};
  return s;
}

}  // namespace

//= vk:memory-model-vulkan-availability-visibility type=test
TEST_CASE("from the host to the device a domain operation stands between") {
  const auto flush = OperationKind::HostAvailability;
  const auto cross = OperationKind::HostToDeviceDomain;
  CHECK(ordered(host_to_device({flush, cross, kVisible})));
  CHECK_FALSE(ordered(host_to_device({flush, kVisible})));
  CHECK_FALSE(ordered(host_to_device({cross, kVisible})));
  CHECK_FALSE(ordered(host_to_device({flush, OperationKind::DeviceToHostDomain, kVisible})));
}

//= vk:memory-model-vulkan-availability-visibility type=test
TEST_CASE("from the device to the host the domain operation goes the other way") {
  Scenario s;
  const AgentId invocation = s.invocation(0, 0, 0);
  const AgentId host = s.agent(Place::host());
  s.add(invocation, write(0));
  s.add(host, step(kAvailable));
  s.add(host, step(OperationKind::DeviceToHostDomain));
  s.add(host, step(OperationKind::HostVisibility));
  s.add(host, read(0));
  s.execution.agent_system_synchronization = {{invocation, host}};
  CHECK(ordered(s));
  s.execution.operations[2].kind = OperationKind::HostToDeviceDomain;
  CHECK_FALSE(ordered(s));
}

namespace {

// A write that is released to another invocation, which acquires it by an atomic with these semantics, makes available
// to the device domain what happens before that, and writes through another reference.
bool ordered_behind_acquire(MemorySemantics semantics, bool with_domain, const char* tag = "") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0));
  const OperationIndex flag = s.add(a, write(1).atomic_at(Scope::Device).release(kUniform));
  Op seen = read_modify_write(1).atomic_at(Scope::Device);
  seen.semantics = semantics;
  s.reads(s.add(b, seen), flag);
  s.modified(flag, 2);
  if (with_domain) s.add(b, step(kAvailable));
  s.add(b, write(0).through(7));
  TagSet tags;
  if (*tag != 0) tags.add(*Tag::parse(tag));
  s.execution.operations[2].tags = intern(tags);
  if (*tag != 0) {
    TagSet others;
    others.add(*Tag::parse("sync-as:1"));
    s.execution.operations.back().tags = intern(others);
  }
  return ordered(s);
}

}  // namespace

// "Availability, memory domain, and visibility operations are treated like other non-atomic memory accesses for the
// purpose of memory semantics, meaning they can be ordered by release-acquire sequences or memory barriers."
//= vk:memory-model-availability-visibility type=test
TEST_CASE("an acquire orders the device domain's operation behind it, as it does an access") {
  constexpr MemorySemantics kAcquire = MemorySemantics::Acquire | kUniform;
  CHECK(ordered_behind_acquire(kAcquire, true));
  CHECK_FALSE(ordered_behind_acquire(MemorySemantics::Relaxed, true));
  CHECK_FALSE(ordered_behind_acquire(kAcquire, false));
  // The acquire need not fit what comes behind the domain's operation.
  CHECK(ordered_behind_acquire(kAcquire, true, "sync-as:2"));
}
