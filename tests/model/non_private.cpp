#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-non-private type=test
TEST_CASE("a private access is not ordered between agents by any shader synchronization") {
  MessagePassing mp;
  CHECK(mp.ordered());
  mp.data_write.operands = MemoryOperands::None;
  CHECK_FALSE(mp.ordered());
  const auto reason = mp.scenario().judge().why_unordered(0, 5);
  REQUIRE(reason);
  CHECK(reason->link == judge::MissingLink::PrivateAccess);
  CHECK(reason->culprits == std::vector<OperationIndex>{0});
  mp = {};
  mp.data_read.operands = MemoryOperands::None;
  CHECK_FALSE(mp.ordered());
}

//= vk:memory-model-non-private type=test
TEST_CASE("a private read is ordered before another agent's write by system-synchronization") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), read(0));
  s.add(s.invocation(0, 1, 0), write(0));
  s.reads_initial(0);
  CHECK(s.judge().racy());
  s.system_synchronizes(0, 1);
  CHECK_FALSE(s.judge().racy());
}

//= vk:memory-model-non-private type=test
TEST_CASE("private accesses obey program order, atomics are always non-private") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0));
  s.add(a, write(0));
  CHECK(s.judge().location_ordered(0, 1));
  CHECK_FALSE(write(0).is_non_private());
  CHECK(write(0).atomic_at(Scope::Device).is_non_private());
  CHECK(write(0).available_at(Scope::Device).is_non_private());
}
