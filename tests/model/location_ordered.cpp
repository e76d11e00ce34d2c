#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

using judge::Bullet;

//= vk:memory-model-location-ordered type=test
TEST_CASE("the same agent and reference need happens-before and no availability") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0));
  s.add(a, read(0));
  const auto reason = s.judge().location_ordered(0, 1);
  REQUIRE(reason);
  CHECK(reason->bullet == Bullet::SameAgentAndReference);
  CHECK(reason->through == std::vector<OperationIndex>{0, 1});
  CHECK_FALSE(s.judge().location_ordered(1, 0));
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("a non-private read before a non-private write needs happens-before only") {
  MessagePassing mp;
  mp.data_write = read(0).shared_with_others();
  mp.data_read = write(0).shared_with_others();
  mp.release = fence(Scope::Device).release(kUniform);
  mp.acquire = fence(Scope::Device).acquire(kUniform);
  Scenario s = mp.scenario();
  s.execution.reads_from.pop_back();
  s.reads_initial(0);
  REQUIRE(s.judge().location_ordered(0, 5));
  CHECK(s.judge().location_ordered(0, 5)->bullet == Bullet::NonPrivateRead);
  s.execution.operations[5].operands = MemoryOperands::None;
  CHECK_FALSE(s.judge().location_ordered(0, 5));
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("a write after a write needs availability, and no visibility") {
  MessagePassing mp;
  mp.data_read = write(0).shared_with_others();
  mp.acquire = fence(Scope::Device).acquire(kUniform);
  Scenario s = mp.scenario();
  s.execution.reads_from.pop_back();
  const auto reason = s.judge().location_ordered(0, 5);
  REQUIRE(reason);
  CHECK(reason->bullet == Bullet::AvailableToWrite);
  CHECK(reason->availability == std::vector<OperationIndex>{1});
  s.execution.operations[1].semantics = MemorySemantics::Release | kUniform;
  CHECK_FALSE(s.judge().location_ordered(0, 5));
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("a read after a write is ordered through availability and visibility to a common domain") {
  const auto reason = MessagePassing{}.scenario().judge().location_ordered(0, 5);
  REQUIRE(reason);
  CHECK(reason->bullet == Bullet::AvailableAndVisibleToRead);
  CHECK(reason->domain == Domain::QueueFamilyInstance);
  CHECK(reason->availability == std::vector<OperationIndex>{1});
  CHECK(reason->visibility == std::vector<OperationIndex>{4});
  CHECK(reason->through == std::vector<OperationIndex>{0, 1, 4, 5});
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("shader availability and visibility order only one reference") {
  MessagePassing mp;
  mp.data_read.through(7);
  CHECK_FALSE(mp.ordered());
  CHECK(mp.scenario().judge().why_unordered(0, 5)->link == judge::MissingLink::AnotherReference);
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("the device domain orders private accesses through any references") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0));
  s.add(a, step(OperationKind::DeviceAvailability));
  s.add(b, step(OperationKind::DeviceVisibility));
  s.add(b, read(0).through(7));
  s.execution.agent_system_synchronization = {{a, b}};
  REQUIRE(s.judge().location_ordered(0, 3));
  CHECK(s.judge().location_ordered(0, 3)->bullet == Bullet::DomainsToRead);
  s.execution.operations[1].kind = OperationKind::DeviceVisibility;
  CHECK_FALSE(s.judge().location_ordered(0, 3));
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("accesses without a common byte are not location-ordered") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0).bytes(0, 2));
  s.add(a, write(0).bytes(2, 2));
  CHECK_FALSE(s.judge().location_ordered(0, 1));
  s.execution.operations[1].locations.offset_bytes = 1;
  CHECK(s.judge().location_ordered(0, 1));
}
