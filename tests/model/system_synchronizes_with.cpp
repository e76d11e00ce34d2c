#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

Scenario two_agents() {
  Scenario s;
  s.add(s.invocation(0, 0, 0), read(0));
  s.add(s.invocation(0, 1, 0), write(0));
  s.reads_initial(0);
  return s;
}

}  // namespace

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("system-synchronization orders operations of all storage classes without any scope") {
  Scenario s = two_agents();
  CHECK_FALSE(s.related(RelationName::HappensBefore, 0, 1));
  s.system_synchronizes(0, 1);
  CHECK(s.related(RelationName::HappensBefore, 0, 1));
  CHECK_FALSE(s.related(RelationName::HappensBefore, 1, 0));
}

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("system-synchronization between agents goes from each operation to each, and is transitive") {
  Scenario s = two_agents();
  const AgentId c = s.invocation(0, 2, 0);
  s.add(c, write(1));
  s.execution.agent_system_synchronization = {{AgentId{0}, c}};
  CHECK(s.related(RelationName::SystemSynchronizesWith, 0, 2));
  CHECK_FALSE(s.related(RelationName::SystemSynchronizesWith, 0, 1));
  s.execution.agent_system_synchronization.emplace_back(c, AgentId{1});
  CHECK(s.related(RelationName::SystemSynchronizesWith, 0, 1));
}

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("system-synchronization goes on through agents that have no operations") {
  Scenario s = two_agents();
  const AgentId c = s.invocation(0, 2, 0), d = s.invocation(0, 3, 0);
  s.execution.agent_system_synchronization = {{d, AgentId{1}}, {AgentId{0}, c}};
  CHECK_FALSE(s.related(RelationName::SystemSynchronizesWith, 0, 1));
  s.execution.agent_system_synchronization.emplace_back(c, d);
  CHECK(s.related(RelationName::SystemSynchronizesWith, 0, 1));
  CHECK_FALSE(s.related(RelationName::SystemSynchronizesWith, 1, 0));
  CHECK(s.judge().consistent());
  s.execution.agent_system_synchronization.emplace_back(d, AgentId{0});
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("system-synchronization against program order is impossible") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0));
  s.add(a, write(1));
  s.system_synchronizes(0, 1);
  CHECK(s.judge().consistent());
  s.system_synchronizes(1, 0);
  REQUIRE_FALSE(s.judge().consistent());
  CHECK(s.judge().violation()->axiom == judge::Axiom::SystemSynchronizationOrder);
}

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("system-synchronization between agents that meet at a control barrier is impossible") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(1, 0, 0);
  s.add(a, control_barrier(Scope::Workgroup));
  s.add(b, control_barrier(Scope::Workgroup));
  CHECK(s.judge().consistent());
  s.execution.agent_system_synchronization = {{a, b}};
  CHECK_FALSE(s.judge().consistent());
  // Two barriers that are not one instance do not contradict it.
  s.execution.operations[1].barrier_instance = 2;
  CHECK(s.judge().consistent());
}
