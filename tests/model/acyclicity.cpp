#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

using judge::Axiom;

//= vk:memory-model-acyclicity type=test
TEST_CASE("a read of the initial value comes before every write, through any reference") {
  Scenario s = MessagePassing{}.scenario();
  CHECK(s.judge().consistent());
  s.execution.reads_from[1].write = kInitialValue;
  REQUIRE_FALSE(s.judge().consistent());
  const auto violation = s.judge().violation();
  CHECK(violation->axiom == Axiom::Acyclicity);
  CHECK(violation->cycle.size() == 2);
  s.execution.operations[0].reference = ReferenceId{7};
  // Not ordered any more, but still later than the read of the initial value.
  CHECK(s.judge().consistent());
  CHECK(s.related(RelationName::FromReads, 5, 0));
}

//= vk:memory-model-acyclicity type=test
TEST_CASE("from-reads goes through location order only where the read stands after what it reads") {
  // a overwrites its own write; b reads the first without any order.
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0));
  s.add(a, write(0));
  s.add(b, read(0));
  s.reads(2, 0);
  CHECK_FALSE(s.related(RelationName::FromReads, 2, 1));
  CHECK(s.related(RelationName::FromReads, 2, 1, {judge::Flavour::KhronosSuite}));
  // The writer's own read is ordered after the write.
  s.execution.operations[2].agent = a;
  CHECK(s.related(RelationName::FromReads, 2, 1));
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-acyclicity type=test
TEST_CASE("reads-from and location order may not make a cycle: no read from one's own later write") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, read(0));
  s.add(a, write(0));
  s.reads(0, 1);
  CHECK_FALSE(s.judge().consistent());
  // Private accesses through two references are not ordered at all.
  s.execution.operations[1].reference = ReferenceId{7};
  CHECK(s.judge().consistent());
}

//= vk:memory-model-acyclicity type=test
TEST_CASE("load buffering is consistent: nothing orders a relaxed read before a later write elsewhere") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, read(0).atomic_at(Scope::Device));
  s.add(a, write(1).atomic_at(Scope::Device));
  s.add(b, read(1).atomic_at(Scope::Device));
  s.add(b, write(0).atomic_at(Scope::Device));
  s.reads(0, 3);
  s.reads(2, 1);
  CHECK(s.judge().consistent());
  // Release and acquire forbid it.
  s.execution.operations[1].semantics = MemorySemantics::Release | kUniform;
  s.execution.operations[2].semantics = MemorySemantics::Acquire | kUniform;
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-acyclicity type=test
TEST_CASE("every axiom that an execution breaks is named, with the operations that stand on cycles") {
  Scenario s = MessagePassing{}.scenario();
  CHECK(s.judge().violations().empty());
  CHECK(s.judge().operations_on_cycles() == 0);
  s.execution.reads_from[1].write = kInitialValue;
  const std::vector<judge::Violation> violations = s.judge().violations();
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].axiom == Axiom::Acyclicity);
  CHECK(s.judge().violation()->axiom == Axiom::Acyclicity);
  CHECK(s.judge().operations_on_cycles() == 2);
}
