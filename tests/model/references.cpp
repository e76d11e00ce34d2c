#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-references type=test
TEST_CASE("two references to the same bytes need availability and visibility even in one agent") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0));
  s.add(a, read(0));
  s.reads(1, 0);
  CHECK_FALSE(s.judge().racy());
  s.execution.operations[1].reference = ReferenceId{7};
  CHECK(s.judge().racy());
  REQUIRE(s.judge().why_unordered(0, 1));
}

//= vk:memory-model-references type=test
TEST_CASE("atomics through two references are not mutually ordered") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(Scope::Device));
  s.add(s.invocation(0, 1, 0), write(0).atomic_at(Scope::Device));
  CHECK(s.related(RelationName::MutuallyOrdered, 0, 1));
  s.execution.operations[1].reference = ReferenceId{7};
  CHECK_FALSE(s.related(RelationName::MutuallyOrdered, 0, 1));
}
