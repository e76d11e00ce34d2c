#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-agent type=test
TEST_CASE("operations of one agent are ordered, the same operations of two agents are not") {
  Scenario one;
  const AgentId a = one.invocation(0, 0, 0);
  one.add(a, write(0));
  one.add(a, write(0));
  CHECK(one.judge().location_ordered(0, 1));
  CHECK_FALSE(one.judge().racy());

  Scenario two;
  two.add(two.invocation(0, 0, 0), write(0));
  two.add(two.invocation(0, 0, 0), write(0));
  CHECK_FALSE(two.judge().location_ordered(0, 1));
  CHECK(two.judge().racy());
}

//= vk:memory-model-agent type=test
TEST_CASE("a host thread is an agent that shares no scope of the device") {
  CHECK(same_instance(Place::host(), Place::host(), Scope::CrossDevice));
  CHECK_FALSE(same_instance(Place::host(), Place{}, Scope::Device));
  CHECK(same_instance(Place{}, Place{}, Scope::Device));
}
