#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-deallocation type=test
TEST_CASE("memory is freed after every access to it") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId host = s.agent(Place::host());
  s.add(a, write(0));
  Op free = step(OperationKind::Free);
  free.locations = {AllocationId{0}, 0, 4};
  s.add(host, free);
  CHECK(s.judge().accesses_not_before_deallocation() == std::vector<OperationPair>{{0, 1}});
  s.system_synchronizes(0, 1);
  CHECK(s.judge().accesses_not_before_deallocation().empty());
}

//= vk:memory-model-deallocation type=test
TEST_CASE("accesses to other allocations need not be before a deallocation") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(1));
  Op free = step(OperationKind::Free);
  free.locations = {AllocationId{0}, 0, 4};
  s.add(s.agent(Place::host()), free);
  CHECK(s.judge().accesses_not_before_deallocation().empty());
}
