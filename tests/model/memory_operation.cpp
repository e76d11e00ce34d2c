#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-memory-operation type=test
//= vk:memory-model-access-access type=test
TEST_CASE("two reads never race, a read and a write do") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), read(0));
  s.add(s.invocation(0, 1, 0), read(0));
  CHECK_FALSE(s.judge().racy());
  s.execution.operations[1].kind = OperationKind::Write;
  CHECK(s.judge().racy());
}

//= vk:memory-model-access-read type=test
//= vk:memory-model-access-write type=test
TEST_CASE("a read-modify-write both reads and writes its locations") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, read_modify_write(0).atomic_at(Scope::Device));
  s.reads_initial(0);
  const auto judgement = s.judge();
  REQUIRE(judgement.events().size() == 2);
  CHECK(judgement.events()[0].part == judge::Part::Read);
  CHECK(judgement.events()[1].part == judge::Part::Write);
  // In the suite's flavour it is one event.
  CHECK(s.judge({judge::Flavour::KhronosSuite}).events().size() == 1);
}

//= vk:memory-model-access-write type=test
TEST_CASE("a write of the value that is there already still races") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0));
  s.add(s.invocation(0, 1, 0), read(0));
  s.reads_initial(1);
  s.execution.written_values[0] = 0;
  CHECK(s.judge().racy());
}
