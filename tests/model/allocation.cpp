#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-allocation type=test
TEST_CASE("initialization is no memory operation: it races with nothing and orders nothing") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), read(0));
  s.add(s.invocation(0, 1, 0), read(0));
  s.reads_initial(0);
  s.reads_initial(1);
  CHECK(s.judge().consistent());
  CHECK_FALSE(s.judge().racy());
  CHECK(s.judge().relation(RelationName::ReadsFrom).empty());
  CHECK(s.judge().final_writes({AllocationId{0}, 0, 4}) == std::vector<OperationIndex>{kInitialValue});
  // A real write to the same bytes by one of them does race.
  s.add(AgentId{0}, write(0));
  CHECK(s.judge().racy());
  CHECK(s.judge().final_writes({AllocationId{0}, 0, 4}) == std::vector<OperationIndex>{2});
}
