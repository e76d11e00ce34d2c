#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-program-order type=test
TEST_CASE("program order is transitive and relates only operations of one agent") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(1, 0, 0);
  s.add(a, write(0));
  s.add(b, write(1));
  s.add(a, write(2));
  s.add(a, write(3));
  CHECK(s.related(RelationName::ProgramOrder, 0, 2));
  CHECK(s.related(RelationName::ProgramOrder, 0, 3));
  CHECK_FALSE(s.related(RelationName::ProgramOrder, 3, 0));
  CHECK_FALSE(s.related(RelationName::ProgramOrder, 0, 1));
  CHECK_FALSE(s.related(RelationName::ProgramOrder, 1, 2));
}

//= vk:memory-model-program-order type=test
TEST_CASE("the read of a read-modify-write is program-ordered before its write") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), read_modify_write(0).atomic_at(Scope::Device));
  const auto judgement = s.judge();
  CHECK(judgement.relation(RelationName::ProgramOrder).has(0, 1));
  CHECK_FALSE(judgement.relation(RelationName::ProgramOrder).has(1, 0));
}
